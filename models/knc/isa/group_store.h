// The summaries of issues, with the instructions that they are about, once for all cores of a card.
//
// Models nothing the guest can see. A summary depends on nothing but the bytes, their place and
// parameters that all cores of a card have in common, so all that execute the same code read one
// copy, which stays in the host's caches when a copy for each of many cores does not. Which
// summaries a core may use, it has to find out by itself (decode_cache). What has been handed out
// never changes. Cores may use it from several host threads.
#ifndef KNC_ISA_GROUP_STORE_H
#define KNC_ISA_GROUP_STORE_H

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <knc/isa/insn.h>
#include <knc/isa/static_group.h>

namespace knc::isa {

// Those of one page of memory.
class group_page {
  public:
    // What indices refer to. It stays readable as long as the page exists.
    struct contents {
        const insn* instructions = nullptr;
        const static_group* groups = nullptr;
    };

    // The index of summary `g`, of an issue of `u` at `offset` in the page, together with `v`
    // behind it; nullptr: alone. `c` then has it, with static_group::v as the index of `v`, and
    // everything of which there was an index before. 0: there is no room, which does not change
    // `c`.
    std::uint16_t keep(std::uint64_t offset, const insn& u, const insn* v, const static_group& g,
                       contents& c);
    // The instructions in it.
    std::size_t size() const { return size_; }

  private:
    static constexpr std::size_t first_capacity = 64, most = 1u << 14;

    struct storage {
        explicit storage(std::size_t capacity) : instructions(capacity), groups(capacity) {}
        std::vector<insn> instructions;
        std::vector<static_group> groups;
    };

    std::uint16_t find_or_add(std::uint64_t offset, const insn&, const static_group&);
    void make_room();

    std::mutex mutex_;
    // The last one has everything; the others are for those who have pointers into them.
    std::vector<std::unique_ptr<storage>> storages_;
    std::size_t size_ = 1;  // index 0 stands for none
    // By place: the index of the instruction added last, and of each one that before it.
    std::array<std::uint16_t, 4096> last_{};
    std::vector<std::uint16_t> before_{0};
};

class group_store {
  public:
    // The page of memory with that number.
    std::shared_ptr<group_page> page(std::uint64_t number);
    // Its memory has been written. Those who have the page keep it.
    void drop(std::uint64_t number);
    void clear();

  private:
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::shared_ptr<group_page>> pages_;
};

}  // namespace knc::isa

#endif
