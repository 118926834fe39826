#include <platform/listing.h>

#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>

#include <knc/apic/registers.h>
#include <knc/card/card.h>
#include <knc/card/snapshot.h>
#include <knc/isa/msr.h>
#include <knc/monitor/metric.h>
#include <knc/pmu/quality_registers.h>
#include <knc/pmu/rmids.h>
#include <knc/pmu/event_table.h>
#include <knc/pmu/knc_registers.h>
#include <knc/pmu/p55c_events.h>
#include <knc/pmu/p55c_registers.h>
#include <knc/pmu/perfmon_events.h>
#include <knc/pmu/perfmon_registers.h>
#include <knc/sbox/register_table.h>

#include <platform/input_error.h>
#include <platform/keys.h>
#include <platform/loader.h>
#include <platform/module_tree.h>
#include <platform/preset.h>
#include <platform/scenario_list.h>

namespace platform {

namespace {

namespace pmu = knc::pmu;
namespace apic = knc::apic;
namespace sbox = knc::sbox;

const char* access_name(knc::base::register_access a) {
    switch (a) {
        case knc::base::register_access::read_write:
            return "RW";
        case knc::base::register_access::read_only:
            return "RO";
        default:
            return "WO";
    }
}

void list_presets(std::ostream& out, const std::string&) {
    for (const preset& p : presets()) out << fmt::format("{:<8} {}\n", p.name, description(p));
}

void list_keys(std::ostream& out, const std::string& preset) {
    const settings s = preset_settings(preset);
    std::size_t width = 0;
    for (const key& k : keys()) width = std::max(width, k.name.size());
    out << fmt::format("{:<{}} {:<12} {:<7} {}\n", "key", width, preset, "unit",
                       "meaning (source of the default)");
    for (const key& k : keys()) {
        out << fmt::format("{:<{}} {:<12} {:<7} {}", k.name, width, value_text(k, s), k.unit,
                           k.meaning);
        if (!k.source.empty()) out << " (" << k.source << ')';
        out << '\n';
    }
}

knc::card::parameters card_of(const std::string& preset) {
    return knc::card::settled(preset_settings(preset).card);
}

pmu::front_end_kind front_end(const std::string& preset) {
    return card_of(preset).pmu.front_end;
}

bool has_perfmon(const std::string& preset) {
    return front_end(preset) == pmu::front_end_kind::perfmon;
}

const char* kind_name(pmu::event_kind k) {
    switch (k) {
        case pmu::event_kind::duration:
            return "duration";
        case pmu::event_kind::periodic:
            return "periodic";
        default:
            return "occurrence";
    }
}

void list_perfmon_events(std::ostream& out, const pmu::perfmon_parameters& p) {
    out << fmt::format("{:<28} {:<6} {:<6} {:<5} {:<11} {}\n", "event", "select", "umask", "CPUID",
                       "kind", "meaning");
    for (const pmu::perfmon_event& e : pmu::perfmon_events()) {
        if (e.needs_l3 && !p.l3) continue;
        const std::string bit = e.cpuid_bit == pmu::no_bit ? "-" : fmt::to_string(e.cpuid_bit);
        out << fmt::format("{:<28} {:#04x}   {:#04x}   {:<5} {:<11} {}\n", e.name, e.select,
                           e.umask, bit, kind_name(pmu::info(e.cell).kind), e.meaning);
    }
}

void list_p55c_events(std::ostream& out) {
    constexpr std::array counters = {"", "0", "1", "0, 1"};
    out << fmt::format("{:<72} {:<5} {:<8} {:<11} {}\n", "event", "code", "counters", "kind",
                       "meaning");
    for (const pmu::p55c_event& e : pmu::p55c_events()) {
        const bool manual = (e.counters & pmu::of_manual) != 0;
        out << fmt::format("{:<72} {:#04x}  {:<8} {:<11} {}{}\n", e.name, e.code,
                           counters[e.counters & 3], kind_name(e.kind), e.meaning,
                           manual ? " (p55c.manual_events)" : "");
    }
}

void list_events(std::ostream& out, const std::string& preset) {
    if (has_perfmon(preset)) {
        list_perfmon_events(out, card_of(preset).pmu.perfmon);
        return;
    }
    if (front_end(preset) == pmu::front_end_kind::p55c) {
        list_p55c_events(out);
        return;
    }
    constexpr std::array units = {"P54C", "CRI", "VPU"};
    out << fmt::format("{:<32} {:<6} {:<6} {:<5} {:<7} {:<11} {}\n", "event", "select", "umask",
                       "unit", "scope", "kind", "meaning");
    for (std::size_t i = 0; i < knc::base::event_count; ++i) {
        const pmu::event_info& e = pmu::info(static_cast<knc::base::event>(i));
        out << fmt::format("{:<32} {:#04x}   {:#04x}   {:<5} {:<7} {:<11} {}\n", e.name, e.select,
                           e.umask, units[static_cast<std::size_t>(e.unit)],
                           e.scope == pmu::event_scope::thread ? "thread" : "core",
                           kind_name(e.kind), e.meaning);
    }
}

std::string limit_text(const knc::monitor::metric& m) {
    const auto& l = m.limit;
    if (l.beyond == knc::monitor::metric_limit::side::none) return {};
    std::string text = l.beyond == knc::monitor::metric_limit::side::above ? "above " : "below ";
    if (m.of_threads && l.thread != l.core)
        text += fmt::format("{} (a core: {})", l.thread, l.core);
    else
        text += fmt::format("{}", l.core);
    return l.times.empty() ? text : fmt::format("{} {}", text, l.times);
}

std::string in_units(const knc::monitor::metric& m, const std::string& formula) {
    const std::string whole = m.numerator.terms().size() == 1 || m.denominator_text != "1"
                                  ? formula
                                  : "(" + formula + ")";
    switch (m.style) {
        case knc::monitor::metric_style::percent:
            return "100 * " + whole;
        case knc::monitor::metric_style::gigabytes:
            return "64e-9 * " + whole;
        case knc::monitor::metric_style::megabytes:
            return "64e-6 * " + whole;
        case knc::monitor::metric_style::rate:
            return "64e-9 * " + whole + " / seconds";
        default:
            return formula;
    }
}

void list_metrics(std::ostream& out, const std::string& preset) {
    knc::monitor::platform_shape shape;
    knc::card::parameters card = card_of(preset);
    shape.events = knc::card::counted_events(card);
    shape.l3_lines = knc::card::monitored_lines(card);
    card.cmt.bandwidth = true;  // these metrics say that they need it
    shape.bandwidth_ids = knc::card::bandwidth_ids(card);
    shape.registers = card.pmu.front_end;
    shape.bus = card.on_bus();
    for (const knc::monitor::metric* const entry : knc::monitor::metrics_of(shape)) {
        const knc::monitor::metric& m = *entry;
        const auto part = [](std::string_view text, const knc::monitor::formula& f) {
            return f.terms().size() == 1 ? std::string{text} : fmt::format("({})", text);
        };
        std::string formula{m.numerator_text};
        if (m.denominator_text != "1")
            formula = part(m.numerator_text, m.numerator) + " / " +
                      part(m.denominator_text, m.denominator);
        if (m.divisor != 1) formula += fmt::format(" / {}", m.divisor);
        formula = in_units(m, formula);
        out << fmt::format("{:<11} {}\n{:<11} = {}\n", m.name, m.meaning, "", formula);
        const std::string limit = limit_text(m);
        if (!limit.empty()) out << fmt::format("{:<11} ! {}\n", "", limit);
    }
}

void list_perfmon_registers(std::ostream& out, const pmu::perfmon_parameters& p) {
    for (const pmu::perfmon_register& r : pmu::perfmon_registers()) {
        if (!r.exists(p)) continue;
        const std::string name =
            r.count > 1 ? fmt::format("{}0..{}", r.name, r.count - 1) : std::string{r.name};
        out << fmt::format(
            "  {:#05x}  {:<28} {:>2} bits  {}  reset {:#06x}  writable {:#018x}  {}\n", r.address,
            name, r.width, access_name(r.access), r.reset(p, 0), r.bits(p), r.meaning);
    }
}

void list_monitoring_registers(std::ostream& out, const pmu::cmt_parameters& p) {
    struct {
        std::uint32_t address;
        const char *name, *access;
        std::uint64_t writable;
        const char* meaning;
    } const rows[] = {
        {pmu::rmids::pqr_assoc, "IA32_PQR_ASSOC", "RW", (1u << pmu::rmid_bits(p.rmids)) - 1,
         "monitoring ID of the thread"},
        {pmu::quality_registers::evtsel, "IA32_QM_EVTSEL", "RW",
         pmu::quality_registers::select_bits(p.rmids), "event and monitoring ID that are read"},
        {pmu::quality_registers::ctr, "IA32_QM_CTR", "RO", 0, "its data"},
    };
    out << "cache monitoring: MSRs; the last two are one for all threads, or for each\n";
    for (const auto& r : rows)
        out << fmt::format("  {:#05x}  {:<28} {}  writable {:#018x}  {}\n", r.address, r.name,
                           r.access, r.writable, r.meaning);
}

template <class row>
void list_rows(std::ostream& out, const knc::base::register_table<row>& table) {
    for (const row& r : table) {
        out << fmt::format("  {:#04x}  {:<28} {:>2} bits  {}  {}\n", r.address, r.name, r.width,
                           access_name(r.access), r.meaning);
    }
}

void list_registers(std::ostream& out, const std::string& preset) {
    const knc::card::parameters card = card_of(preset);
    const pmu::front_end_kind kind = card.pmu.front_end;
    const bool perfmon = kind == pmu::front_end_kind::perfmon;
    out << "PMU: MSRs of each thread (the time-stamp counter: of each core)\n";
    if (perfmon) list_perfmon_registers(out, card.pmu.perfmon);
    if (kind == pmu::front_end_kind::knc) list_rows(out, pmu::knc_registers());
    if (kind == pmu::front_end_kind::p55c) list_rows(out, pmu::p55c_registers());
    if (card.monitored()) list_monitoring_registers(out, knc::card::monitoring_of(card));
    out << "MSRs of each thread\n";
    for (const knc::isa::msr_row& m : knc::isa::msrs())
        if ((!perfmon || !m.of_perfmon) && knc::isa::exists(m, card.profile))
            out << fmt::format(
                "  {:#010x}  {:<22} {}  reset {:#018x}  writable {:#018x}  {} ({})\n", m.address,
                m.name, access_name(m.access), m.reset(), m.writable, m.meaning, m.source);
    out << "local APIC: 32-bit registers of each thread, offset in the page at 0xFEE00000\n";
    for (const apic::register_row& r : apic::registers()) {
        std::string name{r.name};
        if (r.count > 1) name += fmt::format("[{}]", r.count);
        out << fmt::format("  {:#05x}  {:<28} {}  reset {:#010x}  writable {:#010x}\n", r.address,
                           name, access_name(r.access), r.reset(), r.writable);
    }
    out << fmt::format(
        "DBOX and SBOX: 32-bit registers of the card, offset from {:#x}; reset of a 3120A\n",
        sbox::block_address);
    for (const sbox::register_row& r : sbox::register_table()) {
        std::string name{r.name};
        if (r.count > 1) name += fmt::format("[{}]", r.count);
        out << fmt::format("  {:#07x}  {:<28} reset {:#010x}  writable {:#010x}  {}\n", r.address,
                           name, r.reset(sbox::identity{}, 0), r.writable, r.meaning);
    }
}

void list_signals(std::ostream& out, const std::string& preset) {
    const knc::card::card card{"card", card_of(preset), {}};
    for (const knc::base::signal& s : card.signals())
        out << fmt::format("{:<44} {:>2}  {}\n", s.name, s.width, s.meaning);
}

void list_modules(std::ostream& out, const std::string& preset) {
    knc::card::card card{"card", card_of(preset), {}};
    host_access host{"host"};
    host.socket.bind(card.host);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    write_module_tree(card, out);
}

void list_own_scenarios(std::ostream& out, const std::string&) {
    list_scenarios(out, scenario_directory());
}

struct table {
    std::string_view name;
    void (*write)(std::ostream&, const std::string& preset);
};
constexpr std::array tables = {
    table{"presets", list_presets},     table{"keys", list_keys},
    table{"events", list_events},       table{"metrics", list_metrics},
    table{"registers", list_registers}, table{"signals", list_signals},
    table{"modules", list_modules},     table{"scenarios", list_own_scenarios}};

}  // namespace

const char* const listings =
    "presets, keys, events, metrics, registers, signals, modules, scenarios";

void list(const std::string& what, const std::string& preset, std::ostream& out) {
    const auto found =
        std::find_if(tables.begin(), tables.end(), [&](const table& t) { return t.name == what; });
    if (found == tables.end())
        throw input_error(fmt::format("no list '{}' (there are {})", what, listings));
    found->write(out, preset);
}

}  // namespace platform
