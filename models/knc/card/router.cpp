#include <knc/card/router.h>

#include <algorithm>

#include <fmt/format.h>

#include <knc/base/address_map.h>

namespace knc::card {

router::router(sc_core::sc_module_name name, target_socket& ram, std::uint64_t ram_size)
    : sc_module(name) {
    in.register_b_transport(this, &router::b_transport);
    in.register_transport_dbg(this, &router::transport_dbg);
    in.register_get_direct_mem_ptr(this, &router::get_direct_mem_ptr);
    add(0, ram_size, ram);
}

void router::map(std::uint64_t start, std::uint64_t size, target_socket& device) {
    check(start, start + size);
    add(start, start + size, device);
}

void router::map_again(std::uint64_t start, std::uint64_t of) {
    const range& device = *find(of);
    const std::uint64_t end = start + (device.end - device.start);
    check(start, end);
    ranges_.push_back({start, end, device.out});
}

void router::check(std::uint64_t start, std::uint64_t end) const {
    const bool overlaps = std::any_of(ranges_.begin() + 1, ranges_.end(), [&](const range& r) {
        return start < r.end && r.start < end;
    });
    const bool in_hole = start >= base::hole_start && end <= base::hole_end;
    if (overlaps || (!in_hole && start < std::max(ranges_.front().end, base::hole_end)))
        SC_REPORT_FATAL(
            "router",
            fmt::format("nothing can be mapped at {:#x} .. {:#x}", start, end - 1).c_str());
}

bool router::is_ram(std::uint64_t address, std::uint64_t size) const {
    const std::uint64_t end = ranges_.front().end;
    const bool hole = address < base::hole_end && address + size > base::hole_start;
    return address < end && size <= end - address && !hole;
}

void router::add(std::uint64_t start, std::uint64_t end, target_socket& target) {
    auto out = std::make_shared<tlm_utils::simple_initiator_socket<router>>(
        sc_core::sc_gen_unique_name("out"));
    out->bind(target);
    ranges_.push_back({start, end, std::move(out)});
}

// The first range is RAM; devices lie in its hole or beyond it.
const router::range* router::find(std::uint64_t address) const {
    const bool hole = address >= base::hole_start && address < base::hole_end;
    const auto it =
        std::find_if(ranges_.begin() + (hole ? 1 : 0), ranges_.end(),
                     [&](const range& r) { return address >= r.start && address < r.end; });
    return it == ranges_.end() ? nullptr : &*it;
}

void router::b_transport(int, tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const std::uint64_t address = p.get_address();
    const range* r = find(address);
    if (r == nullptr) {
        p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    p.set_address(address - r->start);
    (*r->out)->b_transport(p, delay);
    p.set_address(address);
}

// Stops at the end of the range in which it starts.
unsigned router::transport_dbg(int, tlm::tlm_generic_payload& p) {
    const std::uint64_t address = p.get_address();
    const range* r = find(address);
    if (r == nullptr) return 0;
    const unsigned length = p.get_data_length();
    std::uint64_t room = r->end - address;
    if (address < base::hole_start) room = std::min(room, base::hole_start - address);
    p.set_address(address - r->start);
    p.set_data_length(static_cast<unsigned>(std::min<std::uint64_t>(length, room)));
    const unsigned n = (*r->out)->transport_dbg(p);
    p.set_address(address);
    p.set_data_length(length);
    return n;
}

bool router::get_direct_mem_ptr(int, tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
    const range* r = find(p.get_address());
    return r == &ranges_.front() && (*r->out)->get_direct_mem_ptr(p, dmi);
}

}  // namespace knc::card
