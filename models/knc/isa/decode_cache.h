// Decoded instructions of one core, by physical page and code mode.
//
// Models nothing the guest can see: fetch always behaves as if memory were decoded anew. An entry
// is found with two loads; pages are dropped when code_map reports a write to them. Once it is
// decided how an instruction issues, most issues read the summary that all cores share
// (group_store) and nothing else of the page.
#ifndef KNC_ISA_DECODE_CACHE_H
#define KNC_ISA_DECODE_CACHE_H

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <knc/isa/group_store.h>
#include <knc/isa/insn.h>
#include <knc/isa/state.h>
#include <knc/isa/static_group.h>

namespace knc::isa {

class decode_cache {
  public:
    struct page {
        // For each byte of the page, the index into `instructions` of the instruction that starts
        // there; 0: none decoded.
        std::array<std::uint16_t, 4096> at{};
        std::vector<insn> instructions{1};
        // What make_ready() has kept.
        group_page::contents shared;

        insn* find(std::uint64_t address) {
            const std::uint16_t k = at[address & 0xfff];
            return k != 0 ? &instructions[k] : nullptr;
        }
        insn* add(std::uint64_t address, const insn& i) {
            insn& last = instructions.back();
            if ((address & 0xfff) == end_ && (i.flags & insn_plain) != 0 &&
                (last.flags & (insn_plain | insn_branch)) == insn_plain)
                last.flags |= insn_goes_on;
            end_ = (address & 0xfff) + i.length;
            at[address & 0xfff] = static_cast<std::uint16_t>(instructions.size());
            instructions.push_back(i);
            return &instructions.back();
        }
        // An issue at `address` of `u` is `g`, together with `v`; nullptr: alone.
        void make_ready(std::uint64_t address, const insn& u, const insn* v,
                        const static_group& g) {
            const std::uint64_t offset = address & 0xfff;
            ready_[offset] = groups_->keep(offset, u, v, g, shared);
        }
        // The index in `shared` of what is known of an issue at `address`; 0: nothing.
        unsigned find_ready(std::uint64_t address) const { return ready_[address & 0xfff]; }

      private:
        friend class decode_cache;

        std::shared_ptr<group_page> groups_;
        std::array<std::uint16_t, 4096> ready_{};  // for each byte of the page
        std::uint64_t end_ = 0;  // of the instruction added last, in the page; 0: none
    };

    explicit decode_cache(group_store& s) : store_(&s) {}

    // The decoded code of physical page `number` read as `mode`; creates an empty page if there is
    // none.
    page* at(std::uint64_t number, code_mode mode);
    // Forgets the page in all modes. Pages handed out stay readable until the next call of
    // collect().
    void drop(std::uint64_t number);
    // Frees what drop() took out. Do not call it while an instruction of such a page executes.
    void collect() { dropped_.clear(); }
    bool has_dropped() const { return !dropped_.empty(); }
    void clear() {
        pages_.clear();
        dropped_.clear();
    }

    // Calls f(number, mode, page) for each page, in no order.
    template <class F>
    void each_page(F f) const {
        for (const auto& [k, p] : pages_) f(k >> 2, static_cast<code_mode>(k & 3), *p);
    }

  private:
    static std::uint64_t key(std::uint64_t number, code_mode m) {
        return number << 2 | static_cast<std::uint64_t>(m);
    }

    group_store* store_;
    std::unordered_map<std::uint64_t, std::unique_ptr<page>> pages_;
    std::vector<std::unique_ptr<page>> dropped_;
};

}  // namespace knc::isa

#endif
