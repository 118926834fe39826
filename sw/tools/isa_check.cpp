// Checks linked images for instructions that a Knights Corner core, or one of the profile given,
// does not execute:
//   isa_check [--profile compat|p55c] IMAGE.elf...
//
// Disassembles every executable section. Sections .code16 and .code32 hold 16- and 32-bit code, all
// others the code of the image's class. Prints file, address, symbol and instruction of each
// violation: instructions that knc::isa::refused() names, bytes that decode to nothing, and the
// multi-byte NOP 0F 1F, which the core may lack. Exit status: 0 clean, 1 violations, 2 unreadable
// image.
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include <cstdio>
#include <map>
#include <string>

#include <knc/isa/profile.h>

namespace {

using symbol_map = std::map<std::uint64_t, std::string>;

symbol_map read_symbols(Elf* elf) {
    symbol_map symbols;
    for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
        GElf_Shdr header;
        if (gelf_getshdr(s, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
        Elf_Data* data = elf_getdata(s, nullptr);
        const int count = static_cast<int>(header.sh_size / header.sh_entsize);
        for (int i = 0; i < count; ++i) {
            GElf_Sym symbol;
            if (gelf_getsym(data, i, &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
            if (GELF_ST_TYPE(symbol.st_info) > STT_FUNC) continue;
            const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name != nullptr && *name != '\0') symbols[symbol.st_value] = name;
        }
    }
    return symbols;
}

std::string place(const symbol_map& symbols, std::uint64_t address) {
    auto at = symbols.upper_bound(address);
    if (at == symbols.begin()) return "?";
    --at;
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%llx",
                  static_cast<unsigned long long>(address - at->first));
    return at->second + offset;
}

struct machine {
    ZydisMachineMode mode;
    ZydisStackWidth width;
};

machine machine_of(const std::string& section, bool is_64_bit) {
    if (section.rfind(".code16", 0) == 0)
        return {ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16};
    if (section.rfind(".code32", 0) == 0 || !is_64_bit) {
        return {ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32};
    }
    return {ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64};
}

bool is_long_nop(const ZydisDecodedInstruction& i) {
    return i.mnemonic == ZYDIS_MNEMONIC_NOP && i.opcode_map == ZYDIS_OPCODE_MAP_0F;
}

unsigned check_section(const char* file, const symbol_map& symbols, machine m,
                       knc::isa::profile profile, std::uint64_t address, const std::uint8_t* bytes,
                       std::size_t size) {
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, m.mode, m.width);
    if (profile != knc::isa::profile::p55c)
        ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_KNC, ZYAN_TRUE);
    ZydisFormatter formatter;
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);

    unsigned violations = 0;
    const auto report = [&](std::size_t at, const char* text, const char* why) {
        std::printf("%s: 0x%llx <%s>: %s: %s\n", file,
                    static_cast<unsigned long long>(address + at),
                    place(symbols, address + at).c_str(), text, why);
        ++violations;
    };
    for (std::size_t at = 0; at < size;) {
        ZydisDecodedInstruction i;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes + at, size - at, &i, operands))) {
            report(at, "(bad)", "not an instruction");
            ++at;
            continue;
        }
        const char* why = "outside the profile";
        const bool long_nop = is_long_nop(i);
        if (long_nop || knc::isa::refused(profile, i, &why)) {
            char text[128];
            ZydisFormatterFormatInstruction(&formatter, &i, operands, i.operand_count_visible, text,
                                            sizeof text, address + at, nullptr);
            report(at, text, long_nop ? "multi-byte NOP" : why);
        }
        at += i.length;
    }
    return violations;
}

unsigned check_image(const char* file, Elf* elf, knc::isa::profile profile) {
    const symbol_map symbols = read_symbols(elf);
    const bool is_64_bit = gelf_getclass(elf) == ELFCLASS64;
    std::size_t names = 0;
    elf_getshdrstrndx(elf, &names);
    unsigned violations = 0;
    for (Elf_Scn* s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
        GElf_Shdr header;
        if (gelf_getshdr(s, &header) == nullptr || header.sh_type != SHT_PROGBITS) continue;
        if ((header.sh_flags & SHF_EXECINSTR) == 0) continue;
        const char* name = elf_strptr(elf, names, header.sh_name);
        const Elf_Data* data = elf_getdata(s, nullptr);
        if (data == nullptr || data->d_buf == nullptr) continue;
        violations += check_section(
            file, symbols, machine_of(name != nullptr ? name : "", is_64_bit), profile,
            header.sh_addr, static_cast<const std::uint8_t*>(data->d_buf), data->d_size);
    }
    return violations;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: isa_check [--profile compat|p55c] IMAGE.elf...\n");
        return 2;
    }
    elf_version(EV_CURRENT);
    unsigned violations = 0;
    knc::isa::profile profile = knc::isa::profile::knc;
    int first = 1;
    if (argc > 2 && std::string{argv[1]} == "--profile") {
        const std::string name = argv[2];
        if (name != "compat" && name != "p55c") {
            std::fprintf(stderr, "isa_check: --profile: compat or p55c\n");
            return 2;
        }
        profile = name == "compat" ? knc::isa::profile::compat : knc::isa::profile::p55c;
        first = 3;
    }
    for (int i = first; i < argc; ++i) {
        const int fd = open(argv[i], O_RDONLY);
        Elf* elf = fd < 0 ? nullptr : elf_begin(fd, ELF_C_READ, nullptr);
        if (elf == nullptr || elf_kind(elf) != ELF_K_ELF) {
            std::fprintf(stderr, "isa_check: %s: not a readable ELF file\n", argv[i]);
            return 2;
        }
        violations += check_image(argv[i], elf, profile);
        elf_end(elf);
        close(fd);
    }
    return violations == 0 ? 0 : 1;
}
