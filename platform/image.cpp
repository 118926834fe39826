#include <platform/image.h>

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <gelf.h>

#include <platform/input_error.h>
#include <platform/linux_image.h>
#include <platform/multiboot.h>
#include <platform/utf8.h>

namespace platform {

namespace {

struct end_elf {
    void operator()(Elf* e) const { elf_end(e); }
};

// More than any image has; a hostile file must not make us work for ever.
constexpr std::size_t most_segments = 4096;
constexpr std::uint64_t most_symbols = 1'000'000;

class reader {
  public:
    reader(std::string bytes, const std::string& path) : path_(path) {
        image_.name = path.substr(path.rfind('/') + 1);
        image_.file = std::move(bytes);
    }

    image run() {
        open();
        check_header();
        read_segments();
        check_entry();
        find_protocol();
        read_symbols();
        read_code();
        return std::move(image_);
    }

    image run_program() {
        open();
        check_header();
        read_segments();
        read_symbols();
        const auto& all = image_.symbols;
        if (std::none_of(all.begin(), all.end(), [](const symbol& s) { return s.function; }))
            fail("no symbols of functions");
        keep_code_only();
        return std::move(image_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw input_error(path_ + ": " + what);
    }

    bool in_file(std::uint64_t offset, std::uint64_t size) const {
        return offset <= image_.file.size() && size <= image_.file.size() - offset;
    }

    void open() {
        if (!looks_like_elf(image_.file)) fail("not an ELF file");
        elf_version(EV_CURRENT);
        elf_.reset(elf_memory(image_.file.data(), image_.file.size()));
        if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF ||
            gelf_getehdr(elf_.get(), &header_) == nullptr)
            fail("truncated or damaged ELF file");
    }

    void check_header() const {
        if (header_.e_ident[EI_DATA] != ELFDATA2LSB) fail("not a little-endian ELF file");
        const int expected = header_.e_ident[EI_CLASS] == ELFCLASS64 ? EM_X86_64 : EM_386;
        if (header_.e_machine != expected)
            fail(fmt::format("an ELF file for machine {}, not for x86", header_.e_machine));
        if (header_.e_type != ET_EXEC) fail("not an executable with fixed addresses (ET_EXEC)");
    }

    void read_segments() {
        std::size_t count = 0;
        if (elf_getphdrnum(elf_.get(), &count) != 0 || count > most_segments)
            fail("damaged program header table");
        for (std::size_t i = 0; i < count; ++i) {
            GElf_Phdr p;
            if (gelf_getphdr(elf_.get(), static_cast<int>(i), &p) == nullptr)
                fail("truncated program header table");
            if (p.p_type != PT_LOAD || p.p_memsz == 0) continue;
            add_segment(p, i);
        }
        if (image_.segments.empty()) fail("nothing to load (no PT_LOAD segment)");
    }

    void add_segment(const GElf_Phdr& p, std::size_t i) {
        constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
        if (p.p_filesz > p.p_memsz)
            fail(fmt::format("segment {} is larger in the file than in memory", i));
        if (!in_file(p.p_offset, p.p_filesz))
            fail(fmt::format("truncated: segment {} is not in the file", i));
        if (p.p_paddr > top - p.p_memsz || p.p_vaddr > top - p.p_memsz)
            fail(fmt::format("segment {} wraps around the address space", i));
        for (const segment& s : image_.segments) {
            if (p.p_paddr < s.physical + s.memory_size && s.physical < p.p_paddr + p.p_memsz)
                fail(fmt::format("segment {} overlaps another one", i));
        }
        image_.segments.push_back(
            {p.p_paddr, p.p_vaddr, p.p_memsz, p.p_offset, p.p_filesz, (p.p_flags & PF_X) != 0});
    }

    void check_entry() {
        const auto holds = [&](const segment& s) {
            return s.executable && header_.e_entry >= s.physical &&
                   header_.e_entry - s.physical < s.memory_size;
        };
        if (header_.e_entry > std::numeric_limits<std::uint32_t>::max() ||
            std::none_of(image_.segments.begin(), image_.segments.end(), holds))
            fail(fmt::format("entry {:#x} is not the physical address of loaded code",
                             header_.e_entry));
        image_.entry = static_cast<std::uint32_t>(header_.e_entry);
    }

    void find_protocol() {
        // Page alignment, memory map and the a.out fields; other flags below 16 ask for what is not
        // there.
        constexpr std::uint32_t understood = 0x1'0003, optional = 0xFFFF'0000;
        const auto h = multiboot::find_header(image_.file);
        if (!h && header_.e_ident[EI_CLASS] == ELFCLASS64 && is_vmlinux(image_.segments)) {
            image_.protocol = boot_protocol::vmlinux;
            return;
        }
        if (!h) fail("no Multiboot header in the first 8192 bytes");
        if ((h->flags & ~(understood | optional)) != 0)
            fail(fmt::format("the Multiboot header asks for what this loader has not (flags {:#x})",
                             h->flags));
    }

