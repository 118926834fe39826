#include <support/isa_environment.h>

#include <algorithm>
#include <cstring>

namespace knc::isa::test {
namespace {

// Takes one of `n`; false: none is left.
bool take(unsigned& n) {
    if (n == 0) return false;
    --n;
    return true;
}

}  // namespace

void isa_environment::add_ram(std::uint64_t at, std::vector<std::uint8_t>& bytes) {
    for (std::uint64_t n = 0; n < bytes.size(); n += 0x1000) pages_[at + n] = bytes.data() + n;
}

void isa_environment::clear_logs() {
    device_log.clear();
    port_log.clear();
    code_writes.clear();
    spflt_calls.clear();
    refusals.clear();
}

std::uint8_t* isa_environment::page(std::uint64_t paddr) {
    const std::uint64_t first = paddr & ~std::uint64_t{0xfff};
    if (paddr < ram.size()) return ram.data() + first;
    const auto found = pages_.find(first);
    return found != pages_.end() ? found->second : nullptr;
}

status isa_environment::line(std::uint64_t paddr, access_kind kind, std::uint8_t*& host) {
    return take(line_blocks) || !take(line_answers) ? status::blocked
                                                    : environment::line(paddr, kind, host);
}

status isa_environment::log_read(std::vector<device_access>& log, std::uint64_t at, unsigned size,
                                 void* data) {
    auto* const bytes = static_cast<std::uint8_t*>(data);
    for (unsigned n = 0; n < size; ++n)
        bytes[n] = static_cast<std::uint8_t>(device_value >> n % sizeof device_value * 8);
    log.push_back({false, at, size, 0});
    return status::ok;
}

status isa_environment::log_write(std::vector<device_access>& log, std::uint64_t at, unsigned size,
                                  const void* data) {
    std::uint64_t value = 0;
    std::memcpy(&value, data, std::min<std::size_t>(size, sizeof value));
    log.push_back({true, at, size, value});
    return status::ok;
}

status isa_environment::read_device(std::uint64_t paddr, unsigned size, void* data) {
    return take(device_blocks) || !take(device_answers) ? status::blocked
                                                        : log_read(device_log, paddr, size, data);
}
status isa_environment::write_device(std::uint64_t paddr, unsigned size, const void* data) {
    return take(device_blocks) || !take(device_answers) ? status::blocked
                                                        : log_write(device_log, paddr, size, data);
}
status isa_environment::read_port(std::uint16_t port, unsigned size, void* data) {
    return take(device_blocks) ? status::blocked : log_read(port_log, port, size, data);
}
status isa_environment::write_port(std::uint16_t port, unsigned size, const void* data) {
    return take(device_blocks) ? status::blocked : log_write(port_log, port, size, data);
}

bool isa_environment::read_msr(std::uint32_t number, std::uint64_t& value) {
    const auto found = msrs.find(number);
    if (found == msrs.end()) return false;
    value = found->second;
    return true;
}

bool isa_environment::write_msr(std::uint32_t number, std::uint64_t value) {
    const auto found = msrs.find(number);
    if (found == msrs.end()) return false;
    found->second = value;
    return true;
}

bool isa_environment::rdpmc(std::uint32_t index, std::uint64_t& value) {
    value = 0x12'3456'7890 + index;
    return index < 2;
}

}  // namespace knc::isa::test
