// A card as loaders describe it to what they load (knc/boot/machine.h).
#ifndef KNC_CARD_BOOT_MACHINE_H
#define KNC_CARD_BOOT_MACHINE_H

#include <knc/boot/machine.h>
#include <knc/card/parameters.h>

namespace knc::card {

boot::machine machine_of(const parameters&);

}  // namespace knc::card

#endif
