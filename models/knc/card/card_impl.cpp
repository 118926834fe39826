// A card as its scheduler sees it: start, reset, fast-forward, samples; its state in a checkpoint.
#include <knc/card/card_impl.h>

#include <knc/base/archive.h>

namespace knc::card {

void card::impl::transmit(char c) {
    if (control.console) control.console(c);
}

std::optional<char> card::impl::receive() {
    return control.input ? control.input() : std::nullopt;
}

void card::impl::marker(std::uint32_t number) {
    if (control.marker) control.marker(number, clock.cycle(sc_core::sc_time_stamp()));
    schedule.marked(number);
}

void card::impl::start_image() {
    const auto entry = firmware.start_image();
    if (!entry) return;
    tile& t = *tiles[config.boot_core];
    t.apic(0).reset();  // what came meanwhile was the bootstrap's
    t.cpu().boot(0, *entry);
}

core::functional_place card::impl::empty_caches(base::cycle_t now, core::functional_goal& goal) {
    if (hierarchy) {
        std::vector<coherence::line_t> held;
        for (auto& t : tiles) {
            t->l2->each_line([&](coherence::line_t l) { held.push_back(l); });
            // The L3 is inclusive, but has other lines, too.
            if (t->l3)
                t->l3->logic().logic().each_line([&](coherence::line_t l) { held.push_back(l); });
        }
        hierarchy->coherent.write_back(held);
        for (auto& t : tiles) t->empty_caches();
        hierarchy->between->reset(now);
    } else {
        for (auto& t : tiles) t->empty_caches();
    }
    const fast_forward_control& f = control.fast_forward;
    return {memory.data(), agent, goal, f.quantum, f.warm};
}

std::string card::impl::why_timed() const {
    for (const auto& t : tiles) {
        if (t->cpu().has_debugger()) return "a debugger is attached";
        if (t->l2 && !t->l2->each_line([](coherence::line_t) {}))
            return "an L2 does not know its lines";
    }
    return {};
}

void card::impl::rest() {
    if (hierarchy) hierarchy->aperture.close();
}

std::string card::impl::why_not_saved() const {
    if (foreign) return "an L2 or a network is not the card's own";
    if (accessible() || owner.system.size() != 0) return "a host is connected";
    for (const auto& t : tiles)
        if (t->cpu().has_debugger()) return "a debugger is attached";
    if (agent.pending_from() != base::never) return "an access to a device is under way";
    return {};
}

void card::impl::serialize(base::archive& a) {
    a.part("card");
    a(resets, schedule, fabric, registers, firmware);
    if (uart) a(*uart, *testdev);
    if (ports) a(*ports);
    if (hierarchy) hierarchy->between->serialize(a);
    if (monitor) a(*monitor);
    a.part("memory");
    a(memory, code);
    for (auto& t : tiles) {
        a.part(t->basename());
        a(*t);
    }
    a.part("end");
}

bool card::impl::accessible() const {
    return owner.mmio.size() != 0 || owner.aperture.size() != 0 || owner.reset.size() != 0;
}

bool card::impl::waits_for_input() const {
    return control.asleep && control.input_open() && uart &&
           uart->logic().receive_interrupt_enabled();
}

void card::impl::power_on() {
    firmware.wait_for_image(false);
    if (owner.reset.size() != 0 && owner.reset->read()) return;
    for (auto& t : tiles) t->cpu().enable_caches();
    if (boot)
        tiles[config.boot_core]->cpu().boot(0, *boot);
    else
        firmware.wait_for_image(true);
}

void card::impl::reset(base::cycle_t now) {
    ++resets;
    for (auto& t : tiles) t->reset();
    code.reset();
    if (hierarchy) {
        hierarchy->between->reset(now);
        hierarchy->aperture.reset();
    }
    agent.reset();
    fabric.reset();
    registers.reset();
    if (monitor) monitor->reset();
    if (uart) uart->reset();
    if (ports) ports->reset();
    power_on();
}

void card::impl::begin_apart(bool shared, bool messages) {
    code.run_apart();
    leaving.kept = shared;
    leaving.messages_kept = messages;
}

void card::impl::end_apart() {
    code.publish();
    leaving.messages_kept = false;
    if (!std::exchange(leaving.kept, false)) return;
    if (!leaving.any.load(std::memory_order_relaxed)) return;
    leaving.any.store(false, std::memory_order_relaxed);
    for (auto& o : outboxes) o->release();
    fabric.release();
}

void card::impl::begin_sample() {
    for (auto& t : tiles) t->begin_sample();
}

void card::impl::sample() {
    for (auto& t : tiles) t->sample();
    if (!all_sampled) return;
    if (hierarchy) hierarchy->between->sample();
    if (monitor) monitor->sample();
    devices.sample(device_parts(), schedule.now());
}

void card::impl::list_shared_signals(base::signal_list& list) const {
    const auto append = [&list](const base::signal_list& more) {
        list.insert(list.end(), more.begin(), more.end());
    };
    if (hierarchy) append(hierarchy->between->signals());
    if (monitor) append(monitor->signals("cmt"));
    devices.list_signals(device_parts(), list);
}

device_probe::parts card::impl::device_parts() const {
    return {registers,  agent,        fabric, firmware, hierarchy ? &hierarchy->aperture : nullptr,
            uart.get(), testdev.get()};
}

void card::impl::warn(const std::string& text) {
    if (control.warning) control.warning(text);
}

void card::impl::unsupported(const std::string& text) {
    schedule.stop_now(stop_reason::unsupported, text);
}

}  // namespace knc::card
