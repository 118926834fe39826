#include <knc/core/tlb.h>

namespace knc::core {
namespace {

constexpr unsigned bits_4k = 12, bits_64k = 16, bits_2m = 21;
constexpr std::uint64_t bytes_64k = 1u << bits_64k, bytes_2m = 1u << bits_2m;

unsigned log2_of(std::uint64_t power) {
    return static_cast<unsigned>(__builtin_ctzll(power));
}

}  // namespace

tlb::tlb(const tlb_parameters& p)
    : parameters_(p),
      data_4k_(p.data_4k, bits_4k),
      data_64k_(p.data_64k, bits_64k),
      data_2m_(p.data_2m, bits_2m),
      code_(p.code, bits_4k),
      second_(p.second, bits_2m) {}

template <class Do>
void tlb::each(Do f) {
    for (tlb_array* a : {&data_4k_, &data_64k_, &data_2m_, &code_, &second_}) f(*a);
}

tlb_array& tlb::data_array(std::uint64_t page_bytes) {
    if (page_bytes >= bytes_2m) return data_2m_;
    return page_bytes >= bytes_64k ? data_64k_ : data_4k_;
}

tlb_result tlb::access(tlb_array& first, std::uint8_t thread, std::uint64_t la,
                       std::uint64_t page_bytes, bool global) {
    tlb_result r;
    r.l1_hit = first.holds(thread, la);
    if (r.l1_hit) return r;
    const unsigned mapped_bits = log2_of(page_bytes);
    const tlb_array::entry gone = first.fill(thread, la, mapped_bits, global);
    if (gone.valid) {
        r.evicted_page = gone.page << first.page_bits();
        r.evicted_bytes = std::uint64_t{1} << first.page_bits();
        r.evicted_thread = gone.thread;
    }
    const bool large = page_bytes >= bytes_2m;
    r.l2_hit = second_.holds(thread, la);
    if (r.l2_hit) {
        r.clocks = large ? parameters_.short_walk_clocks_2m : parameters_.short_walk_clocks_4k;
        return r;
    }
    // A directory entry is not global, whatever the pages below it are.
    second_.fill(thread, la, mapped_bits, global && large);
    r.clocks = parameters_.long_walk_clocks;
    return r;
}

tlb_result tlb::access_data(std::uint8_t thread, std::uint64_t la, std::uint64_t page_bytes,
                            bool global) {
    return access(data_array(page_bytes), thread, la, page_bytes, global);
}

tlb_result tlb::access_code(std::uint8_t thread, std::uint64_t la, std::uint64_t page_bytes,
                            bool global) {
    return access(code_, thread, la, page_bytes, global);
}

// Whatever its size was to be, the last step is to look for a table entry.
tlb_result tlb::refuse(bool held, std::uint8_t thread, std::uint64_t la) const {
    tlb_result r;
    r.l1_hit = held;
    if (held) return r;
    r.l2_hit = second_.holds(thread, la);
    r.clocks = r.l2_hit ? parameters_.short_walk_clocks_4k : parameters_.long_walk_clocks;
    return r;
}

tlb_result tlb::refuse_data(std::uint8_t thread, std::uint64_t la) const {
    return refuse(
        data_4k_.holds(thread, la) || data_64k_.holds(thread, la) || data_2m_.holds(thread, la),
        thread, la);
}

tlb_result tlb::refuse_code(std::uint8_t thread, std::uint64_t la) const {
    return refuse(code_.holds(thread, la), thread, la);
}

void tlb::flush(std::uint8_t thread, bool keep_global) {
    each([=](tlb_array& a) { a.flush(thread, keep_global); });
}

void tlb::flush_page(std::uint8_t thread, std::uint64_t la) {
    each([=](tlb_array& a) { a.flush_page(thread, la); });
}

void tlb::reset() {
    each([](tlb_array& a) { a.reset(); });
}

}  // namespace knc::core
