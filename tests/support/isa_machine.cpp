#include <support/isa_machine.h>

namespace knc::isa::test {

status isa_machine::step(const std::uint8_t* bytes, std::size_t size) {
    insn i;
    if (decode(c.instruction_set, c.s.mode, bytes, static_cast<unsigned>(size), i) !=
        decode_result::ok)
        return c.unsupported("the bytes end inside the instruction");
    const std::uint64_t ip = c.s.r[rip];
    c.s.r[rip] = (ip + i.length) & c.ip_mask;
    const status end = i.execute(c, i);
    if (end != status::ok) c.s.r[rip] = ip;
    return end;
}

status isa_machine::run(const std::uint8_t* bytes, std::size_t size) {
    status end = step(bytes, size);
    while (end == status::repeat) end = step(bytes, size);
    return end;
}

std::uint32_t isa_machine::flags_of(std::initializer_list<std::uint8_t> bytes) {
    insn i;
    decode(c.instruction_set, c.s.mode, bytes.begin(), static_cast<unsigned>(bytes.size()), i);
    return i.flags;
}

}  // namespace knc::isa::test
