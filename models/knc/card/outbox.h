// What leaves a tile while tiles run on several host threads, kept until all of them have run.
//
// Models no hardware. The ring, the interrupt fabric and whoever reads warnings belong to the host
// thread that runs the SystemC kernel. So another thread keeps what its tile has for them, and that
// thread passes it on, tile by tile in the order of their numbers, as if the tiles had run one
// after the other. Nothing can come of it before, because no message arrives in the cycles that the
// tiles run apart (scheduler.h). Source: docs/host_threads.md.
#ifndef KNC_CARD_OUTBOX_H
#define KNC_CARD_OUTBOX_H

#include <cstdint>
#include <string>
#include <vector>

#include <knc/card/departures.h>
#include <knc/coherence/network_if.h>
#include <knc/core/ports.h>
#include <knc/ring/stop.h>

namespace knc::card {

class outbox final : public core::diagnostics_if, public coherence::error_if, ring::stop::keeper {
  public:
    outbox(departures& d, core::diagnostics_if& log, coherence::error_if& errors)
        : all_(d), log_(log), errors_(errors) {}
    // Messages at this stop leave by the outbox. Called once.
    void connect(ring::stop&);

    // Passes on what it has kept, in its order.
    void release();

    // core::diagnostics_if
    void warn(const std::string& text) override;
    void model_error(const std::string& text) override;
    void unsupported(const std::string& text) override;
    // coherence::error_if
    void protocol_error(const std::string& text) override;

  private:
    struct sent {
        tlm::tlm_generic_payload* payload;  // acquired
        tlm::tlm_phase phase;
        sc_core::sc_time delay;
    };
    enum class remark : std::uint8_t { warning, model_error, unsupported, protocol_error };
    struct said {
        remark what;
        std::string text;
    };

    // ring::stop::keeper
    void keep(tlm::tlm_generic_payload&, const tlm::tlm_phase&, const sc_core::sc_time&) override;
    void send(sent&);
    void say(remark, const std::string&);
    void pass_on(remark, const std::string&);

    departures& all_;
    core::diagnostics_if& log_;
    coherence::error_if& errors_;
    ring::stop* stop_ = nullptr;
    std::vector<sent> messages_;
    std::vector<said> remarks_;
};

}  // namespace knc::card

#endif
