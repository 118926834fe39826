// What people call exceptions and interrupt messages.
#ifndef KNC_PLATFORM_EVENT_NAMES_H
#define KNC_PLATFORM_EVENT_NAMES_H

#include <cstdint>
#include <string>

#include <knc/base/recorder.h>

namespace platform {

inline constexpr std::uint8_t page_fault_vector = 14;

// Of a message of apic::encode(): "fixed 0x41", "NMI", "start-up 0x10", ...
std::string message_name(std::uint64_t message);
// "#PF", "NMI", "0x41".
std::string event_name(const knc::base::event_entry&);

}  // namespace platform

#endif
