#include <knc/isa/group_store.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace knc::isa {

namespace {

bool same(const insn& a, const insn& b) {
    static_assert(std::has_unique_object_representations_v<insn>);
    return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

std::uint16_t group_page::keep(std::uint64_t offset, const insn& u, const insn* v,
                               const static_group& g, contents& c) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // What a core keeps with an instruction for other purposes must not tell two copies apart.
    constexpr std::uint32_t of_its_list = insn_goes_on;
    constexpr std::uint32_t of_its_issue = of_its_list | insn_vector_partner | insn_mmx_partner;
    static_group both = g;
    both.v = 0;
    if (v != nullptr) {
        insn second = *v;
        second.flags &= ~of_its_issue;
        second.pairing = insn_unknown;
        second.pair_cycles = 0;
        both.v = find_or_add(offset + u.length, second, {});
        if (both.v == 0) return 0;
    }
    insn first = u;
    first.flags &= ~of_its_list;
    const std::uint16_t k = find_or_add(offset, first, both);
    if (k != 0) c = {storages_.back()->instructions.data(), storages_.back()->groups.data()};
    return k;
}

// Apart from the place and `i`, a summary depends on nothing but the one in V.
std::uint16_t group_page::find_or_add(std::uint64_t offset, const insn& i, const static_group& g) {
    for (std::uint16_t k = last_[offset]; k != 0; k = before_[k])
        if (storages_.back()->groups[k].v == g.v && same(storages_.back()->instructions[k], i))
            return k;
    if (size_ == most) return 0;
    make_room();
    const auto k = static_cast<std::uint16_t>(size_++);
    storage& s = *storages_.back();
    s.instructions[k] = i;
    s.groups[k] = g;
    before_.push_back(last_[offset]);
    last_[offset] = k;
    return k;
}

// For one more.
void group_page::make_room() {
    const std::size_t capacity = storages_.empty() ? 0 : storages_.back()->instructions.size();
    if (size_ < capacity) return;
    auto larger = std::make_unique<storage>(std::max(first_capacity, 2 * capacity));
    if (capacity != 0) {
        const storage& s = *storages_.back();
        std::copy(s.instructions.begin(), s.instructions.end(), larger->instructions.begin());
        std::copy(s.groups.begin(), s.groups.end(), larger->groups.begin());
    }
    storages_.push_back(std::move(larger));
}

std::shared_ptr<group_page> group_store::page(std::uint64_t number) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<group_page>& p = pages_[number];
    if (!p) p = std::make_shared<group_page>();
    return p;
}

void group_store::drop(std::uint64_t number) {
    const std::lock_guard<std::mutex> lock(mutex_);
    pages_.erase(number);
}

void group_store::clear() {
    const std::lock_guard<std::mutex> lock(mutex_);
    pages_.clear();
}

}  // namespace knc::isa
