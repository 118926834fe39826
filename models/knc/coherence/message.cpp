#include <knc/coherence/message.h>

#include <cstring>

namespace knc::coherence {
namespace {

constexpr message_properties table[] = {
#define KNC_MESSAGE(kind, ring, receiver, has_data, text) \
    {#kind, ring_kind::ring, receiver_kind::receiver, has_data, text},
#include <knc/coherence/messages.def>
#undef KNC_MESSAGE
};

}  // namespace

const message_properties& properties(message_kind k) {
    return table[static_cast<std::size_t>(k)];
}

void copy_bytes(std::uint8_t* to, const std::uint8_t* from, byte_mask mask) {
    if (mask == all_bytes) {
        std::memcpy(to, from, line_bytes);
        return;
    }
    for (std::size_t n = 0; n < line_bytes; ++n)
        if ((mask >> n & 1) != 0) to[n] = from[n];
}

}  // namespace knc::coherence
