#include <knc/core/tlb.h>

namespace knc::core {
namespace {

constexpr unsigned bits_4k = 12, bits_64k = 16, bits_2m = 21;
constexpr std::uint64_t bytes_64k = 1u << bits_64k, bytes_2m = 1u << bits_2m;

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

const isa::held_translation* tlb::held_data(std::uint8_t thread, std::uint64_t la) const {
    for (const tlb_array* a : {&data_4k_, &data_64k_, &data_2m_})
        if (const isa::held_translation* held = a->find(thread, la)) return held;
    return nullptr;
}

const isa::held_translation* tlb::held_code(std::uint8_t thread, std::uint64_t la) const {
    return code_.find(thread, la);
}

tlb_result tlb::access(tlb_array& first, std::uint8_t thread, std::uint64_t la,
                       const isa::page_walk& w) {
    tlb_result r;
    const auto drops = [&](std::uint64_t page_la, std::uint8_t of) {
        r.evicted_bytes = std::uint64_t{1} << first.page_bits();
        r.evicted_page = page_la & ~(r.evicted_bytes - 1);
        r.evicted_thread = of;
    };
    isa::held_translation* held = first.find(thread, la);
    r.l1_hit = held != nullptr;
    if (r.l1_hit) {
        if (!isa::same_mapping(*held, w.page)) drops(la, thread);
        *held = w.page;
    } else if (const tlb_array::entry gone = first.fill(thread, la, w.page); gone.valid) {
        drops(gone.page << first.page_bits(), gone.thread);
    }
    const bool large = w.page.page_bytes >= bytes_2m;
    const isa::held_translation& of_region = large ? w.page : w.table;
    isa::held_translation* region = second_.find(thread, la);
    if (region != nullptr) *region = of_region;
    if (r.l1_hit) return r;
    r.l2_hit = region != nullptr;
    if (r.l2_hit) {
        r.clocks = large ? parameters_.short_walk_cycles_2m : parameters_.short_walk_cycles_4k;
        return r;
    }
    second_.fill(thread, la, of_region);
    r.clocks = parameters_.long_walk_cycles;
    return r;
}

tlb_result tlb::access_data(std::uint8_t thread, std::uint64_t la, const isa::page_walk& w) {
    return access(data_array(w.page.page_bytes), thread, la, w);
}

tlb_result tlb::access_code(std::uint8_t thread, std::uint64_t la, const isa::page_walk& w) {
    return access(code_, thread, la, w);
}

// The size of a refused page is unknown. Its walk costs as much as one that ends at a table entry.
tlb_result tlb::refuse(bool held, std::uint8_t thread, std::uint64_t la) const {
    tlb_result r;
    r.l1_hit = held;
    if (held) return r;
    r.l2_hit = held_region(thread, la) != nullptr;
    r.clocks = r.l2_hit ? parameters_.short_walk_cycles_4k : parameters_.long_walk_cycles;
    return r;
}

tlb_result tlb::refuse_data(std::uint8_t thread, std::uint64_t la) const {
    return refuse(held_data(thread, la) != nullptr, thread, la);
}

tlb_result tlb::refuse_code(std::uint8_t thread, std::uint64_t la) const {
    return refuse(held_code(thread, la) != nullptr, thread, la);
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
