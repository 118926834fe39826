// The file of a checkpoint.
//
// Magic number, format, length, a header that says what the run was made of, the compressed state,
// and a SHA-256 of all that. A file is checked as a whole before anything of it is used. Source:
// docs/checkpoints.md.
#ifndef KNC_PLATFORM_CHECKPOINT_FILE_H
#define KNC_PLATFORM_CHECKPOINT_FILE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <knc/base/archive.h>
#include <knc/base/clock.h>

namespace platform {

// What must be the same where a checkpoint is made and where it is restored: names and values.
using run_identity = std::vector<std::pair<std::string, std::string>>;

struct checkpoint_header {
    std::string version;  // of the program
    run_identity made_of;
    knc::base::cycle_t clock = 0;

    void serialize(knc::base::archive& a) { a(version, made_of, clock); }
};

class compressor final : public knc::base::archive {
  public:
    compressor();
    ~compressor() override;
    void bytes(void* data, std::size_t size) override;
    // The compressed bytes. Called once, at the end.
    std::string finish();

  private:
    void compress(bool end);

    struct stream;
    std::unique_ptr<stream> stream_;
    std::string waiting_, done_;
};

class decompressor final : public knc::base::archive {
  public:
    // `compressed` outlives it.
    explicit decompressor(std::string_view compressed);
    ~decompressor() override;
    void bytes(void* data, std::size_t size) override;

  private:
    struct stream;
    std::unique_ptr<stream> stream_;
};

// Replaces the file at once. Throws std::runtime_error.
void write_checkpoint(const std::string& path, checkpoint_header, const std::string& compressed);

struct checkpoint_file {
    std::string path;
    checkpoint_header header;
    std::string content;         // of the file
    std::size_t state_from = 0;  // the compressed state: [state_from, state_to) of it
    std::size_t state_to = 0;

    std::string_view state() const {
        return std::string_view{content}.substr(state_from, state_to - state_from);
    }
};

// `content`: of file `path`. Throws input_error where it is no checkpoint of this program, or one
// that is damaged.
checkpoint_file read_checkpoint(std::string content, const std::string& path);
// Throws input_error, with the first difference, unless the file is of such a run.
void check_identity(const checkpoint_file&, const run_identity& here);

}  // namespace platform

#endif
