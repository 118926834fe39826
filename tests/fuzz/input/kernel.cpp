// A bzImage with any content, and an initrd and a memory of any size: the setup header, and what
// the kernel finds in memory. The last 16 bytes of the input are the sizes.
#include <algorithm>

#include <platform/linux_boot.h>
#include <platform/linux_image.h>
#include <platform/loader.h>

#include "target.h"

namespace {

constexpr const char* name = "kernel";

// [base, base + size)
struct part {
    std::uint64_t base, size;
};
bool apart(const part& a, const part& b) {
    return a.base + a.size <= b.base || b.base + b.size <= a.base;
}

void boot(const platform::image& i, const std::string& cmdline, std::uint64_t initrd,
          const platform::linux_machine& m) {
    std::vector<part> all{{i.segments[0].physical, i.segments[0].memory_size}};
    if (initrd != 0) {
        all.push_back({platform::initrd_address(i, initrd, m.memory_size), initrd});
        fuzz::require(all.back().base % 4096 == 0, "an initrd begins at a page");
        fuzz::require(all.back().base >= platform::needs_of(i).end, "it is not the kernel's");
    }
    for (const platform::memory_part& p : platform::linux_tables(i, cmdline, initrd, m))
        all.push_back({p.physical, p.bytes.size()});
    for (std::size_t a = 0; a < all.size(); ++a) {
        fuzz::require(all[a].base <= m.memory_size && all[a].size <= m.memory_size - all[a].base,
                      "all lies in memory");
        for (std::size_t b = 0; b < a; ++b)
            fuzz::require(apart(all[a], all[b]), "nothing overlaps");
    }
    fuzz::require(platform::linux_entry(i).rip == i.entry, "the kernel begins at its entry");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::choices choose{data, size};
    platform::linux_machine m;
    // Keys allow 1 MB to 64 GB (card.memory) and 1 to 62 tiles.
    m.memory_size = std::uint64_t{1} << (20 + choose.take<std::uint8_t>() % 17);
    m.memory_size -= m.memory_size / 2 / 4096 * choose.take<std::uint8_t>() / 256 * 4096;
    m.memory_size = std::max<std::uint64_t>(m.memory_size, 0x100000);
    m.threads = 1 + choose.take<std::uint8_t>() % 248;
    m.boot_apic_id = choose.take<std::uint8_t>() % m.threads;
    m.acpi = choose.take<std::uint8_t>() % 2 != 0;
    const auto initrd = choose.take<std::uint64_t>() >> choose.take<std::uint8_t>() % 64;
    const std::string cmdline(choose.take<std::uint16_t>(), 'x');
    fuzz::accepted({name}, [&] {
        const platform::image i = platform::read_bzimage(choose.rest(), name);
        platform::check_placement(i, cmdline, initrd, m.memory_size);
        boot(i, cmdline, initrd, m);
    });
    return 0;
}
