// sw/tests/vector_forms.S, vector_header.c and vector_inline.c, built as all firmware is and
// linked: what the machine will decode.
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "assemble.h"

namespace knc_as::test {
namespace {

struct image {
    std::map<std::string, std::uint64_t> symbols;
    std::uint64_t address = 0;  // of the code
    bytes code;
};

void take_symbols(Elf_Scn* section, const GElf_Shdr& header, Elf* elf, image& i) {
    Elf_Data* data = elf_getdata(section, nullptr);
    for (int n = 0; n < static_cast<int>(header.sh_size / header.sh_entsize); ++n) {
        GElf_Sym symbol;
        gelf_getsym(data, n, &symbol);
        i.symbols[elf_strptr(elf, header.sh_link, symbol.st_name)] = symbol.st_value;
    }
}

image read_image(const char* file) {
    image i;
    elf_version(EV_CURRENT);
    const int fd = open(file, O_RDONLY);
    Elf* elf = elf_begin(fd, ELF_C_READ, nullptr);
    std::size_t names = 0;
    elf_getshdrstrndx(elf, &names);
    for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
        GElf_Shdr header;
        gelf_getshdr(s, &header);
        if (header.sh_type == SHT_SYMTAB) take_symbols(s, header, elf, i);
        if (std::strcmp(elf_strptr(elf, names, header.sh_name), ".text") != 0) continue;
        const Elf_Data* data = elf_getdata(s, nullptr);
        const auto* first = static_cast<const std::uint8_t*>(data->d_buf);
        i.code.assign(first, first + data->d_size);
        i.address = header.sh_addr;
    }
    elf_end(elf);
    close(fd);
    return i;
}

// Instructions from the symbol `name` on up to RET, with absolute addresses.
std::vector<std::string> listing(const image& i, const std::string& name) {
    std::vector<std::string> lines;
    ZydisFormatter formatter;
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    for (std::uint64_t at = i.symbols.at(name); at < i.address + i.code.size();) {
        decoded d;
        const auto first = i.code.begin() + static_cast<std::ptrdiff_t>(at - i.address);
        if (!decode(bytes(first, i.code.end()), d)) return lines;
        char text[256];
        ZydisFormatterFormatInstruction(&formatter, &d.insn, d.operands,
                                        d.insn.operand_count_visible, text, sizeof text, at,
                                        nullptr);
        lines.push_back(text);
        if (d.insn.mnemonic == ZYDIS_MNEMONIC_RET) return lines;
        at += d.insn.length;
    }
    return lines;
}

// The address of a symbol as the decoder's library prints branches and absolute operands, and
// displacements.
std::string absolute(const image& i, const char* name, std::uint64_t offset = 0) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%016llX",
                  static_cast<unsigned long long>(i.symbols.at(name) + offset));
    return text;
}
std::string displacement(const image& i, const char* name, std::uint64_t offset) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llX",
                  static_cast<unsigned long long>(i.symbols.at(name) + offset));
    return text;
}

TEST(object, assembly_source) {
    const image i = read_image(KNC_VECTOR_FORMS);
    // Label 1 of the source: behind instructions of 6, 7, 6, 10, 10, 12, 11 and 8 bytes.
    const std::string label = absolute(i, "vector_forms", 6 + 7 + 6 + 10 + 10 + 12 + 11 + 8);
    const std::vector<std::string> wanted = {
        "vaddps zmm1 {k1}, zmm2, zmm3 {cdab}",
        "vaddps zmm1, zmm2, [rax+rbx*8] {1to16}",
        "vmulps zmm1, zmm2, zmm31 {rn-sae}",
        "vmovaps zmm4, zmmword ptr [" + absolute(i, "table") + "]",
        "vmovaps zmm5, zmmword ptr [" + absolute(i, "table", 64) + "]",
        "vcmpps k2 {k3}, zmm5, [rcx*4+" + displacement(i, "table", 128) + "] {float16}, 0x01",
        "vpshufd zmm6, zmmword ptr [" + absolute(i, "extern_table") + "], 0x1B",
        "vgatherdps zmm8 {k2}, dword ptr [rdi+zmm7*4+0x04]",
        "vpackstorelps xmmword ptr [rsi] {k2} {uint8}, zmm8",
        "kortest k2, k2",
        "jkzd k2, " + label,
        "jknzd k3, " + absolute(i, "vector_inline"),
        "delay eax",
        "vaddps zmm1 {k1}, zmm2, zmm3 {cdab}",
        "vmovaps zmm4, zmmword ptr [" + absolute(i, "table") + "]",
        "vmovaps zmm5, zmmword ptr [rcx*4+" + displacement(i, "table", 64) + "]",
        "jkzd k2, " + label,
        "kand k2, k1",
        "ret",
    };
    EXPECT_EQ(listing(i, "vector_forms"), wanted);
}

