#include <knc/isa/vector_operand.h>

#include <algorithm>
#include <array>

namespace knc::isa {
namespace {

template <unsigned Size>
bool load_block(context& c, unsigned seg, std::uint64_t off, void* data) {
    std::array<std::uint8_t, Size> block;
    if (!c.load(seg, off, block)) return false;
    std::memcpy(data, block.data(), Size);
    return true;
}

std::uint64_t all_of(unsigned size) {
    return size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
}

bool load_aligned(context& c, unsigned seg, std::uint64_t off, unsigned size, void* data) {
    switch (size) {
        case 64:
            return load_block<64>(c, seg, off, data);
        case 32:
            return load_block<32>(c, seg, off, data);
        case 16:
            return load_block<16>(c, seg, off, data);
        case 8:
            return load_block<8>(c, seg, off, data);
        case 4:
            return load_block<4>(c, seg, off, data);
        default:
            return c.read(seg, off, size, data);
    }
}

// Marks the accesses of a vector instruction for the environment, the events of misses and the
// core.
class vector_access {
  public:
    vector_access(context& c, unsigned seg, std::uint64_t off, std::uint64_t which) : c_(c) {
        *c_.vector_access = true;
        c_.vector_accessed = {c_.linear(seg, off), which};
    }
    ~vector_access() { *c_.vector_access = false; }
    vector_access(const vector_access&) = delete;
    vector_access& operator=(const vector_access&) = delete;

  private:
    context& c_;
};

}  // namespace

bool vector_aligned(context& c, unsigned seg, std::uint64_t off, unsigned size) {
    if ((c.linear(seg, off) & (size - 1)) == 0) return true;
    c.failure = c.gp();
    return false;
}

bool vector_load_bytes(context& c, unsigned seg, std::uint64_t off, unsigned size, void* data,
                       std::uint64_t which) {
    const vector_access mark(c, seg, off, which);
    const bool read = which == all_of(size) ? c.read(seg, off, size, data)
                                            : c.read_bytes(seg, off, size, data, which);
    if (!read) return false;
    ++c.events()[base::vpu_data_read];
    return true;
}

bool vector_load(context& c, const insn& i, unsigned size, void* data) {
    const std::uint64_t off = c.offset(i);
    const vector_access mark(c, i.seg, off, all_of(size));
    if (!vector_aligned(c, i.seg, off, size) || !load_aligned(c, i.seg, off, size, data))
        return false;
    ++c.events()[base::vpu_data_read];
    return true;
}

bool vector_store_bytes(context& c, unsigned seg, std::uint64_t off, unsigned size,
                        const void* data, std::uint64_t which) {
    if (which == 0) return true;
    const vector_access mark(c, seg, off, which);
    if (which != all_of(size)) {
        if (!c.write_bytes(seg, off, size, data, which)) return false;
    } else if (size == 64) {
        std::array<std::uint8_t, 64> block;
        std::memcpy(block.data(), data, sizeof block);
        if (!c.store(seg, off, block)) return false;
    } else if (!c.write(seg, off, size, data)) {
        return false;
    }
    ++c.events()[base::vpu_data_write];
    return true;
}

bool vector_store_line(context& c, unsigned seg, std::uint64_t off, const void* data,
                       bool ordered) {
    const vector_access mark(c, seg, off, all_of(64));
    if (!c.write_line(seg, off, data, ordered)) return false;
    ++c.events()[base::vpu_data_write];
    return true;
}

std::uint64_t vector_bytes_of(mask_t lanes, unsigned bytes) {
    const std::uint64_t lane = (std::uint64_t{1} << bytes) - 1;
    std::uint64_t all = 0;
    each_lane(lanes, [&](unsigned n) { all |= lane << n * bytes; });
    return all;
}

}  // namespace knc::isa
