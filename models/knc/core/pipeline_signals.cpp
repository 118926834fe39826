#include <knc/core/pipeline_signals.h>

#include <algorithm>
#include <utility>

namespace knc::core {

namespace {

enum class wait : std::uint8_t { none, memory, device, walk, delay, pipeline };
const base::value_names waits{"waits_for",
                              {"-", "memory", "device", "page walk", "DELAY", "pipeline"}};

wait wait_of(const thread& t, const rooms& r, base::cycle_t walks_until) {
    const unsigned n = t.index();
    if (t.state != run_state::running || r.accounting.doing(n) != occupancy::waiting)
        return wait::none;
    if (t.devices.waiting()) return wait::device;
    if (t.lines.waits(r.time.now())) return wait::memory;
    if (r.time.now() < walks_until) return wait::walk;
    return r.accounting.delayed(n) ? wait::delay : wait::pipeline;
}

}  // namespace

void pipeline_signals::list_signals(const std::string& prefix, base::signal_list& list) const {
    rooms_.events.issued().list_signals(prefix, list);
}

void pipeline_signals::list_function(std::size_t t, const std::string& prefix,
                                     base::signal_list& list) const {
    list.push_back({prefix + "function", 32, &of_[t].function,
                    "function of pc, a number of the run; 0: unknown", base::signal_form::number});
}

void pipeline_signals::list_waits(std::size_t t, const std::string& prefix,
                                  base::signal_list& list) const {
    list.push_back({prefix + "waits_for", 3, &of_[t].waits_for, "what the thread waits for",
                    base::signal_form::pattern, &waits});
    list.push_back({prefix + "fetch_block", 64, &of_[t].fetch_block,
                    "address of the block in the prefetch buffer; 0: it is empty"});
}

void pipeline_signals::begin() {
    rooms_.events.issued().begin(reason());
    selected_ = rooms_.picking.selected();
    selects_ = rooms_.picking.next_issue() <= rooms_.time.now();
    for (const auto& t : rooms_.threads) t->observed |= thread::observe_signals;
}

// Why no thread will issue in this cycle, unless an event wakes one.
stall pipeline_signals::reason() const {
    bool microcode = false, running = false, waiting = true;
    for (const auto& t : rooms_.threads) {
        if (t->state != run_state::running) continue;
        const occupancy o = rooms_.accounting.doing(t->index());
        running = true;
        microcode = microcode || o == occupancy::microcode;
        waiting = waiting && o == occupancy::waiting;
    }
    if (!running) return stall::asleep;
    if (rooms_.picking.stage_held_until() > rooms_.time.now())
        return microcode ? stall::microcode : stall::execution;
    return waiting ? stall::waiting : stall::decoder;
}

// The cycles of an instruction's walks follow its issue. An instruction that has to wait for memory
// walks when it is first tried, and issues later.
void pipeline_signals::follow_walks(const thread& t) {
    values& v = of_[t.index()];
    const cycle_accounting::walk& w = rooms_.accounting.walks(t.index());
    if (rooms_.accounting.extra_stall(t.index()) != 0) {
        v.walk_due = w.cycles;
        v.walks_until = 0;
    } else if (v.walk_due != 0) {
        v.walks_until = rooms_.accounting.waits_from(t.index()) + std::exchange(v.walk_due, 0);
    } else {
        v.walks_until = std::max(v.walks_until, w.until);
    }
}

void pipeline_signals::sample() {
    // A thread was selected, and has lost the slot.
    const unsigned selected = rooms_.picking.selected();
    if ((selects_ || selected != selected_) && !rooms_.events.issued().slot_taken()) {
        const thread& t = *rooms_.threads[selected];
        rooms_.events.issued().in_u(t, t.context.s.r[isa::rip], issue_probe::kind::lost);
    }
    rooms_.events.issued().sample();
    for (const auto& p : rooms_.threads) {
        thread& t = *p;
        values& v = of_[t.index()];
        t.observed &= static_cast<std::uint8_t>(~thread::observe_signals);
        follow_walks(t);
        v.waits_for = static_cast<std::uint64_t>(wait_of(t, rooms_, v.walks_until));
        v.fetch_block = t.code.block() == code_window::none ? 0 : t.code.block();
        if (functions_ == nullptr) continue;
        const std::uint64_t pc = t.context.s.r[isa::rip];
        if (pc == v.pc && t.context.s.cr3 == v.cr3) continue;
        v.pc = pc;
        v.cr3 = t.context.s.cr3;
        std::uint64_t paddr = 0;
        v.function = t.state == run_state::wait_for_sipi ||
                             !t.context.probe(t.context.linear(isa::cs, pc), paddr)
                         ? 0
                         : functions_->number({t.context, privilege_of(t.context), pc, paddr});
    }
}

}  // namespace knc::core
