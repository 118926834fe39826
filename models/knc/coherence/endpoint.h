// The common base of the modules that send and receive coherence messages: caches, directory
// slices, memory controllers, agents without a cache.
//
// Models: an initiator socket towards the network, with the transactions that its owner sends.
// Leaves out: flow control; a receiver accepts every message. Source: docs/integration.md.
#ifndef KNC_COHERENCE_ENDPOINT_H
#define KNC_COHERENCE_ENDPOINT_H

#include <string>

#include <knc/coherence/annotation.h>
#include <knc/coherence/port.h>
#include <knc/coherence/transaction_pool.h>
#include <knc/coherence/types.h>

namespace knc::coherence {

// The error that the network has refused the message.
std::string refusal(const message&);

class endpoint final : public initiator_socket, public timed_port {
  public:
    class owner : public direct_end_if {
      public:
        // A message arrives in this cycle. The receiver may send its response inside the call.
        virtual void receive(const message&, base::cycle_t) = 0;
        // The network rejected a message, and the message is lost: an error of the model.
        virtual void protocol_error(const std::string&) = 0;
        // direct_end_if
        bool pass(tlm::tlm_generic_payload&, packet& k) override {
            receive(k.content, k.cycle);
            return true;
        }

      protected:
        ~owner() = default;
    };

    endpoint(const char* name, const base::clock&, owner&);

    // From now on, it takes its transactions from `p`, which outlives them. Endpoints that never
    // send at the same time may share one: the host's cache then has what another one has used.
    void share(transaction_pool& p) { pool_ = &p; }

    // timed_port
    void send(const message&, base::cycle_t leaves) override;
    void protocol_error(const std::string& text) override { owner_.protocol_error(text); }

  private:
    void start_of_simulation() override;
    bool transport(tlm::tlm_generic_payload&, base::cycle_t leaves);

    struct receiving_end final : backward_end, direct_end_if {
        explicit receiving_end(owner& o) : owner_(o) {}
        tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                           sc_core::sc_time&) override;
        bool pass(tlm::tlm_generic_payload& p, packet& k) override { return owner_.pass(p, k); }
        direct_end_if* last_end(receiver_kind) override { return &owner_; }
        owner& owner_;
    };

    owner& owner_;
    receiving_end receiving_end_;
    direct_end_if* direct_ = nullptr;  // the last of the other ends
    annotation annotation_;
    transaction_pool own_pool_;
    transaction_pool* pool_ = &own_pool_;
};

}  // namespace knc::coherence

#endif
