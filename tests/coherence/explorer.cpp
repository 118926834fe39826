#include "explorer.h"

#include <cstring>
#include <vector>

#include "codec.h"

namespace knc::coherence::test {
namespace {

// All states met, in the order met.
class state_set {
  public:
    state_set() : table_(1u << 12, none) {}

    std::size_t size() const { return ends_.size(); }
    const std::uint8_t* code(std::size_t n) const { return bytes_.data() + begin(n); }
    std::size_t code_size(std::size_t n) const { return ends_[n] - begin(n); }

    // The number of the state, and whether it is new.
    std::pair<std::uint32_t, bool> insert(const std::string& code) {
        std::size_t place = hash(code.data(), code.size()) & (table_.size() - 1);
        for (; table_[place] != none; place = (place + 1) & (table_.size() - 1)) {
            const std::uint32_t n = table_[place];
            if (code_size(n) == code.size() &&
                std::memcmp(this->code(n), code.data(), code.size()) == 0)
                return {n, false};
        }
        const auto n = static_cast<std::uint32_t>(size());
        table_[place] = n;
        bytes_.insert(bytes_.end(), code.begin(), code.end());
        ends_.push_back(bytes_.size());
        if (size() * 2 > table_.size()) grow();
        return {n, true};
    }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::size_t begin(std::size_t n) const { return n == 0 ? 0 : ends_[n - 1]; }
    static std::uint64_t hash(const void* data, std::size_t size) {
        std::uint64_t h = size;
        const auto* p = static_cast<const std::uint8_t*>(data);
        for (; size >= 8; size -= 8, p += 8) {
            std::uint64_t x;
            std::memcpy(&x, p, 8);
            h = (h ^ x) * 0x9E3779B97F4A7C15;
            h ^= h >> 29;
        }
        for (; size != 0; --size, ++p) h = (h ^ *p) * 0x9E3779B97F4A7C15;
        return h ^ h >> 32;
    }
    void grow() {
        table_.assign(table_.size() * 2, none);
        for (std::size_t n = 0; n < size(); ++n) {
            std::size_t place = hash(code(n), code_size(n)) & (table_.size() - 1);
            while (table_[place] != none) place = (place + 1) & (table_.size() - 1);
            table_[place] = static_cast<std::uint32_t>(n);
        }
    }

    std::vector<std::uint8_t> bytes_;
    std::vector<std::size_t> ends_;
    std::vector<std::uint32_t> table_;
};

class search {
  public:
    search(const world_parameters& p, std::size_t most) : world_(p), codec_(world_), most_(most) {}

    exploration run() {
        note(0, {});
        for (std::uint32_t n = 0; n < states_.size() && result_.error.empty(); ++n) {
            if (states_.size() > most_) return finish();
            expand(n);
        }
        result_.complete = result_.error.empty();
        if (result_.complete) check_progress();
        return finish();
    }

  private:
    struct origin {
        std::uint32_t from;
        world::step by;
    };

    exploration finish() {
        result_.states = states_.size();
        return result_;
    }

    void load(std::uint32_t n) { codec_.load(states_.code(n), states_.code_size(n)); }

    // Takes the world's present state into the set, reached from `from`.
    std::uint32_t note(std::uint32_t from, const world::step& by) {
        const auto [n, is_new] = states_.insert(codec_.save());
        std::string error = is_new ? world_.check() : world_.error();
        if (is_new) {
            origins_.push_back({from, by});
            const bool rest = world_.quiescent();
            at_rest_.push_back(rest);
            result_.at_rest += rest;
        }
        if (!error.empty()) {
            result_.error = std::move(error);
            if (n != 0) result_.way = way(from, by);
        }
        return n;
    }

    void expand(std::uint32_t n) {
        load(n);
        world_.steps(steps_);
        bool fresh = true;
        for (world::step s : steps_) {
            bool again = true;
            for (s.choice = 0; s.choice < 2 && again; ++s.choice) {
                if (!fresh) load(n);
                fresh = false;
                if (!world_.take(s)) break;
                again = world_.had_choice();
                ++result_.steps;
                const std::uint32_t to = note(n, s);
                if (!result_.error.empty()) return;
                if (s.kind == world::step_kind::deliver) deliveries_.push_back({n, to});
            }
        }
    }

    // If no core asks for anything more, messages carry every state to rest: whatever their order,
    // they run out, and with them all business.
    void check_progress() {
        const std::size_t count = states_.size();
        std::vector<std::uint32_t> open(count, 0), first(count + 1, 0);
        for (const auto& [from, to] : deliveries_) {
            ++open[from];
            ++first[to + 1];
        }
        for (std::size_t n = 0; n < count; ++n) first[n + 1] += first[n];
        std::vector<std::uint32_t> before(deliveries_.size()), fill(first.begin(), first.end() - 1);
        for (const auto& [from, to] : deliveries_) before[fill[to]++] = from;
        std::vector<std::uint32_t> done;
        for (std::uint32_t n = 0; n < count; ++n)
            if (at_rest_[n]) done.push_back(n);
        for (std::size_t d = 0; d < done.size(); ++d)
            for (std::uint32_t k = first[done[d]]; k < first[done[d] + 1]; ++k)
                if (--open[before[k]] == 0) done.push_back(before[k]);
        if (done.size() != count) result_.error = "some order of messages never comes to rest";
    }

    std::string way(std::uint32_t from, const world::step& by) {
        std::vector<std::uint32_t> path;
        for (std::uint32_t n = from; n != 0; n = origins_[n].from) path.push_back(n);
        std::string text;
        for (std::size_t k = path.size(); k-- > 0;) {
            const origin& o = origins_[path[k]];
            load(o.from);
            text += world_.describe(o.by) + "\n";
        }
        load(from);
        return text + world_.describe(by) + "\n";
    }

    world world_;
    codec codec_;
    std::size_t most_;
    state_set states_;
    std::vector<origin> origins_;
    std::vector<bool> at_rest_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> deliveries_;
    std::vector<world::step> steps_;
    exploration result_;
};

}  // namespace

exploration explore(const world_parameters& p, std::size_t most) {
    return search(p, most).run();
}

}  // namespace knc::coherence::test
