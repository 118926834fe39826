// Archives whose bytes are in the memory of the host.
#ifndef KNC_BASE_MEMORY_ARCHIVE_H
#define KNC_BASE_MEMORY_ARCHIVE_H

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <knc/base/archive.h>

namespace knc::base {

class memory_writer final : public archive {
  public:
    memory_writer() : archive(false) {}
    void bytes(void* data, std::size_t size) override {
        content_.append(static_cast<const char*>(data), size);
    }
    const std::string& content() const { return content_; }

  private:
    std::string content_;
};

class memory_reader final : public archive {
  public:
    // `content` outlives the reader.
    explicit memory_reader(std::string_view content) : archive(true), left_(content) {}
    void bytes(void* data, std::size_t size) override {
        if (size > left_.size()) throw archive_error("it ends too early");
        std::memcpy(data, left_.data(), size);
        left_.remove_prefix(size);
    }
    std::string_view left() const { return left_; }

  private:
    std::string_view left_;
};

}  // namespace knc::base

#endif
