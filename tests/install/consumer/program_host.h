// A host of a foreign design. It writes a program to its card's memory before the simulation
// starts, and reads the results of the program.
#ifndef CONSUMER_PROGRAM_HOST_H
#define CONSUMER_PROGRAM_HOST_H

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "bus_master.h"

struct program_host : bus_master {
    program_host(sc_core::sc_module_name name, std::uint32_t at, const unsigned char* begin,
                 const unsigned char* end)
        : bus_master(name), at_(at), program_(begin, end) {}

    void put(std::uint32_t address, std::uint32_t value) {
        unsigned char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        move(tlm::TLM_WRITE_COMMAND, address, bytes, sizeof bytes);
    }
    std::uint32_t word(std::uint32_t address) {
        std::uint32_t value = 0;
        unsigned char bytes[sizeof value];
        move(tlm::TLM_READ_COMMAND, address, bytes, sizeof bytes);
        std::memcpy(&value, bytes, sizeof value);
        return value;
    }
    // Called after the program has been written; writes further data to memory.
    std::function<void()> prepare = [] {};

  private:
    void start_of_simulation() override {
        move(tlm::TLM_WRITE_COMMAND, at_, program_.data(), static_cast<unsigned>(program_.size()));
        prepare();
    }
    void move(tlm::tlm_command command, std::uint32_t address, unsigned char* data, unsigned size) {
        tlm::tlm_generic_payload p;
        p.set_command(command);
        p.set_address(address);
        p.set_data_ptr(data);
        p.set_data_length(size);
        p.set_streaming_width(size);
        expect(socket->transport_dbg(p) == size, "the card's memory is reached");
    }

    const std::uint32_t at_;
    std::vector<unsigned char> program_;
};

#endif
