#include <platform/gdb_registers.h>

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include <knc/isa/x87_image.h>

namespace platform {

namespace isa = knc::isa;

namespace {

// Everything a row may need of the state.
using reader = void (*)(const isa::state&, unsigned n, std::uint8_t* to);
using writer = bool (*)(isa::context&, unsigned n, const std::uint8_t* from);

}  // namespace

struct gdb_register_set::row {
    std::string name;
    unsigned bytes;
    const char* type;
    reader read;
    writer write;  // nullptr: refused
    unsigned n;    // which one, for the functions
};

struct gdb_register_set::feature {
    const char* name;
    const char* types;
    std::vector<row> rows;
};

namespace {

using register_row = gdb_register_set::row;
using feature = gdb_register_set::feature;

template <class T>
void put(std::uint8_t* to, T value) {
    std::memcpy(to, &value, sizeof value);
}
template <class T>
T got(const std::uint8_t* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// Into and out of virtual-8086 mode, more than the flag changes.
bool write_flags(isa::context& c, unsigned, const std::uint8_t* from) {
    const auto value = got<std::uint32_t>(from);
    if (((value ^ c.s.eflags) & isa::flag_vm) != 0) return false;
    c.s.set_rflags(value);
    c.update_mode();
    return true;
}

template <std::uint64_t isa::state::*field>
void read_field(const isa::state& s, unsigned, std::uint8_t* to) {
    put(to, s.*field);
}

void read_general(const isa::state& s, unsigned n, std::uint8_t* to) {
    put(to, s.r[n]);
}
template <class T>
bool write_general(isa::context& c, unsigned n, const std::uint8_t* from) {
    c.s.r[n] = got<T>(from);
    return true;
}
void read_selector(const isa::state& s, unsigned n, std::uint8_t* to) {
    put(to, std::uint32_t{s.seg[n].selector});
}
void read_base(const isa::state& s, unsigned n, std::uint8_t* to) {
    put(to, s.seg[n].base);
}
bool write_base(isa::context& c, unsigned n, const std::uint8_t* from) {
    c.s.seg[n].base = got<std::uint64_t>(from);
    return true;
}
void read_x87(const isa::state& s, unsigned n, std::uint8_t* to) {
    put(to, s.x87.st(n).significand);
    put(to + 8, s.x87.st(n).sign_exponent);
}
void read_x87_control(const isa::state& s, unsigned n, std::uint8_t* to) {
    const isa::x87_state& x = s.x87;
    const std::uint32_t values[] = {x.control,
                                    x.status,
                                    isa::x87_tag_word(x),
                                    x.instruction_selector,
                                    static_cast<std::uint32_t>(x.instruction_pointer),
                                    x.data_selector,
                                    static_cast<std::uint32_t>(x.data_pointer),
                                    x.opcode};
    put(to, values[n]);
}
void read_vector(const isa::state& s, unsigned n, std::uint8_t* to) {
    put(to, s.vector.zmm[n].bytes);
}
bool write_vector(isa::context& c, unsigned n, const std::uint8_t* from) {
    std::memcpy(c.s.vector.zmm[n].bytes.data(), from, c.s.vector.zmm[n].bytes.size());
    return true;
}
void read_mask(const isa::state& s, unsigned n, std::uint8_t* to) {
    put(to, s.vector.k[n]);
}
bool write_mask(isa::context& c, unsigned n, const std::uint8_t* from) {
    c.s.vector.k[n] = got<isa::mask_t>(from);
    return true;
}

constexpr const char* flag_types = R"(  <flags id="i386_eflags" size="4">
    <field name="CF" start="0" end="0"/><field name="" start="1" end="1"/>
    <field name="PF" start="2" end="2"/><field name="AF" start="4" end="4"/>
    <field name="ZF" start="6" end="6"/><field name="SF" start="7" end="7"/>
    <field name="TF" start="8" end="8"/><field name="IF" start="9" end="9"/>
    <field name="DF" start="10" end="10"/><field name="OF" start="11" end="11"/>
    <field name="NT" start="14" end="14"/><field name="RF" start="16" end="16"/>
    <field name="VM" start="17" end="17"/><field name="AC" start="18" end="18"/>
    <field name="VIF" start="19" end="19"/><field name="VIP" start="20" end="20"/>
    <field name="ID" start="21" end="21"/>
  </flags>
)";
constexpr const char* vector_types = R"(  <vector id="v16f" type="ieee_single" count="16"/>
  <vector id="v8d" type="ieee_double" count="8"/>
  <vector id="v16i32" type="int32" count="16"/>
  <vector id="v8i64" type="int64" count="8"/>
  <union id="knc_vector">
    <field name="v16_float" type="v16f"/><field name="v8_double" type="v8d"/>
    <field name="v16_int32" type="v16i32"/><field name="v8_int64" type="v8i64"/>
  </union>
)";

struct general_row {
    const char* name;
    isa::gpr number;
};

// In gdb's order, which is not that of the encoding.
std::vector<register_row> general_rows_64() {
    static constexpr general_row general[] = {
        {"rax", isa::rax}, {"rbx", isa::rbx}, {"rcx", isa::rcx}, {"rdx", isa::rdx},
        {"rsi", isa::rsi}, {"rdi", isa::rdi}, {"rbp", isa::rbp}, {"rsp", isa::rsp},
        {"r8", isa::r8},   {"r9", isa::r9},   {"r10", isa::r10}, {"r11", isa::r11},
        {"r12", isa::r12}, {"r13", isa::r13}, {"r14", isa::r14}, {"r15", isa::r15}};
    std::vector<register_row> rows;
    for (const auto& g : general) {
        const bool pointer = g.number == isa::rbp || g.number == isa::rsp;
        rows.push_back({g.name, 8, pointer ? "data_ptr" : "int64", read_general,
                        write_general<std::uint64_t>, g.number});
    }
    return rows;
}

// In the order of the encoding.
std::vector<register_row> general_rows_32() {
    static constexpr general_row general[] = {
        {"eax", isa::rax}, {"ecx", isa::rcx}, {"edx", isa::rdx}, {"ebx", isa::rbx},
        {"esp", isa::rsp}, {"ebp", isa::rbp}, {"esi", isa::rsi}, {"edi", isa::rdi}};
    std::vector<register_row> rows;
    for (const auto& g : general) {
        const bool pointer = g.number == isa::rbp || g.number == isa::rsp;
        rows.push_back({g.name, 4, pointer ? "data_ptr" : "int32", read_general,
                        write_general<std::uint32_t>, g.number});
    }
    return rows;
}

// The general registers; then the instruction pointer, and what both architectures have.
std::vector<register_row> core_rows(std::vector<register_row> rows, const char* ip,
                                    unsigned ip_bytes) {
    static constexpr struct {
        const char* name;
        isa::segment_register number;
    } segments[] = {{"cs", isa::cs}, {"ss", isa::ss}, {"ds", isa::ds},
                    {"es", isa::es}, {"fs", isa::fs}, {"gs", isa::gs}};
    static constexpr const char* x87[] = {"fctrl", "fstat", "ftag",  "fiseg",
                                          "fioff", "foseg", "fooff", "fop"};
    rows.push_back({ip, ip_bytes, "code_ptr",
                    [](const isa::state& s, unsigned, std::uint8_t* to) { put(to, linear_rip(s)); },
                    nullptr, 0});
    rows.push_back({"eflags", 4, "i386_eflags",
                    [](const isa::state& s, unsigned, std::uint8_t* to) {
                        put(to, static_cast<std::uint32_t>(s.rflags()));
                    },
                    write_flags, 0});
    for (const auto& s : segments)
        rows.push_back({s.name, 4, "int32", read_selector, nullptr, s.number});
    for (unsigned n = 0; n < 8; ++n)
        rows.push_back({fmt::format("st{}", n), 10, "i387_ext", read_x87, nullptr, n});
    for (unsigned n = 0; n < 8; ++n)
        rows.push_back({x87[n], 4, "int", read_x87_control, nullptr, n});
    return rows;
}

std::vector<register_row> system_rows() {
    return {{"cr0", 8, "int64", read_field<&isa::state::cr0>, nullptr, 0},
            {"cr2", 8, "int64", read_field<&isa::state::cr2>, nullptr, 0},
            {"cr3", 8, "int64", read_field<&isa::state::cr3>, nullptr, 0},
            {"cr4", 8, "int64", read_field<&isa::state::cr4>, nullptr, 0},
            {"efer", 8, "int64", read_field<&isa::state::efer>, nullptr, 0}};
}

std::vector<register_row> vector_rows() {
    std::vector<register_row> rows;
    for (unsigned n = 0; n < isa::vector_state::registers; ++n)
        rows.push_back({fmt::format("zmm{}", n), 64, "knc_vector", read_vector, write_vector, n});
    for (unsigned n = 0; n < isa::vector_state::masks; ++n)
        rows.push_back({fmt::format("k{}", n), 2, "uint16", read_mask, write_mask, n});
    return rows;
}

const std::vector<feature>& features_64() {
    static const std::vector<feature> all = {
        {"org.gnu.gdb.i386.core", flag_types, core_rows(general_rows_64(), "rip", 8)},
        {"org.gnu.gdb.i386.segments",
         "",
         {{"fs_base", 8, "int64", read_base, write_base, isa::fs},
          {"gs_base", 8, "int64", read_base, write_base, isa::gs}}},
        {"org.knc.system", "", system_rows()},
        {"org.knc.vector", vector_types, vector_rows()}};
    return all;
}

const std::vector<feature>& features_32() {
    static const std::vector<feature> all = {
        {"org.gnu.gdb.i386.core", flag_types, core_rows(general_rows_32(), "eip", 4)},
        {"org.knc.system", "", system_rows()},
        {"org.knc.vector", vector_types, vector_rows()}};
    return all;
}

std::string describe(const char* architecture, const std::vector<feature>& features) {
    std::string text = fmt::format(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
        "<target version=\"1.0\">\n<architecture>{}</architecture>\n",
        architecture);
    for (const feature& f : features) {
        text += fmt::format("<feature name=\"{}\">\n{}", f.name, f.types);
        for (const register_row& r : f.rows) {
            text += fmt::format("  <reg name=\"{}\" bitsize=\"{}\" type=\"{}\"/>\n", r.name,
                                r.bytes * 8, r.type);
        }
        text += "</feature>\n";
    }
    return text + "</target>\n";
}

}  // namespace

