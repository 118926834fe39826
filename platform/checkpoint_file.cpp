#include <platform/checkpoint_file.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>
#include <zlib.h>

#include <knc/base/memory_archive.h>

#include <platform/digest.h>
#include <platform/input_error.h>
#include <platform/program.h>
#include <platform/whole_file.h>

namespace platform {

namespace {

using knc::base::archive_error;

// As PNG's: no text, and a transfer that changes line ends changes it.
constexpr std::string_view magic{"\x89KNC\r\n\x1a\n", 8};
constexpr std::uint32_t format = 1;
constexpr std::size_t length_at = magic.size() + sizeof format,
                      header_at = length_at + sizeof(std::uint64_t), digest_bytes = sha256_bytes;
// So much is compressed at a time.
constexpr std::size_t part_bytes = 1 << 16;

template <class T>
std::string raw(const T& v) {
    return std::string(reinterpret_cast<const char*>(&v), sizeof v);
}
template <class T>
T raw_at(std::string_view s, std::size_t at) {
    T v;
    std::memcpy(&v, s.data() + at, sizeof v);
    return v;
}

}  // namespace

// ---- the state, compressed

struct compressor::stream {
    z_stream z{};
};

compressor::compressor() : archive(false), stream_(std::make_unique<stream>()) {
    // The fastest level: most pages are text, code or tables.
    if (deflateInit(&stream_->z, Z_BEST_SPEED) != Z_OK)
        throw std::runtime_error("checkpoint: no compression");
}

compressor::~compressor() {
    deflateEnd(&stream_->z);
}

void compressor::bytes(void* data, std::size_t size) {
    waiting_.append(static_cast<const char*>(data), size);
    if (waiting_.size() >= part_bytes) compress(false);
}

void compressor::compress(bool end) {
    z_stream& z = stream_->z;
    z.next_in = reinterpret_cast<Bytef*>(waiting_.data());
    z.avail_in = static_cast<uInt>(waiting_.size());
    char part[part_bytes];
    do {
        z.next_out = reinterpret_cast<Bytef*>(part);
        z.avail_out = sizeof part;
        deflate(&z, end ? Z_FINISH : Z_NO_FLUSH);
        done_.append(part, sizeof part - z.avail_out);
    } while (z.avail_out == 0);
    waiting_.clear();
}

std::string compressor::finish() {
    compress(true);
    return std::move(done_);
}

struct decompressor::stream {
    z_stream z{};
    std::string_view left;
};

decompressor::decompressor(std::string_view compressed)
    : archive(true), stream_(std::make_unique<stream>()) {
    stream_->left = compressed;
    if (inflateInit(&stream_->z) != Z_OK) throw std::runtime_error("checkpoint: no compression");
}

decompressor::~decompressor() {
    inflateEnd(&stream_->z);
}

void decompressor::bytes(void* data, std::size_t size) {
    z_stream& z = stream_->z;
    z.next_out = static_cast<Bytef*>(data);
    z.avail_out = static_cast<uInt>(size);
    while (z.avail_out != 0) {
        if (z.avail_in == 0) {
            const std::size_t part = std::min(stream_->left.size(), part_bytes);
            z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream_->left.data()));
            z.avail_in = static_cast<uInt>(part);
            stream_->left.remove_prefix(part);
        }
        const int r = inflate(&z, Z_NO_FLUSH);
        if (z.avail_out != 0 && r != Z_OK) throw archive_error("it ends too early");
    }
}

// ---- the file

void write_checkpoint(const std::string& path, checkpoint_header header,
                      const std::string& compressed) {
    knc::base::memory_writer h;
    h(header);
    const std::uint64_t length = header_at + h.content().size() + compressed.size() + digest_bytes;
    std::string file{magic};
    file += raw(format) + raw(length) + h.content() + compressed;
    file += sha256_of(file);
    write_whole(std::filesystem::path{path}, file);
}

checkpoint_file read_checkpoint(std::string content, const std::string& path) {
    checkpoint_file f;
    f.path = path;
    f.content = std::move(content);
    const std::string_view c = f.content;
    const auto refuse = [&path](const std::string& why) {
        throw input_error(fmt::format("{}: {}", path, why));
    };
    if (c.substr(0, magic.size()) != magic) refuse("no checkpoint of knc-vp");
    if (c.size() < header_at + digest_bytes) refuse("the checkpoint is cut short");
    if (const auto found = raw_at<std::uint32_t>(c, magic.size()); found != format)
        refuse(
            fmt::format("a checkpoint of format {}; this program reads format {}", found, format));
    if (const auto length = raw_at<std::uint64_t>(c, length_at); length != c.size())
        refuse(fmt::format("the checkpoint is damaged: it has {} bytes, and {} are stated",
                           c.size(), length));
    f.state_to = c.size() - digest_bytes;
    if (sha256_of(c.substr(0, f.state_to)) != c.substr(f.state_to))
        refuse("the checkpoint is damaged: another checksum is stated");
    try {
        knc::base::memory_reader h(c.substr(header_at, f.state_to - header_at));
        h(f.header);
        f.state_from = f.state_to - h.left().size();
    } catch (const archive_error& e) {
        refuse(fmt::format("the checkpoint is damaged: {}", e.what()));
    }
    if (f.header.version != program_version())
        refuse(fmt::format("a checkpoint of knc-vp {}; this is {}", f.header.version,
                           program_version()));
    return f;
}

void check_identity(const checkpoint_file& f, const run_identity& here) {
    const run_identity& there = f.header.made_of;
    const std::size_t n = std::max(here.size(), there.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (i >= here.size() || i >= there.size() || here[i].first != there[i].first)
            throw input_error(f.path + ": a checkpoint of a program with other keys");
        if (here[i].second != there[i].second)
            throw input_error(fmt::format("{}: {}: '{}' in the checkpoint, '{}' here", f.path,
                                          here[i].first, there[i].second, here[i].second));
    }
}

}  // namespace platform
