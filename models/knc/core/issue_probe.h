// What the pipelines U and V issue in a cycle, for a waveform.
//
// Models: the instructions that issue in a cycle that is watched, or what takes the slot instead.
// Nothing is recorded while thread::observe_signals is clear. Leaves out: what an instruction does
// after its issue. Source: docs/waveforms.md.
#ifndef KNC_CORE_ISSUE_PROBE_H
#define KNC_CORE_ISSUE_PROBE_H

#include <cstdint>

#include <knc/base/signal.h>
#include <knc/core/thread.h>
#include <knc/isa/insn.h>

namespace knc::core {

// Why no instruction issues.
enum class stall : std::uint8_t { none, execution, microcode, waiting, decoder, asleep };

class issue_probe {
  public:
    // What takes the issue slot.
    enum class kind : std::uint8_t {
        none,
        integer,
        load,
        store,
        load_store,
        branch,
        x87,
        vector,
        vector_load,
        vector_store,
        microcode,
        at_completion,
        event,    // event entry
        blocked,  // an attempt that waits for memory or a device
        fault,    // an attempt that ends with a fault
        lost      // an interlock, a walk for code, or code that has not arrived
    };

    // A new cycle begins, in which nothing has issued; `s`: why nothing will, if nothing does.
    void begin(stall s) {
        issued_ = {};
        stall_ = s;
    }
    // In U: `i` at `ip` issues in this cycle, or something else takes the slot. nullptr: the
    // decoded instruction is lost, because it has written into its own page of code.
    void in_u(const thread& t, std::uint64_t ip, const isa::insn* i) { in_u(t, ip, kind_of(i)); }
    void in_u(const thread& t, std::uint64_t ip, kind k);
    bool slot_taken() const { return issued_.u != kind::none; }
    // The partner in V.
    void in_v(std::uint64_t ip, const isa::insn* i);

    static kind kind_of(const isa::insn*);

    // Named `prefix` + "u.kind" and so on.
    void list_signals(const std::string& prefix, base::signal_list&) const;
    // Copies what has issued since begin().
    void sample();

  private:
    struct slots {
        std::uint64_t thread = 0, pc = 0, v_pc = 0;
        kind u = kind::none, v = kind::none;
    };
    slots issued_;
    stall stall_ = stall::none;

    struct {
        std::uint64_t thread = 0, u_pc = 0, u_kind = 0, v_pc = 0, v_kind = 0, stall = 0;
    } sampled_;
};

}  // namespace knc::core

#endif
