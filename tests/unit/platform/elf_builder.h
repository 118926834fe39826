// A minimal firmware image in memory, whole or damaged on purpose.
#ifndef KNC_TESTS_UNIT_PLATFORM_ELF_BUILDER_H
#define KNC_TESTS_UNIT_PLATFORM_ELF_BUILDER_H

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace platform {

// An ELF64 executable: header, program headers, Multiboot header and code at `code_offset`, then
// symbol table, string table and section headers.
struct elf_builder {
    static constexpr std::size_t code_offset = 0x1000;
    static constexpr std::size_t code_size = 0x100;

    Elf64_Ehdr header{};
    std::vector<Elf64_Phdr> segments;
    std::vector<Elf64_Sym> symbols{1};  // the first is empty
    std::string names = std::string(1, '\0');
    std::uint32_t multiboot_flags = 3;
    bool with_multiboot = true;

    elf_builder() {
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = ELFCLASS64;
        header.e_ident[EI_DATA] = ELFDATA2LSB;
        header.e_ident[EI_VERSION] = EV_CURRENT;
        header.e_type = ET_EXEC;
        header.e_machine = EM_X86_64;
        header.e_version = EV_CURRENT;
        header.e_entry = 0x100010;
        header.e_ehsize = sizeof header;
        header.e_phoff = sizeof header;
        header.e_phentsize = sizeof(Elf64_Phdr);
        header.e_shentsize = sizeof(Elf64_Shdr);
        add_segment(0x100000, 0x100000, code_size, 0x200, PF_R | PF_X);
    }

    void add_segment(std::uint64_t physical, std::uint64_t virtual_address, std::uint64_t file_size,
                     std::uint64_t memory_size, std::uint32_t flags) {
        Elf64_Phdr p{};
        p.p_type = PT_LOAD;
        p.p_flags = flags;
        p.p_offset = code_offset;
        p.p_paddr = physical;
        p.p_vaddr = virtual_address;
        p.p_filesz = file_size;
        p.p_memsz = memory_size;
        segments.push_back(p);
    }

    void add_symbol(const std::string& name, std::uint64_t value, std::uint64_t size,
                    unsigned char type) {
        Elf64_Sym s{};
        s.st_name = static_cast<Elf64_Word>(names.size());
        s.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
        s.st_shndx = SHN_ABS;
        s.st_value = value;
        s.st_size = size;
        symbols.push_back(s);
        names += name + '\0';
    }

    std::string bytes() const {
        Elf64_Ehdr h = header;
        h.e_phnum = static_cast<Elf64_Half>(segments.size());
        std::string file(code_offset + code_size, '\0');
        if (with_multiboot) {
            const std::uint32_t mb[] = {0x1BADB002, multiboot_flags,
                                        0u - 0x1BADB002 - multiboot_flags};
            std::memcpy(file.data() + code_offset, mb, sizeof mb);
        }
        if (symbols.size() > 1) {
            Elf64_Shdr sections[3]{};
            sections[1].sh_type = SHT_SYMTAB;
            sections[1].sh_entsize = sizeof(Elf64_Sym);
            sections[1].sh_offset = file.size();
            sections[1].sh_size = symbols.size() * sizeof(Elf64_Sym);
            sections[1].sh_link = 2;
            file.append(reinterpret_cast<const char*>(symbols.data()), sections[1].sh_size);
            sections[2].sh_type = SHT_STRTAB;
            sections[2].sh_offset = file.size();
            sections[2].sh_size = names.size();
            file += names;
            file.resize((file.size() + 7) & ~std::size_t{7});
            h.e_shoff = file.size();
            h.e_shnum = 3;
            file.append(reinterpret_cast<const char*>(sections), sizeof sections);
        }
        std::memcpy(file.data() + sizeof h, segments.data(), segments.size() * sizeof(Elf64_Phdr));
        std::memcpy(file.data(), &h, sizeof h);
        return file;
    }
};

}  // namespace platform

#endif
