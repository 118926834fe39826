// A network of the user instead of ring, tag directories and memory controllers. It has the memory,
// and responds to each request after a fixed time. The time is longer for the lines that the third
// pass of the program reads. It supports one tile.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <systemc>

#include <knc/card/card.h>
#include <knc/coherence/annotation.h>
#include <knc/coherence/transaction_pool.h>

#include "three_passes.h"

namespace {

using knc::base::cycle_t;
using knc::coherence::line_t;
using knc::coherence::message;
using knc::coherence::message_kind;

constexpr cycle_t near = 200, far = 300;

class flat_network final : public sc_core::sc_module, public knc::card::network {
  public:
    flat_network(sc_core::sc_module_name name, const knc::card::network_place& at)
        : sc_module(name), memory_(at.memory), delay_(at.clock) {
        tile_.bind(enter_);
        sbox_.bind(enter_);
    }

    // knc::card::network
    knc::coherence::target_socket& tile(unsigned) override { return tile_; }
    knc::coherence::target_socket& sbox() override { return sbox_; }
    void reset(cycle_t now) override {
        in_flight_.clear();
        cached_.clear();
        now_ = now;
    }
    bool only_in_memory(line_t line) override {
        return cached_.count(line) == 0 &&
               std::none_of(in_flight_.begin(), in_flight_.end(),
                            [line](const auto& m) { return m.second.line == line; });
    }
    void view(knc::coherence::debug_view& v) override {
        for (const auto& [at, m] : in_flight_) v.in_flight(m);
        knc::coherence::line_data stored;
        memory_.read(v.line(), stored);
        v.memory(stored);
    }
    void debug_write(line_t line, const knc::coherence::line_data& data,
                     knc::coherence::byte_mask mask) override {
        for (auto& [at, m] : in_flight_) knc::coherence::debug_write(m, line, data.data(), mask);
        memory_.write(line, data, mask);
    }
    // knc::coherence::network_if. Its only activity is to deliver messages.
    cycle_t next_activity() const override { return next_delivery(); }
    cycle_t next_delivery() const override {
        return in_flight_.empty() ? knc::base::never : in_flight_.begin()->first;
    }
    void run(cycle_t until) override {
        while (next_delivery() < until) {
            const auto [at, m] = *in_flight_.begin();
            in_flight_.erase(in_flight_.begin());
            deliver(m, at);
        }
        now_ = std::max(now_, until);
    }
    cycle_t now() const override { return now_; }

    unsigned reads = 0, device_writes = 0;

  private:
    struct entrance final : knc::coherence::forward_end {
        explicit entrance(flat_network& n) : at(n) {}
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                           sc_core::sc_time&) override {
            const knc::coherence::packet* const k = knc::coherence::sent_packet(p, phase);
            if (k == nullptr) return tlm::TLM_COMPLETED;
            at.receive(k->content, k->cycle);
            p.set_response_status(tlm::TLM_OK_RESPONSE);
            return tlm::TLM_COMPLETED;
        }
        flat_network& at;
    };

    void receive(const message& m, cycle_t leaves) {
        switch (m.kind) {
            case message_kind::get_s:
                return answer(m, message_kind::data_e, leaves);
            case message_kind::get_m:
                return answer(m, message_kind::data_m, leaves);
            case message_kind::i_to_m:
                return answer(m, message_kind::grant, leaves);
            case message_kind::read_once:
                return answer(m, message_kind::data_once, leaves);
            case message_kind::put_dirty:
                memory_.write(m.line, m.data, knc::coherence::all_bytes);
                return answer(m, message_kind::put_ack, leaves);
            case message_kind::put_clean:
                return answer(m, message_kind::put_ack, leaves);
            case message_kind::write_once:
                memory_.write(m.line, m.data, m.mask);
                return answer(m, message_kind::write_done, leaves);
            case message_kind::done:
                return;
            default:
                // An access to a device, or the response to it.
                if (m.kind == message_kind::device_write) ++device_writes;
                in_flight_.emplace(leaves + near, m);
        }
    }
    void answer(const message& request, message_kind k, cycle_t leaves) {
        message m = request;
        m.kind = k;
        m.source = request.destination;
        m.destination = request.source;
        if (knc::coherence::properties(k).has_data) {
            ++reads;
            memory_.read(m.line, m.data);
            // The source is not a tile, because the data come from memory.
            m.source = knc::coherence::first_controller;
        }
        if (k == message_kind::put_ack)
            cached_.erase(m.line);
        else if (k != message_kind::data_once && k != message_kind::write_done)
            cached_.insert(m.line);
        in_flight_.emplace(leaves + (three_passes::is_last_pass(m.line) ? far : near), m);
    }
    void deliver(const message& m, cycle_t at) {
        tlm::tlm_generic_payload& p = pool_.take(m, at);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = delay_(at);
        knc::coherence::target_socket& to =
            m.destination == knc::coherence::first_agent ? sbox_ : tile_;
        to->nb_transport_bw(p, phase, delay);
        expect(p.is_response_ok(), "a message is taken");
        p.release();
    }

    entrance enter_{*this};
    knc::coherence::target_socket tile_{"tile"}, sbox_{"sbox"};
    knc::coherence::line_store& memory_;
    knc::coherence::annotation delay_;
    knc::coherence::transaction_pool pool_;
    std::multimap<cycle_t, message> in_flight_;  // by cycle of arrival
    std::set<line_t> cached_;
    cycle_t now_ = 0;
};

}  // namespace

int sc_main(int, char**) {
    flat_network* network = nullptr;
    knc::card::parts own;
    own.make_network = [&network](const knc::card::network_place& at) {
        auto made = std::make_unique<flat_network>("network", at);
        network = made.get();
        return made;
    };
    knc::card::card card{"card", three_passes::parameters(), knc::card::run_control{}, own};
    three_passes::host host{"host"};
    host.socket.bind(card.host);
    card.boot(three_passes::program_at, 0, 0);
    sc_core::sc_start();

    const knc::base::ledger& counts = card[0].cpu().counts();
    constexpr unsigned loads = three_passes::passes * three_passes::lines;
    host.expect_result(card, far - near);
    expect(counts.total(0, knc::base::l2_data_read_miss_mem_fill) == loads,
           "each load was served by our memory");
    expect(network->reads > loads, "code was fetched, too");
    expect(network->device_writes == 1, "the store to the exit register came through");
    return failures == 0 ? 0 : 1;
}
