// What the register front ends of a card have in common.
//
// Models: a table of registers, most of them banked per thread; the acceptance of an access by that
// table (existence, direction, reserved bits, values); counters that each thread has the same of;
// the time-stamp counter of the core; the usual behaviours of registers. Leaves out: what the bits
// mean, RDPMC, status and interrupts (the front end of each PMU). Source: docs/pmu.md.
#ifndef KNC_PMU_BANKED_FRONT_END_H
#define KNC_PMU_BANKED_FRONT_END_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <knc/base/event.h>
#include <knc/base/register_table.h>
#include <knc/pmu/front_end.h>
#include <knc/pmu/parameters.h>

namespace knc::pmu {

// `front`: the front end, derived from this class. `row`: of its register table, a register_row
// whose device is `front`. `bank`: the registers of one thread, constructed as they are after
// reset.
template <typename front, typename row, typename bank>
class banked_front_end : public card_front_end {
  public:
    using front_end_if::rdpmc;
    using front_end_if::read;
    using front_end_if::write;
    std::vector<counter_shape> counters() const final {
        std::vector<counter_shape> shapes;
        for (std::uint8_t t = 0; t < threads_; ++t)
            shapes.insert(shapes.end(), per_thread_, {t, width_});
        return shapes;
    }
    void connect(counter_bank& c, pmi_listener_if& l) final {
        counters_ = &c;
        listener_ = &l;
    }
    bool read(std::size_t thread, std::uint32_t msr, std::uint64_t& value, acceptance& a) final {
        place p = find(thread, msr);
        if (!p || p.row->access == base::register_access::write_only) return false;
        a.accepted();
        p.now = counters_->settled();
        value = p.row->does.read(static_cast<const front&>(*this), p);
        return true;
    }
    bool write(std::size_t thread, std::uint32_t msr, std::uint64_t value, acceptance& a) final {
        place p = find(thread, msr);
        if (!p || p.row->access == base::register_access::read_only) return false;
        const std::uint64_t bits = writable(static_cast<const row&>(*p.row));
        if ((value & ~bits) != 0 && parameters_.reserved_bits == reserved_bits::gp) return false;
        value &= bits;
        auto& self = static_cast<front&>(*this);
        if (p.row->does.accepts != nullptr && !p.row->does.accepts(self, value)) return false;
        a.accepted();
        p.now = counters_->settled();
        changes(thread);
        p.row->does.write(self, p, value);
        changed(thread);
        return true;
    }
    std::uint64_t tsc(base::cycle_t now) const override { return now - epoch_; }
    void reset() override {
        counters_->reset();
        banks_ = {};
        epoch_ = counters_->settled();
    }

    std::uint64_t overflows(std::size_t thread, std::size_t n) const final {
        return counters_->overflows(counter(thread, n));
    }
    std::vector<counted> history(std::size_t thread, std::size_t n) const final {
        return counters_->history(counter(thread, n));
    }

  protected:
    using place = typename row::place;

    // `threads` of the core have `per_thread` counters of `width` bits each; a bank of a thread
    // beyond them is not used.
    banked_front_end(const parameters& p, std::size_t threads, std::size_t per_thread,
                     unsigned width)
        : parameters_(p),
          threads_(threads),
          per_thread_(per_thread),
          width_(static_cast<std::uint8_t>(width)) {}

    virtual const base::register_table<row>& registers() const = 0;
    // Whether the register exists with these parameters, and which of its bits.
    virtual bool exists(const row&) const { return true; }
    virtual std::uint64_t writable(const row& r) const { return r.writable; }
    // A register of `thread` is about to be written, and was written.
    virtual void changes([[maybe_unused]] std::size_t thread) {}
    virtual void changed(std::size_t thread) = 0;

    // counter_listener
    void model_error(const std::string& text) override { listener_->model_error(text); }

    // Of counter `n` of the thread, in the counter bank.
    std::size_t counter(std::size_t thread, std::size_t n) const {
        return thread * per_thread_ + n;
    }
    std::size_t thread_of(std::size_t counter) const { return counter / per_thread_; }
    std::size_t number_of(std::size_t counter) const { return counter % per_thread_; }
    // The counters of a thread, for reports.
    thread_state counts(std::size_t thread) const {
        thread_state s;
        for (std::size_t n = 0; n < per_thread_; ++n) {
            s.counter.push_back(counters_->value(counter(thread, n)));
            s.overflows.push_back(overflows(thread, n));
        }
        return s;
    }

    // The effects of register accesses. A write changes the bank of its thread; changed() then
    // updates counters and lines from the bank.
    struct common_behaviour {
        using device = front;
        using place = typename row::place;
        using behaviour = typename row::behaviour;

        static std::uint64_t read_tsc(const front& d, const place& p) { return d.tsc(p.now); }
        static void write_tsc(front& d, const place& p, std::uint64_t v) { d.epoch_ = p.now - v; }

        // Counter `first` of the thread, and as many more as the row has registers.
        template <std::size_t first>
        static std::uint64_t read_counter(const front& d, const place& p) {
            return d.counters_->value(d.counter(p.thread, first + p.index));
        }
        template <std::size_t first>
        static void write_counter(front& d, const place& p, std::uint64_t v) {
            d.counters_->set_value(d.counter(p.thread, first + p.index), v);
        }

        template <std::size_t first>
        static std::uint64_t read_select(const front& d, const place& p) {
            return d.banks_[p.thread].evtsel[first + p.index];
        }
        template <std::size_t first>
        static void write_select(front& d, const place& p, std::uint64_t v) {
            d.banks_[p.thread].evtsel[first + p.index] = v;
        }

        template <std::uint64_t bank::*member>
        static std::uint64_t read_bank(const front& d, const place& p) {
            return d.banks_[p.thread].*member;
        }
        template <std::uint64_t bank::*member>
        static void write_bank(front& d, const place& p, std::uint64_t v) {
            d.banks_[p.thread].*member = v;
        }

        static void clear_status(front& d, const place& p, std::uint64_t v) {
            d.banks_[p.thread].status &= ~v;
        }

        static constexpr behaviour time_stamp{read_tsc, write_tsc};
        template <std::size_t first>
        static constexpr behaviour count{read_counter<first>, write_counter<first>};
        template <std::size_t first>
        static constexpr behaviour select{read_select<first>, write_select<first>};
        template <std::uint64_t bank::*member>
        static constexpr behaviour kept{read_bank<member>, write_bank<member>};
        template <std::uint64_t bank::*member>
        static constexpr behaviour shown_only{read_bank<member>};
    };

    const parameters parameters_;
    counter_bank* counters_ = nullptr;
    pmi_listener_if* listener_ = nullptr;
    std::array<bank, base::threads_per_core> banks_;
    // The cycle in which the time-stamp counter is 0; it may lie before the start.
    base::cycle_t epoch_ = 0;

  private:
    place find(std::size_t thread, std::uint32_t msr) const {
        place p = registers().find(msr);
        if (!p || !exists(static_cast<const row&>(*p.row))) return {};
        p.thread = static_cast<std::uint8_t>(thread);
        return p;
    }

    const std::size_t threads_, per_thread_;
    const std::uint8_t width_;
};

}  // namespace knc::pmu

#endif
