// A card with an image in its memory, ready to be simulated.
#ifndef KNC_PLATFORM_MACHINE_H
#define KNC_PLATFORM_MACHINE_H

#include <string>

#include <knc/card/card.h>

#include <platform/image.h>
#include <platform/loader.h>
#include <platform/settings.h>

namespace platform {

// What the card's run control takes from the configuration.
knc::card::run_control run_control_of(const settings&);

class machine : public sc_core::sc_module {
  public:
    // The image outlives the machine.
    machine(sc_core::sc_module_name, const settings&, const image&, const boot_request&,
            knc::card::run_control);

    knc::card::card& card() { return card_; }
    host_access& host() { return host_; }

  private:
    void start_of_simulation() override;

    const image& image_;
    const boot_request request_;
    knc::card::card card_;
    host_access host_;
};

}  // namespace platform

#endif
