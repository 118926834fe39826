// The protocol of the sockets between the L1s and the L2 of a tile.
//
// Models: the calls of levels_if.h as TLM-2.0 transactions, for L1s and an L2 that are modules. A
// message is one transaction and ends within the call (TLM_COMPLETED):
//   forward path, BEGIN_REQ   what an L1 asks: l2_if;
//   backward path, BEGIN_RESP a line or an answer comes: fill(), read_complete(), write_complete();
//   backward path, SNOOP      the L2 takes a line back: take_back(), drop(), write_claimed();
//   backward path, CREDIT     what was refused may be asked for again: room_made(), filled().
// Answers are in the mandatory extension `level_message`, bytes of a line are where the data
// pointer says. The extension has the cycle of the call; the sc_time argument says the same as a
// delay from SystemC's present (coherence::annotation). Calls nest: to be filled may make an L1
// write a line back. Leaves out: how the L2 lets time pass; that is l2_events_if.
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

// A traits class of its own: sockets of the base protocol, or of the network, cannot be bound.
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
DECLARE_EXTENDED_PHASE(CREDIT);

enum class level_command : std::uint8_t {
    // forward
    access,
    prefetch,
    claim,
    under_way,
    write_back,
    read_once,
    write_once,
    evict,
    flush,
    completed,
    // backward
    fill,
    read_complete,
    write_complete,
    take_back,
    drop,
    write_claimed,
    room_made,
    filled
};

// Arguments and answer of a call; each command uses those of the function of its name.
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
    claim_answer claimed = claim_answer::refused;
    requester by = requester::none;
    bool done = false;

    tlm::tlm_extension_base* clone() const override { return new level_message(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const level_message&>(other);
    }
};

// The extension of a call of the other end, if it is as the rules above say; else nullptr, with an
// error response. Valid during the call.
inline level_message* message_of(tlm::tlm_generic_payload& p) {
    level_message* const m = p.get_extension<level_message>();
    p.set_response_status(m != nullptr ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
    return m;
}

// The bytes of the line that a message carries.
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

// The transactions that one end of a connection sends. Calls nest, so the one opened last is closed
// first; each is used again, and none is allocated once calls have nested as deep as they do.
class level_transactions {
  public:
    explicit level_transactions(const base::clock& c) : annotation_(c) {}

    level_transaction& open(level_command c, line_t line, base::cycle_t now) {
        now_ = now;
        return open(c, line);
    }
    // For the cycle of the call before.
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
    // The time of the transaction opened last.
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
