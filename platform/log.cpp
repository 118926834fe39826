#include <platform/log.h>

#include <algorithm>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include <knc/apic/interrupt_message.h>
#include <knc/apic/registers.h>
#include <knc/isa/msr.h>
#include <knc/pmu/knc_registers.h>
#include <knc/pmu/p55c_registers.h>
#include <knc/pmu/perfmon_registers.h>

#include <platform/event_names.h>

namespace platform {

namespace base = knc::base;
namespace apic = knc::apic;

namespace {

template <class Step>
bool wanted(const log_choice& c, const Step&) {
    using namespace steps;
    if constexpr (std::is_same_v<Step, instruction>)
        return c.instructions;
    else if constexpr (std::is_same_v<Step, event>)
        return c.exceptions;
    else if constexpr (std::is_same_v<Step, steps::msr_access>)
        return c.msr;
    else
        return c.apic;
}

// Registers that are several have numbers behind a common name.
template <class Table>
std::string numbered_name(const Table& t, std::uint32_t number) {
    const auto place = t.find(number);
    if (!place) return "no register";
    const std::string name = place.row->name;
    return place.row->count > 1 ? fmt::format("{}{}", name, place.index) : name;
}

std::string msr_name(std::uint32_t number, knc::pmu::front_end_kind of) {
    using kind = knc::pmu::front_end_kind;
    if (const auto place = knc::isa::msrs().find(number)) return std::string{place.row->name};
    if (of == kind::perfmon) return numbered_name(knc::pmu::perfmon_registers(), number);
    if (of == kind::p55c) return numbered_name(knc::pmu::p55c_registers(), number);
    return numbered_name(knc::pmu::knc_registers(), number);
}

std::string register_name(std::uint32_t offset) {
    const auto place = apic::registers().find(offset);
    return place ? std::string{place.row->name} : fmt::format("{:#05x}", offset);
}

std::string thread_text(base::thread_number n) {
    return fmt::format("{}.{}", n.core, n.thread);
}

}  // namespace

log::log(std::ostream& out, const log_choice& choice, const program& image,
         instruction_texts& texts, complain c)
    : out_(out), choice_(choice), image_(image), texts_(texts), complain_(std::move(c)) {}

std::string log::text(base::thread_number n, const base::retired_instruction& i,
                      const symbols::place& in, base::cycle_t now) {
    const knc::isa::code_mode mode = texts_.retired_mode(n);
    if (now < choice_.from || now >= choice_.to || !choice_.has(n)) return {};
    if (!choice_.functions.empty()) {
        if (in.in == nullptr || in.function == function_table::none) return {};
        const std::string& name = in.in->functions.functions()[in.function].name;
        if (std::find(choice_.functions.begin(), choice_.functions.end(), name) ==
            choice_.functions.end())
            return {};
    }
    return texts_.of(n, mode, i);
}

void log::take(const record& r) {
    if (r.clock < choice_.from || r.clock >= choice_.to || lines_ > choice_.most_lines) return;
    const bool of_thread = r.thread.core != base::no_thread.core;
    if (of_thread && !choice_.has(r.thread)) return;
    const std::string text = std::visit(
        [&](const auto& s) { return wanted(choice_, s) ? line(s) : std::string{}; }, r.what);
    if (text.empty()) return;
    if (++lines_ > choice_.most_lines) {
        complain_(fmt::format("the log ends at clock {}: it has log.lines = {}", r.clock,
                              choice_.most_lines));
        return;
    }
    out_ << fmt::format("{:>10} {:<5} {}\n", r.clock, of_thread ? thread_text(r.thread) : "-",
                        text);
}

std::string log::line(const steps::instruction& s) const {
    return fmt::format("{} {} {:>8x} {:<24} {}", s.what.level == base::user ? 'u' : 'k',
                       s.what.in_v ? 'V' : 'U', s.what.ip, place_text(s.in, s.what.ip, image_),
                       s.text);
}

std::string log::line(const steps::event& s) const {
    const base::event_entry& e = s.what;
    std::string text = fmt::format(
        "{} {}", e.why == base::event_entry::cause::exception ? "exception" : "interrupt",
        event_name(e));
    if (e.has_error_code) text += fmt::format(" error code {:#x}", e.error_code);
    if (e.why == base::event_entry::cause::exception && e.vector == page_fault_vector)
        text += fmt::format(" address {:#x}", e.fault_address);
    text += fmt::format(" at {:x} {}", e.ip, place_text(s.in, e.ip, image_));
    if (text.back() == ' ') text.pop_back();
    return text + fmt::format(" cpl {}", e.cpl);
}

std::string log::line(const steps::msr_access& s) const {
    const char* const what = s.write ? "WRMSR" : "RDMSR";
    const std::string where =
        fmt::format("{} {:#x} {}", what, s.number, msr_name(s.number, choice_.front_end));
    if (s.accepted) return fmt::format("msr {} = {:#x}", where, s.value);
    return s.write ? fmt::format("msr {} = {:#x}: #GP(0)", where, s.value)
                   : fmt::format("msr {}: #GP(0)", where);
}

std::string log::line(const steps::pmi_raise&) const {
    return "apic PMU raises its line";
}

std::string log::line(const steps::pmi_arrival& s) const {
    static constexpr const char* fates[] = {"requested", "requested already",
                                            "lost, the entry is masked or cannot be used"};
    return fmt::format("apic performance interrupt by lvt_pmc {:#x}: {}", s.lvt_entry,
                       fates[static_cast<std::size_t>(s.fate)]);
}

std::string log::line(const steps::apic_write& s) const {
    if (s.offset != apic::reg::eoi)
        return fmt::format("apic writes {} = {:#x}", register_name(s.offset), s.value);
    return s.in_service == 0 ? "apic EOI with nothing in service"
                             : fmt::format("apic EOI of {:#04x}", s.in_service);
}

std::string log::line(const steps::message_sent& s) const {
    return fmt::format("apic sends {} to {}, there in clock {}", message_name(s.message),
                       thread_text(s.to), s.arrives);
}

std::string log::line(const steps::message_received& s) const {
    const std::uint16_t from = apic::decode(s.message).source_id;
    return fmt::format("apic receives {} from {}", message_name(s.message),
                       from == apic::interrupt_message::external ? "the I/O APIC or the host"
                                                                 : fmt::format("APIC ID {}", from));
}

std::string log::line(const steps::timer_expiry& s) const {
    return fmt::format("apic timer expires, lvt_timer {:#x}", s.lvt_entry);
}

}  // namespace platform
