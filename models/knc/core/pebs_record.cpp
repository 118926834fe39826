#include <knc/core/pebs_record.h>

#include <knc/base/bits.h>

namespace knc::core {

namespace {

namespace config = pmu::perfmon::pebs_config;

constexpr std::uint64_t field_bytes = 8;
constexpr std::uint64_t basic_fields = 4, memory_fields = 4, register_fields = 18, xmm_fields = 32,
                        lbr_fields = 3;
constexpr unsigned size_position = 48;

std::uint64_t lbr_entries(std::uint64_t c) {
    return base::bits(c, config::last_lbr_entry + 7, config::last_lbr_entry) + 1;
}

// The order of the group.
constexpr unsigned registers[] = {isa::rax, isa::rcx, isa::rdx, isa::rbx, isa::rsp, isa::rbp,
                                  isa::rsi, isa::rdi, 8,        9,        10,       11,
                                  12,       13,       14,       15};

}  // namespace

std::uint64_t pebs_record_size(std::uint64_t c) {
    std::uint64_t fields = basic_fields;
    if (base::test(c, config::memory)) fields += memory_fields;
    if (base::test(c, config::registers)) fields += register_fields;
    if (base::test(c, config::xmm)) fields += xmm_fields;
    if (base::test(c, config::lbr)) fields += lbr_fields * lbr_entries(c);
    return field_bytes * fields;
}

std::vector<std::uint64_t> pebs_record(const sampled_instruction& i, const isa::state& s) {
    const std::uint64_t c = i.request.config, size = pebs_record_size(c);
    std::vector<std::uint64_t> r = {size << size_position | c, i.ip, i.request.counters, i.tsc};
    if (base::test(c, config::memory)) {
        if (i.accesses)
            r.insert(r.end(), {i.address, i.source, i.latency, 0});
        else
            r.insert(r.end(), {0, 0, 0, 0});
    }
    if (base::test(c, config::registers)) {
        const std::uint64_t bits =
            s.mode == isa::code_mode::bits64 ? base::mask(64) : base::mask(32);
        r.insert(r.end(), {s.rflags(), s.r[isa::rip] & bits});
        for (const unsigned n : registers)
            r.push_back(n >= 8 && bits != base::mask(64) ? 0 : s.r[n] & bits);
    }
    r.resize(size / field_bytes);
    return r;
}

}  // namespace knc::core