std::uint64_t linear_rip(const isa::state& s) {
    return s.seg[isa::cs].base + s.r[isa::rip];
}

gdb_register_set::gdb_register_set(const char* architecture, const std::vector<feature>& features,
                                   std::size_t ip)
    : ip_(ip), description_(describe(architecture, features)) {
    for (const feature& f : features)
        for (const row& r : f.rows) rows_.push_back(&r);
}

const gdb_register_set& gdb_register_set::of(gdb_code code) {
    static const gdb_register_set x86_64{"i386:x86-64", features_64(), general_rows_64().size()};
    static const gdb_register_set i386{"i386", features_32(), general_rows_32().size()};
    static const gdb_register_set i8086{"i8086", features_32(), general_rows_32().size()};
    return code == gdb_code::x86_64 ? x86_64 : code == gdb_code::i386 ? i386 : i8086;
}

std::size_t gdb_register_set::bytes(std::size_t number) const {
    return rows_[number]->bytes;
}

std::string gdb_register_set::read(const isa::state& s, std::size_t number) const {
    const row& r = *rows_[number];
    std::uint8_t bytes[sizeof(isa::vector_register)];
    r.read(s, r.n, bytes);
    return {reinterpret_cast<const char*>(bytes), r.bytes};
}

bool gdb_register_set::write(isa::context& c, std::size_t number, std::string_view bytes) const {
    const row& r = *rows_[number];
    return r.write != nullptr && bytes.size() == r.bytes &&
           r.write(c, r.n, reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string gdb_register_set::ip_bytes(std::uint64_t la) const {
    return {reinterpret_cast<const char*>(&la), bytes(ip_)};
}

std::optional<std::uint64_t> gdb_register_set::ip_of(std::string_view text) const {
    std::uint64_t la = 0;
    if (text.size() != bytes(ip_)) return {};
    std::memcpy(&la, text.data(), text.size());
    return la;
}

}  // namespace platform
