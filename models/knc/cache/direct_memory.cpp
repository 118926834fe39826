#include <knc/cache/direct_memory.h>

#include <cstring>

namespace knc::cache {

void direct_memory::buffer_store(unsigned thread, std::uint64_t paddr, unsigned size,
                                 const void* data, base::cycle_t) {
    std::memcpy(bytes_ + paddr, data, size);
    client_->stored(paddr, size);
    client_->stores_performed(thread);
}

void direct_memory::uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                             unsigned size, const std::uint8_t* data, base::cycle_t now) {
    uncached_data answer{};
    if (write) {
        std::memcpy(bytes_ + paddr, data, size);
        client_->stored(paddr, size);
    } else {
        std::memcpy(answer.data(), bytes_ + paddr, size);
    }
    client_->uncached_done(thread, ticket, answer, now + 1);
}

}  // namespace knc::cache
