// A card as its user sees it.
#include <knc/card/card.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <knc/card/card_impl.h>
#include <knc/card/waits.h>

namespace knc::card {

card::card(sc_core::sc_module_name name, const parameters& p, run_control control, const parts& own)
    : sc_module(name), impl_(std::make_unique<impl>(*this, p, std::move(control), own)) {
    host.register_b_transport(this, &card::host_transport);
    host.register_transport_dbg(this, &card::host_debug);
    mmio.register_b_transport(this, &card::mmio_transport);
    mmio.register_transport_dbg(this, &card::mmio_debug);
    aperture.register_b_transport(this, &card::aperture_transport);
    aperture.register_transport_dbg(this, &card::host_debug);
}

card::~card() = default;

const parameters& card::config() const {
    return impl_->config;
}
std::size_t card::tiles() const {
    return impl_->tiles.size();
}
tile& card::operator[](std::size_t i) {
    return *impl_->tiles[i];
}
const tile& card::operator[](std::size_t i) const {
    return *impl_->tiles[i];
}

void card::boot(std::uint32_t eip, std::uint32_t eax, std::uint32_t ebx) {
    boot({eip, eax, ebx});
}
void card::boot(const isa::entry_point& e) {
    impl_->boot = e;
}

void card::input_ready() {
    if (impl_->uart) impl_->uart->input_ready();
}
base::cycle_t card::set_deadline(base::cycle_t at) {
    return impl_->schedule.set_deadline(at);
}
void card::request_attention(base::cycle_t at) {
    impl_->schedule.request_attention(at);
}

void card::request_observation(base::cycle_t at) {
    impl_->schedule.request_observation(at);
}

void card::set_trace_window(base::cycle_t from, base::cycle_t to) {
    impl_->schedule.set_trace_window(from, to);
}

bool card::sample_only(const base::signal_list& wanted) {
    std::set<const std::uint64_t*> values;
    for (const base::signal& s : wanted) values.insert(s.value);
    bool tiles_only = true;
    for (auto& t : impl_->tiles) tiles_only = t->sample_only(values) && tiles_only;
    base::signal_list others;
    impl_->list_shared_signals(others);
    impl_->all_sampled =
        !tiles_only || std::any_of(others.begin(), others.end(), [&](const base::signal& s) {
            return values.count(s.value) != 0;
        });
    impl_->watch_network(impl_->all_sampled);
    return std::any_of(impl_->tiles.begin(), impl_->tiles.end(),
                       [](const auto& t) { return t->records_cycles(); });
}

void card::watch_overflows(std::function<bool(base::cycle_t)> f) {
    impl_->schedule.watch_overflows(std::move(f));
}

network_counts card::carried() const {
    return impl_->hierarchy ? impl_->hierarchy->between->counts() : network_counts{};
}

ring_counts card::ring() const {
    return impl_->hierarchy ? impl_->hierarchy->between->ring() : ring_counts{};
}

bool card::read_msr(std::size_t thread, std::uint32_t number, std::uint64_t& value) {
    if (impl_->monitor && impl_->monitor->read(thread, number, impl_->schedule.now(), value))
        return true;
    return (*this)[thread / tile::threads].cpu().read_msr(thread % tile::threads, number, value);
}

bool card::write_msr(std::size_t thread, std::uint32_t number, std::uint64_t value) {
    if (impl_->monitor && impl_->monitor->write(thread, number, impl_->schedule.now(), value))
        return true;
    return (*this)[thread / tile::threads].cpu().write_msr(thread % tile::threads, number, value);
}

void card::stop(const std::string& detail) {
    impl_->schedule.stop_now(stop_reason::user, detail);
}

const std::vector<fast_forward_record>& card::fast_forwards() const {
    return impl_->schedule.fast_forwards();
}
std::string card::why_not_saved() const {
    return impl_->why_not_saved();
}
void card::serialize(base::archive& a) {
    impl_->serialize(a);
}

const cmt* card::cache_monitor() const {
    return impl_->monitor.get();
}

const outcome& card::result() const {
    return impl_->schedule.result();
}
std::uint64_t card::resets() const {
    return impl_->resets;
}
base::cycle_t card::now() const {
    return impl_->schedule.now();
}

std::uint64_t card::instructions() const {
    std::uint64_t n = 0;
    for (const auto& t : impl_->tiles) n += t->cpu().instructions();
    return n;
}

void card::dump(std::ostream& out, core::code_names_if* names) const {
    write_conclusion(out, impl_->tiles, names);
    for (const auto& t : impl_->tiles) t->cpu().dump(out, names);
    if (impl_->hierarchy) write_misses(out, impl_->tiles, impl_->hierarchy->hash);
    write_messages(out, impl_->fabric, impl_->schedule.now());
}

void card::keep_profile(core::code_finder_if& f) {
    impl_->code.attach(f);
    for (const auto& t : impl_->tiles) t->cpu().keep_profile(f);
}

void card::attach(base::recorder_if& r, bool instructions) {
    impl_->fabric.attach(r);
    for (const auto& t : impl_->tiles) t->attach(r, instructions);
}

base::signal_list card::signals() const {
    base::signal_list list;
    for (std::size_t i = 0; i < impl_->tiles.size(); ++i)
        impl_->tiles[i]->list_signals(fmt::format("tile{}", i), list);
    impl_->list_shared_signals(list);
    if (impl_->all_sampled) impl_->watch_network(true);
    return list;
}

void card::watch_line(std::uint64_t paddr) {
    for (const auto& t : impl_->tiles) t->watch_line(paddr / coherence::line_bytes);
}

void card::name_functions(core::function_numbers_if& f) {
    for (const auto& t : impl_->tiles) t->cpu().name_functions(f);
}

// Each edge resets the card; after the falling edge the boot thread starts.
void card::end_of_elaboration() {
    if (reset.size() == 0) return;
    SC_HAS_PROCESS(card);
    SC_METHOD(reset_changed);
    sensitive << reset->value_changed_event();
    dont_initialize();
}
void card::reset_changed() {
    impl_->schedule.request_reset();
}

}  // namespace knc::card
