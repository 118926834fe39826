// The state of a core for the user: waveform values and the dump of its threads.

#include <knc/core/core.h>

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <knc/core/pipeline_signals.h>
#include <knc/core/rooms.h>
#include <knc/isa/decoder.h>

namespace knc::core {

namespace {

const char* name_of(run_state s) {
    constexpr const char* names[] = {"running", "halted", "waiting for SIPI", "shutdown"};
    return names[static_cast<std::size_t>(s)];
}

const base::value_names states{"state", {"running", "halted", "waits for startup", "shut down"}};
const base::value_names occupancies{"doing", {"-", "executing", "microcode", "waiting"}};
const base::value_names levels{"cpl", {"ring 0", "ring 1", "ring 2", "ring 3"}};

}  // namespace

void core::list_signals(const std::string& prefix, base::signal_list& list) const {
    for (std::size_t t = 0; t < threads; ++t) {
        const thread_signals& v = sampled_[t];
        const std::string p = fmt::format("{}.t{}.", prefix, t);
        pipeline_signals_->list_function(t, p, list);
        list.push_back({p + "pc", 64, &v.pc, "instruction pointer"});
        list.push_back(
            {p + "state", 2, &v.state, "run state", base::signal_form::pattern, &states});
        list.push_back({p + "doing", 2, &v.doing, "what it does in this clock",
                        base::signal_form::pattern, &occupancies});
        pipeline_signals_->list_waits(t, p, list);
        list.push_back(
            {p + "cpl", 2, &v.cpl, "privilege level", base::signal_form::pattern, &levels});
        list.push_back({p + "instructions", 64, &v.instructions, "instructions retired",
                        base::signal_form::number});
    }
    pipeline_signals_->list_signals(prefix + ".core.", list);
}

void core::list_cycle_signals(base::signal_list& list) const {
    for (std::size_t t = 0; t < threads; ++t) pipeline_signals_->list_waits(t, {}, list);
    pipeline_signals_->list_signals({}, list);
}

void core::sample() {
    for (std::size_t t = 0; t < threads; ++t) {
        const thread& th = *threads_[t];
        thread_signals& v = sampled_[t];
        v.pc = th.context.s.r[isa::rip];
        v.state = static_cast<std::uint64_t>(th.state);
        v.doing = static_cast<std::uint64_t>(rooms_->accounting.doing(th.index()));
        v.cpl = th.context.s.cpl;
        v.instructions = th.retired;
    }
    pipeline_signals_->sample();
}

void core::begin_sample() {
    pipeline_signals_->begin();
}

unsigned core::device_waits() const {
    unsigned waits = 0;
    for (const auto& t : threads_) waits |= unsigned{t->devices.waiting()} << t->index();
    return waits;
}

void core::name_functions(function_numbers_if& f) {
    pipeline_signals_->name_functions(f);
}

base::cycle_t core::next_change() const {
    return rooms_->accounting.next_change();
}

bool core::still() const {
    return std::all_of(threads_.begin(), threads_.end(), [this](const auto& t) {
        return t->state != run_state::running &&
               rooms_->accounting.doing(t->index()) == occupancy::idle;
    });
}

void core::watch_overflows(bool on) {
    rooms_->registers.leave_at_access(on);
}

std::string core::why_stopped() const {
    std::string text;
    for (const auto& t : threads_) {
        if (t->state == run_state::running || t->state == run_state::wait_for_sipi) continue;
        text += fmt::format(
            "{}core {} thread {} {}{}", text.empty() ? "" : "; ", index_, t->index(),
            name_of(t->state),
            t->state == run_state::shutdown ? fmt::format(" after {}", t->shutdown_reason)
            : (t->context.s.eflags & isa::flag_if) == 0 ? " with interrupts disabled"
                                                        : " with no interrupt to come");
    }
    return text;
}

bool core::interruptible() const {
    for (const auto& t : threads_)
        if (t->state == run_state::halted && (t->context.s.eflags & isa::flag_if) != 0) return true;
    return false;
}

void core::dump(std::ostream& out, code_names_if* places) const {
    static constexpr const char* names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                            "r8 ", "r9 ", "r10", "r11", "r12", "r13", "r14", "r15"};
    for (const auto& p : threads_) {
        thread& t = *p;
        isa::state& s = t.context.s;
        fmt::print(out, "core {} thread {}: {}, {} instructions\n", index_, t.index(),
                   name_of(t.state), t.retired);
        if (t.state == run_state::wait_for_sipi) continue;
        for (unsigned r = 0; r < 16; ++r)
            fmt::print(out, "{} {} {:016x}{}", r % 4 == 0 ? " " : "", names[r], s.r[r],
                       r % 4 == 3 ? "\n" : "");
        fmt::print(out, "  rip {:016x}  rflags {:08x}  cpl {}  cs {:04x} ss {:04x}\n",
                   s.r[isa::rip], s.rflags(), s.cpl, s.seg[isa::cs].selector,
                   s.seg[isa::ss].selector);
        fmt::print(out, "  cr0 {:08x}  cr2 {:016x}  cr3 {:016x}  cr4 {:08x}  efer {:04x}\n", s.cr0,
                   s.cr2, s.cr3, s.cr4, s.efer);
        std::uint64_t first = 0;
        if (places != nullptr && t.context.probe(t.context.linear(isa::cs, s.r[isa::rip]), first)) {
            const std::string name =
                places->name({t.context, privilege_of(s), s.r[isa::rip], first});
            if (!name.empty()) fmt::print(out, "  in  {}\n", name);
        }
        std::uint8_t bytes[15];
        unsigned n = 0;
        for (; n < sizeof bytes; ++n) {
            std::uint64_t paddr = 0;
            if (!t.context.probe(t.context.linear(isa::cs, s.r[isa::rip] + n), paddr)) break;
            if (!rooms_->memory.is_ram(paddr)) break;
            rooms_->memory.peek(paddr, 1, &bytes[n]);
        }
        fmt::print(out, "  at  {}\n",
                   n == 0 ? "(no code mapped)" : isa::disassemble(s.mode, bytes, n, s.r[isa::rip]));
    }
}

}  // namespace knc::core
