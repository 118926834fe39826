// The state of a thread, field by field; docs/checkpoints.md.
#include <knc/isa/checkpoint.h>
#include <knc/isa/code_map.h>

namespace knc::isa {

namespace {

// The flags are kept lazily; what is loaded has the same values.
void serialize(base::archive& a, arithmetic_state& s) {
    std::uint32_t flags = s.get();
    a(flags);
    if (a.loading()) s.set(flags);
}

void serialize(base::archive& a, segment& s) {
    a(s.selector, s.attributes, s.limit, s.base);
}

void serialize(base::archive& a, table_register& t) {
    a(t.base, t.limit);
}

void serialize(base::archive& a, x87_state& x) {
    for (x87_register& r : x.physical) a(r.significand, r.sign_exponent);
    a(x.used, x.control, x.status, x.opcode);
    a(x.instruction_selector, x.data_selector, x.instruction_pointer, x.data_pointer);
}

void serialize(base::archive& a, vector_state& v) {
    for (vector_register& r : v.zmm) a(r.bytes);
    a(v.k);
}

void serialize(base::archive& a, memory_type_registers& m) {
    a(m.base, m.mask, m.fixed, m.default_type, m.pat);
}

void serialize(base::archive& a, machine_check_registers& m) {
    a(m.status, m.control);
    for (auto& b : m.banks) a(b.control, b.status, b.address, b.misc);
}

void serialize(base::archive& a, state& s) {
    a(s.r, s.eflags, s.cpl, s.mode);
    serialize(a, s.arithmetic);
    for (segment& g : s.seg) serialize(a, g);
    serialize(a, s.ldtr);
    serialize(a, s.tr);
    serialize(a, s.gdtr);
    serialize(a, s.idtr);
    a(s.cr0, s.cr2, s.cr3, s.cr4, s.pdpte, s.dr);
    a(s.efer, s.star, s.lstar, s.sfmask, s.kernel_gs_base, s.microcode, s.tsc_aux);
    a(s.mxcsr, s.test, s.core_c6);
    serialize(a, s.x87);
    serialize(a, s.vector);
    serialize(a, s.memory_types);
    serialize(a, s.machine_check);
}

}  // namespace

void serialize(base::archive& a, fault& f) {
    a(f.vector, f.has_error, f.unsupported, f.trap, f.error, f.dr6, f.address);
}

void serialize(base::archive& a, context& c) {
    serialize(a, c.s);
    serialize(a, c.fault);
    a(c.delay, c.branch_taken, c.interrupt_shadow, c.debug_shadow, c.nmi_blocked, c.unstepped);
    a(c.unusual, c.uncached, c.debug_conditions, c.held_conditions);
    a(c.vector_accessed.la, c.vector_accessed.which);
}

// The pages with code.
void code_map::serialize(base::archive& a) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> marked;
    for (std::uint64_t page = 0; page < pages_; ++page)
        if (lines_[page] != 0) marked.emplace_back(page, lines_[page]);
    a(marked);
    if (!a.loading()) return;
    reset();
    for (const auto& [page, held] : marked) {
        if (page >= pages_) throw base::archive_error("code outside of the memory");
        lines_[page] = held;
    }
}

}  // namespace knc::isa
