#include <knc/isa/x87_image.h>

#include <cstring>

#include <knc/isa/x87_convert.h>

namespace knc::isa {
namespace {

constexpr std::uint16_t opcode_bits = 0x7ff;
constexpr std::size_t register_size = 10;

template <class T>
void put(std::uint8_t* image, unsigned at, T v) {
    std::memcpy(image + at, &v, sizeof v);
}
template <class T>
T get(const std::uint8_t* image, unsigned at) {
    T v;
    std::memcpy(&v, image + at, sizeof v);
    return v;
}

// The environment as seven fields: control, status, tags, instruction pointer and the field above
// it, data pointer and the field above it.
using fields = std::array<std::uint32_t, 7>;
enum field : std::uint8_t { control, status, tags, ip, ip_high, dp, dp_high };

// The upper half of a linear address stands in bits 12 and up.
std::uint32_t high_part(std::uint64_t linear) {
    return static_cast<std::uint32_t>(linear >> 16 & 0xffff) << 12;
}

fields environment_of(const x87_state& x, x87_environment_layout l) {
    fields f{};
    f[control] = x.control;
    f[status] = x.status;
    f[tags] = x87_tag_word(x);
    if (l.linear) {
        const std::uint64_t i =
            x.instruction_pointer + (std::uint64_t{x.instruction_selector} << 4);
        const std::uint64_t d = x.data_pointer + (std::uint64_t{x.data_selector} << 4);
        f[ip] = static_cast<std::uint16_t>(i);
        f[ip_high] = high_part(i) | x.opcode;
        f[dp] = static_cast<std::uint16_t>(d);
        f[dp_high] = high_part(d);
    } else {
        f[ip] = static_cast<std::uint32_t>(x.instruction_pointer);
        f[ip_high] = static_cast<std::uint32_t>(x.opcode << 16 | x.instruction_selector);
        f[dp] = static_cast<std::uint32_t>(x.data_pointer);
        f[dp_high] = x.data_selector;
    }
    return f;
}

// Fields of which 32-bit layouts use the lower half only; the upper one is written as ones.
bool half_used(unsigned f, x87_environment_layout l) {
    return f <= tags || (l.linear ? f == ip || f == dp : f == dp_high);
}

void set_control_and_status(x87_state& x, unsigned control_word, unsigned status_word) {
    x.set_control(control_word);
    x.status = static_cast<std::uint16_t>(status_word);
    x.update_summary();
}

unsigned tag_of(const x87_register& r) {
    if (r.exponent() == 0 && r.significand == 0) return 1;
    const bool valid = r.exponent() != 0 && r.exponent() != 0x7fff && r.significand >> 63 != 0;
    return valid ? 0 : 2;
}

}  // namespace

std::uint16_t x87_tag_word(const x87_state& x) {
    unsigned word = 0;
    for (unsigned n = 0; n < 8; ++n) {
        const bool used = (x.used >> n & 1) != 0;
        word |= (used ? tag_of(x.physical[n]) : 3) << 2 * n;
    }
    return static_cast<std::uint16_t>(word);
}

void x87_save_environment(const x87_state& x, x87_environment_layout l, std::uint8_t* image) {
    const fields f = environment_of(x, l);
    for (unsigned n = 0; n < f.size(); ++n) {
        if (l.wide) {
            put<std::uint32_t>(image, 4 * n, f[n] | (half_used(n, l) ? 0xffff'0000u : 0));
        } else {
            put<std::uint16_t>(image, 2 * n, static_cast<std::uint16_t>(f[n]));
        }
    }
}

void x87_restore_environment(x87_state& x, x87_environment_layout l, const std::uint8_t* image) {
    fields f{};
    for (unsigned n = 0; n < f.size(); ++n)
        f[n] = l.wide ? get<std::uint32_t>(image, 4 * n) : get<std::uint16_t>(image, 2 * n);
    set_control_and_status(x, f[control], f[status]);
    x.used = 0;
    for (unsigned n = 0; n < 8; ++n)
        if ((f[tags] >> 2 * n & 3) != 3) x.used = static_cast<std::uint8_t>(x.used | 1u << n);
    x.instruction_selector = x.data_selector = x.opcode = 0;
    if (l.linear) {
        const auto address = [&](unsigned low, unsigned high) {
            return (f[low] & 0xffff) | (f[high] >> 12 & 0xffff) << 16;
        };
        x.instruction_pointer = address(ip, ip_high);
        x.data_pointer = address(dp, dp_high);
        x.opcode = f[ip_high] & opcode_bits;
    } else {
        x.instruction_pointer = f[ip];
        x.data_pointer = f[dp];
        x.instruction_selector = static_cast<std::uint16_t>(f[ip_high]);
        x.data_selector = static_cast<std::uint16_t>(f[dp_high]);
        x.opcode = f[ip_high] >> 16 & opcode_bits;
    }
}

void x87_save_registers(const x87_state& x, std::uint8_t* image) {
    for (unsigned n = 0; n < 8; ++n)
        std::memcpy(image + n * register_size, x87_to_extended(x.st(n)).bytes.data(),
                    register_size);
}

void x87_restore_registers(x87_state& x, const std::uint8_t* image) {
    for (unsigned n = 0; n < 8; ++n)
        x.physical[x.index(n)] = x87_from_extended(image + n * register_size);
}

namespace {

// Offsets in the image of FXSAVE.
constexpr unsigned fx_control = 0, fx_status = 2, fx_tags = 4, fx_opcode = 6, fx_ip = 8, fx_cs = 12,
                   fx_dp = 16, fx_ds = 20, fx_mxcsr = 24, fx_mxcsr_mask = 28, fx_registers = 32;
constexpr std::size_t fx_register_step = 16;

}  // namespace

void x87_save_extended(const x87_state& x, std::uint32_t mxcsr, bool wide, fxsave_image& image,
                       std::uint32_t mxcsr_mask) {
    std::uint8_t* p = image.data();
    put<std::uint16_t>(p, fx_control, x.control);
    put<std::uint16_t>(p, fx_status, x.status);
    put<std::uint16_t>(p, fx_tags, x.used);
    put<std::uint16_t>(p, fx_opcode, x.opcode);
    put<std::uint64_t>(p, fx_ip, x.instruction_pointer);
    put<std::uint64_t>(p, fx_dp, x.data_pointer);
    if (!wide) {
        put<std::uint32_t>(p, fx_cs, x.instruction_selector);
        put<std::uint32_t>(p, fx_ds, x.data_selector);
    }
    put<std::uint32_t>(p, fx_mxcsr, mxcsr);
    put<std::uint32_t>(p, fx_mxcsr_mask, mxcsr_mask);
    for (unsigned n = 0; n < 8; ++n) {
        std::uint8_t* at = p + fx_registers + n * fx_register_step;
        std::memset(at, 0, fx_register_step);
        std::memcpy(at, x87_to_extended(x.st(n)).bytes.data(), register_size);
    }
}

void x87_restore_extended(x87_state& x, bool wide, const fxsave_image& image) {
    const std::uint8_t* p = image.data();
    set_control_and_status(x, get<std::uint16_t>(p, fx_control), get<std::uint16_t>(p, fx_status));
    x.used = p[fx_tags];
    x.opcode = get<std::uint16_t>(p, fx_opcode) & opcode_bits;
    if (wide) {
        x.instruction_pointer = get<std::uint64_t>(p, fx_ip);
        x.data_pointer = get<std::uint64_t>(p, fx_dp);
        x.instruction_selector = x.data_selector = 0;
    } else {
        x.instruction_pointer = get<std::uint32_t>(p, fx_ip);
        x.data_pointer = get<std::uint32_t>(p, fx_dp);
        x.instruction_selector = get<std::uint16_t>(p, fx_cs);
        x.data_selector = get<std::uint16_t>(p, fx_ds);
    }
    for (unsigned n = 0; n < 8; ++n)
        x.physical[x.index(n)] = x87_from_extended(p + fx_registers + n * fx_register_step);
}

std::uint32_t fxsave_mxcsr(const fxsave_image& image) {
    return get<std::uint32_t>(image.data(), fx_mxcsr);
}

}  // namespace knc::isa
