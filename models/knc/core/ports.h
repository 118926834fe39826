// The ports of a core beside its caches, its PMU and its local APICs: devices, diagnostics.
//
// Models: the request that leaves the core, and its response. Leaves out: its transport to the
// device (knc/card).
#ifndef KNC_CORE_PORTS_H
#define KNC_CORE_PORTS_H

#include <array>
#include <cstdint>
#include <string>

#include <systemc>

#include <knc/base/address_map.h>
#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>

namespace knc::core {

// Tickets of device requests run from 1 to this number, then start again.
inline constexpr std::uint32_t most_tickets = 0x3fff;

// The data of a device access, starting at its first byte.
using device_data = std::array<std::uint8_t, base::line_bytes>;

// registers: MSRs of the package. shared_cache: a write to it, at any address, is a WBINVD.
enum class address_space : std::uint8_t { memory, ports, registers, shared_cache };

// An uncached access that leaves the core.
struct device_request {
    address_space space = address_space::memory;
    std::uint16_t core = 0;
    std::uint8_t thread = 0;
    bool write = false;
    unsigned size = 0;  // bytes, at least 1, within a line
    std::uint64_t address = 0;
    device_data data{};
    base::cycle_t issued = 0;
    std::uint32_t ticket = 0;  // the response has the same ticket

    void serialize(base::archive&);
};

// Receives the device accesses of a core. The response to each comes through device_client_if.
struct device_if : virtual sc_core::sc_interface {
    virtual void post(const device_request&) = 0;
};

// Receives the responses to the device accesses of a core.
struct device_client_if : virtual sc_core::sc_interface {
    // The response to a request, with the data of a read. The thread continues in cycle `at`, which
    // is not before the core's present one.
    virtual void device_done(const device_request& answer, base::cycle_t at) = 0;
};

// Performs device accesses inside the call: fast-forward.
class immediate_devices_if {
  public:
    // The thread makes the access in cycle `now`. Sets the data of a read.
    virtual void access(device_request&, base::cycle_t now) = 0;

  protected:
    ~immediate_devices_if() = default;
};

// A wire of the board, at the PMU's pins that show counts.
struct pmu_wire_if : virtual sc_core::sc_interface {
    // A pin rises in cycle `at`, which the core has not passed. It runs no further at present.
    virtual void pin_rises(base::cycle_t at) = 0;
};

// Receives the warnings and errors of a core.
struct diagnostics_if : virtual sc_core::sc_interface {
    // Logs one line about an action of the guest (a rejected instruction and the like).
    virtual void warn(const std::string& text) = 0;
    // Reports an inconsistency of the model: an error of the model, never of the guest.
    virtual void model_error(const std::string& text) = 0;
    // A thread met an instruction that the model does not execute: the run must end.
    virtual void unsupported(const std::string& text) = 0;
};

using device_port = sc_core::sc_port<device_if>;

// Unbound, it reports through SystemC (SC_REPORT).
class diagnostics_port final
    : public sc_core::sc_port<diagnostics_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> {
  public:
    using sc_port::sc_port;
    void warn(const std::string& text) {
        if (size() != 0)
            (*this)->warn(text);
        else
            SC_REPORT_WARNING("knc/core", text.c_str());
    }
    void model_error(const std::string& text) {
        if (size() != 0)
            (*this)->model_error(text);
        else
            SC_REPORT_ERROR("knc/core", text.c_str());
    }
    void unsupported(const std::string& text) {
        if (size() != 0)
            (*this)->unsupported(text);
        else
            SC_REPORT_ERROR("knc/core", text.c_str());
    }
};

}  // namespace knc::core

#endif