TEST(object, inline_assembly) {
    const std::vector<std::string> wanted = {
        "mov ecx, 0x55",
        "kmov k1, ecx",
        "vpaddd zmm2 {k1}, zmm1, [rdi] {uint8}",
        "vmovdqa32 zmmword ptr [rsi], zmm2",
        "kmov eax, k1",
        "ret",
    };
    EXPECT_EQ(listing(read_image(KNC_VECTOR_FORMS), "vector_inline"), wanted);
}

// The source calls the functions of sw/lib/knc_vector.h in this order.
TEST(object, header) {
    const image i = read_image(KNC_VECTOR_FORMS);
    std::vector<std::string> found = listing(i, "vector_header");
    const std::vector<std::string> wanted = {
        "vaddps zmm1, zmm2, zmm3",
        "vaddps zmm1, zmm2, [rdi]",
        "vaddpd zmm1, zmm2, [rdi]",
        "vaddps zmm1, zmm2, zmm3 {cdab}",
        "vaddps zmm1, zmm2, zmm3 {badc}",
        "vmulps zmm1, zmm2, zmm3",
        "vmulpd zmm1, zmm2, [rdi]",
        "vfmadd231ps zmm29, zmm30, zmm31",
        "vfmadd231pd zmm29, zmm30, zmm31",
        "vfmadd231ps zmm1, zmm2, [rdi+0x40]",
        "vfmadd231pd zmm1, zmm2, [rdi+0x80]",
        "vfmadd231ps zmm1, zmm2, [rdi+0x04] {1to16}",
        "vfmadd231pd zmm1, zmm2, [rdi+0x08] {1to8}",
        "vpxord zmm1, zmm2, zmm3",
        "vaddps zmm1 {k7}, zmm2, zmm3",
        "vsubps zmm1 {k7}, zmm2, zmm3",
        "vmulps zmm1 {k7}, zmm2, zmm3",
        "vpaddd zmm1 {k7}, zmm2, zmm3",
        "vmovaps zmm1, zmmword ptr [rdi]",
        "vmovapd zmm1, zmmword ptr [rdi]",
        "vmovdqa32 zmm1, zmmword ptr [rdi]",
        "vmovaps zmm1, ymmword ptr [rdi+0x20] {float16}",
        "vbroadcastss zmm1, dword ptr [rdi+0x0C]",
        "vbroadcastsd zmm1, qword ptr [rdi+0x10]",
        "vpbroadcastd zmm1, dword ptr [rdi+0x14]",
        "vmovaps zmmword ptr [rsi], zmm1",
        "vmovapd zmmword ptr [rsi], zmm1",
        "vmovaps ymmword ptr [rsi+0x20] {float16}, zmm1",
        "vmovdqa32 xmmword ptr [rsi+0x10] {uint8}, zmm1",
        "vmovnrapd zmmword ptr [rsi], zmm1",
        "vmovnrngoapd zmmword ptr [rsi] {eh}, zmm1",
        "vloadunpacklps zmm1, zmmword ptr [rdi+0x18]",
        "vloadunpackhps zmm1, zmmword ptr [rdi+0x5C]",
        "vgatherdps zmm1 {k2}, dword ptr [rdi+zmm3*4]",
        "vgatherdpd zmm1 {k2}, qword ptr [rdi+zmm3*8]",
        "vcmpps k1 {k2}, zmm3, zmm4, 0x02",
        "vprefetch0 [rdi]",
        "vprefetch1 [rdi]",
        "vprefetche0 [rsi]",
        "vprefetche1 [rsi]",
        "valignd zmm1, zmm2, [rdi], 0x0F",
        "vpermf32x4 zmm1, zmm2, 0x4E",
        "xor eax, eax",
        "kmov k1, eax",
        "kmov k1, k2",
        "vpxord zmm0, zmm0, zmm0",
        "jknzd k1",
        "ret",
    };
    ASSERT_EQ(found.size(), wanted.size());
    std::string& branch = found[found.size() - 2];
    branch = branch.substr(0, branch.find(','));  // without its target
    EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace knc_as::test