    void read_symbols() {
        Elf_Scn* section = nullptr;
        while ((section = elf_nextscn(elf_.get(), section)) != nullptr) {
            GElf_Shdr s;
            if (gelf_getshdr(section, &s) == nullptr) fail("damaged section header table");
            if (s.sh_type != SHT_SYMTAB || s.sh_entsize == 0) continue;
            Elf_Data* data = elf_getdata(section, nullptr);
            if (data == nullptr || s.sh_size / s.sh_entsize > most_symbols)
                fail("damaged symbol table");
            add_symbols(data, s.sh_size / s.sh_entsize, s.sh_link);
        }
        std::stable_sort(image_.symbols.begin(), image_.symbols.end(),
                         [](const symbol& a, const symbol& b) { return a.address < b.address; });
    }

    void add_symbols(Elf_Data* data, std::uint64_t count, std::size_t strings) {
        for (std::uint64_t i = 0; i < count; ++i) {
            GElf_Sym s;
            if (gelf_getsym(data, static_cast<int>(i), &s) == nullptr)
                fail("truncated symbol table");
            const auto type = GELF_ST_TYPE(s.st_info);
            if (s.st_shndx == SHN_UNDEF || s.st_value == 0 ||
                (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE))
                continue;
            const char* text = elf_strptr(elf_.get(), strings, s.st_name);
            if (text == nullptr) fail("damaged symbol names");
            if (*text == '\0') continue;
            const bool label = type == STT_NOTYPE && in_code(s.st_shndx);
            image_.symbols.push_back(
                {s.st_value, s.st_size, as_name(text), type == STT_FUNC, label, rank_of(s, text)});
        }
    }

    // The rest of the file may be large.
    void keep_code_only() {
        std::string code;
        for (segment& s : image_.segments) {
            if (!s.executable) s.file_size = 0;
            const std::string_view content = image_.content(s);
            s.file_offset = code.size();
            code += content;
        }
        image_.file = std::move(code);
    }

    bool in_code(std::size_t section) const {
        GElf_Shdr s;
        Elf_Scn* const found = elf_getscn(elf_.get(), section);
        return found != nullptr && gelf_getshdr(found, &s) != nullptr &&
               (s.sh_flags & SHF_EXECINSTR) != 0;
    }

    // Names that programs use before names of the library's inside.
    static std::uint8_t rank_of(const GElf_Sym& s, std::string_view name) {
        const auto binding = GELF_ST_BIND(s.st_info);
        const unsigned by_binding = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
        const auto underscores = std::min<std::size_t>(name.find_first_not_of('_'), 3);
        return static_cast<std::uint8_t>(by_binding * 4 + underscores);
    }

    // Only listings use this: what is damaged here does not keep an image from running.
    void read_code() {
        std::size_t names = 0;
        if (elf_getshdrstrndx(elf_.get(), &names) != 0) return;
        unsigned usual = header_.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
        Elf_Scn* section = nullptr;
        while ((section = elf_nextscn(elf_.get(), section)) != nullptr) {
            GElf_Shdr s;
            if (gelf_getshdr(section, &s) == nullptr) break;
            if (s.sh_type != SHT_PROGBITS || (s.sh_flags & SHF_EXECINSTR) == 0 ||
                !in_file(s.sh_offset, s.sh_size))
                continue;
            const char* text = elf_strptr(elf_.get(), names, s.sh_name);
            const unsigned named = text != nullptr ? bits_of(text) : 0;
            if (named == 32) usual = 64;
            image_.code.push_back({s.sh_addr, s.sh_offset, s.sh_size, named});
        }
        for (code_section& c : image_.code)
            if (c.bits == 0) c.bits = usual;
    }
    static unsigned bits_of(std::string_view name) {
        if (name.substr(0, 7) == ".code16") return 16;
        if (name.substr(0, 7) == ".code32") return 32;
        return 0;
    }

    std::string path_;
    image image_;
    std::unique_ptr<Elf, end_elf> elf_;
    GElf_Ehdr header_{};
};

}  // namespace

const symbol* image::find(std::string_view wanted) const {
    const auto found = std::find_if(symbols.begin(), symbols.end(),
                                    [&](const symbol& s) { return s.name == wanted; });
    return found == symbols.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> image::physical(std::uint64_t virtual_address,
                                             std::uint64_t size) const {
    for (const segment& s : segments) {
        if (virtual_address < s.virtual_address) continue;
        const std::uint64_t offset = virtual_address - s.virtual_address;
        if (offset <= s.memory_size && size <= s.memory_size - offset) return s.physical + offset;
    }
    return {};
}

bool looks_like_elf(std::string_view bytes) {
    return bytes.substr(0, SELFMAG) == ELFMAG;
}

image read_image(std::string bytes, const std::string& path) {
    return reader{std::move(bytes), path}.run();
}

image read_program(std::string bytes, const std::string& path) {
    return reader{std::move(bytes), path}.run_program();
}

}  // namespace platform
