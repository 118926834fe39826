// The requests of a core to its surroundings beside its sockets and ports: device accesses,
// warnings, errors.
//
// Models: the request that leaves the core. Leaves out: its transport to the device (knc/card).
#ifndef KNC_CORE_PORTS_H
#define KNC_CORE_PORTS_H

#include <array>
#include <cstdint>
#include <string>

#include <systemc>

#include <knc/base/clock.h>

namespace knc::core {

// Tickets of device requests run from 1 to this number, then start again.
inline constexpr std::uint32_t most_tickets = 0x3fff;

enum class address_space : std::uint8_t { memory, ports };

// An uncached access that leaves the core.
struct device_request {
    address_space space = address_space::memory;
    std::uint16_t core = 0;
    std::uint8_t thread = 0;
    bool write = false;
    unsigned size = 0;  // bytes, 1-8
    std::uint64_t address = 0;
    std::array<std::uint8_t, 8> data{};
    base::cycle_t issued = 0;
    std::uint32_t ticket = 0;  // the response has the same ticket
};

// Receives the device accesses and the warnings of a core. The response to a posted request comes
// through core::device_done(), in a cycle that is not before the core's present one.
struct outside {
    virtual void post(const device_request&) = 0;
    // Logs one line about an action of the guest (a rejected instruction and the like).
    virtual void warn(const std::string& text) = 0;
    // Reports an inconsistency of the model: an error of the model, never of the guest.
    virtual void model_error(const std::string& text) { SC_REPORT_ERROR("model", text.c_str()); }
    // A thread met an instruction that the model does not execute: the run must end.
    virtual void unsupported(const std::string& text) = 0;

  protected:
    ~outside() = default;
};

}  // namespace knc::core

#endif
