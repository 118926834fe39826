// The protocol of the sockets between the L1s and the L2 of a tile.
//
// Models: the calls of levels_if.h as TLM-2.0 transactions, for L1s and an L2 that are modules. A
// call is one transaction and completes within it (TLM_COMPLETED). The forward path in phase
// BEGIN_REQ carries the requests of an L1 (l2_if). The backward path has three phases: BEGIN_RESP
// for a line or a response (fill(), read_complete(), write_complete()); SNOOP for a snoop of the L1
// (take_back(), drop(), write_owned()); RETRY when a refused request may be repeated
// (retry(), filled()).
//
// Arguments and results are in the mandatory extension `level_message`, the bytes of a line at the
// data pointer. The extension has the cycle of the call; the sc_time argument is the same cycle as
// a delay from the present SystemC time (coherence::annotation). Calls nest in both directions: for
// example, a fill can cause a write-back. Leaves out: the L2's own events in time; they use
// l2_events_if. Source: docs/hierarchy.md.
#ifndef KNC_CACHE_LEVEL_TYPES_H
#define KNC_CACHE_LEVEL_TYPES_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <tlm>

#include <knc/cache/levels_if.h>
#include <knc/coherence/annotation.h>

namespace knc::cache {

// A traits class of its own, so that a socket of the base protocol or of the network cannot be
// bound.
struct level_types {
    using tlm_payload_type = tlm::tlm_generic_payload;
    using tlm_phase_type = tlm::tlm_phase;
};

inline constexpr unsigned level_bus_width = 8 * coherence::line_bytes;
using level_initiator_socket = tlm::tlm_initiator_socket<level_bus_width, level_types>;
using level_target_socket = tlm::tlm_target_socket<level_bus_width, level_types>;
using level_forward_if = tlm::tlm_fw_transport_if<level_types>;
using level_backward_if = tlm::tlm_bw_transport_if<level_types>;

DECLARE_EXTENDED_PHASE(SNOOP);
DECLARE_EXTENDED_PHASE(RETRY);

enum class level_command : std::uint8_t {
    // forward path
    access,
    prefetch,
    i_to_m,
    under_way,
    write_back,
    read_once,
    write_once,
    evict,
    flush,
    completed,
    // backward path
    fill,
    read_complete,
    write_complete,
    take_back,
    drop,
    write_owned,
    retry,
    filled
};

// Arguments and result of a call. A command uses the members of the function with its name.
struct level_message : tlm::tlm_extension<level_message> {
    level_command command = level_command::access;
    base::cycle_t cycle = 0;
    line_t line = 0;
    unsigned thread = 0;
    l2_access access{};
    l2_prefetch prefetch{};
    line_fill fill{};
    coherence::byte_mask mask = 0;
    coherence::l1_keeps keep = coherence::l1_keeps::everything;
    bool evicted = false;

    l2_answer answer{l2_answer::kind::refused};
    i_to_m_answer i_to_m = i_to_m_answer::refused;
    requester by = requester::none;
    bool done = false;

    tlm::tlm_extension_base* clone() const override { return new level_message(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const level_message&>(other);
    }
};

// The extension of a call from the other end. If the call breaks a rule above, returns nullptr and
// sets an error response. Valid during the call.
inline level_message* message_of(tlm::tlm_generic_payload& p) {
    level_message* const m = p.get_extension<level_message>();
    p.set_response_status(m != nullptr ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
    return m;
}

// An end of the card's own: a call can be executed without the transport interface. `p` has the
// bytes.
class level_end_if {
  public:
    // Returns false if this end has no such command.
    virtual bool execute(level_message&, tlm::tlm_generic_payload& p) = 0;

  protected:
    ~level_end_if() = default;
};

// The bytes of the line in a message.
inline coherence::line_data bytes_of(const tlm::tlm_generic_payload& p) {
    coherence::line_data d;
    std::copy_n(p.get_data_ptr(), d.size(), d.begin());
    return d;
}

struct level_transaction {
    tlm::tlm_generic_payload payload;
    level_message message;

    level_transaction() {
        payload.set_data_length(coherence::line_bytes);
        payload.set_streaming_width(coherence::line_bytes);
        payload.set_extension(&message);
    }
    ~level_transaction() { payload.clear_extension(&message); }
};

// The transactions that one end of a connection sends. Calls nest, so the last one opened is closed
// first. Transactions are reused: new ones are allocated only at a new depth of nesting.
class level_transactions {
  public:
    explicit level_transactions(const base::clock& c) : annotation_(c) {}

    level_transaction& open(level_command c, line_t line, base::cycle_t now) {
        now_ = now;
        return open(c, line);
    }
    // In the cycle of the preceding call.
    level_transaction& open(level_command c, line_t line) {
        if (open_ == all_.size()) all_.push_back(std::make_unique<level_transaction>());
        level_transaction& t = *all_[open_++];
        t.message.command = c;
        t.message.line = line;
        t.message.cycle = now_;
        t.payload.set_address(line * coherence::line_bytes);
        t.payload.set_command(tlm::TLM_IGNORE_COMMAND);
        t.payload.set_data_ptr(nullptr);
        t.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        return t;
    }
    // The sc_time argument of the transaction that was opened last.
    sc_core::sc_time delay() { return annotation_(now_); }
    void close() { --open_; }

  private:
    std::vector<std::unique_ptr<level_transaction>> all_;
    std::size_t open_ = 0;
    base::cycle_t now_ = 0;
    coherence::annotation annotation_;
};

}  // namespace knc::cache

#endif
