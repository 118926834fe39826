#include <platform/digest.h>

#include <stdexcept>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace platform {

std::string sha256_of(std::string_view bytes) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1 ||
        size != sha256_bytes)
        throw std::runtime_error("no SHA-256");
    return std::string(reinterpret_cast<const char*>(digest), size);
}

std::string sha256_text(std::string_view bytes) {
    std::string text;
    for (const char c : sha256_of(bytes))
        text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return text;
}

}  // namespace platform
