// insn_several_accesses: representative encodings with and without it. That no instruction without
// it waits behind an access is tested for all there are in tests/isa/several_accesses.cpp.
#include <initializer_list>

#include <gtest/gtest.h>

#include <knc/isa/decoder.h>

namespace knc::isa::test {
namespace {

struct encoding {
    std::initializer_list<std::uint8_t> code;
    code_mode mode = code_mode::bits64;
};

std::uint32_t flags_of(const encoding& e) {
    insn i;
    EXPECT_EQ(
        decode(profile::compat, e.mode, e.code.begin(), static_cast<unsigned>(e.code.size()), i),
        decode_result::ok);
    EXPECT_EQ(i.length, e.code.size());
    EXPECT_EQ(i.flags & (insn_refused | insn_undefined | insn_not_executed), 0u);
    return i.flags;
}

std::string text_of(const encoding& e) {
    return disassemble(e.mode, e.code.begin(), static_cast<unsigned>(e.code.size()), 0);
}

constexpr auto bits32 = code_mode::bits32;

TEST(several_accesses, are_made_by) {
    const encoding all[] = {
        {{0xFF, 0x30}},                      // push [rax]
        {{0x8F, 0x00}},                      // pop [rax]
        {{0xFF, 0x10}},                      // call [rax]
        {{0xA4}},                            // movsb
        {{0xF3, 0x48, 0xA5}},                // rep movsq
        {{0xA6}},                            // cmpsb
        {{0xF3, 0xA7}},                      // repe cmpsd
        {{0xC8, 0, 0, 0}},                   // enter 0, 0: the page of the new top
        {{0xC8, 0, 0, 2}},                   // enter 0, 2
        {{0x60}, bits32},                    // pushad
        {{0x66, 0x61}, bits32},              // popa
        {{0x62, 0x00}, bits32},              // bound eax, [eax]
        {{0x8E, 0xD8}},                      // mov ds, eax
        {{0x8E, 0x18}},                      // mov ds, [rax]
        {{0x1F}, bits32},                    // pop ds
        {{0x0F, 0xA1}},                      // pop fs
        {{0xC5, 0x00}, bits32},              // lds eax, [eax]
        {{0x0F, 0xB2, 0x00}},                // lss eax, [rax]
        {{0x0F, 0x02, 0xC0}},                // lar eax, eax
        {{0x0F, 0x03, 0x00}},                // lsl eax, [rax]
        {{0x0F, 0x00, 0xE0}},                // verr ax
        {{0x0F, 0x00, 0x28}},                // verw [rax]
        {{0x0F, 0x00, 0xD0}},                // lldt ax
        {{0x0F, 0x00, 0x18}},                // ltr [rax]
        {{0xEA, 0, 0, 0, 0, 8, 0}, bits32},  // jmp 8:0
        {{0xFF, 0x28}},                      // jmp far [rax]
        {{0xFF, 0x18}},                      // call far [rax]
        {{0xCB}},                            // ret far
        {{0xCD, 0x40}},                      // int 40h
        {{0xCC}},                            // int3
        {{0xCE}, bits32},                    // into
        {{0x48, 0xCF}},                      // iretq
        {{0xE4, 0x40}},                      // in al, 40h: the map of the TSS
        {{0xEF}},                            // out dx, eax
        {{0x6C}},                            // insb
        {{0xF3, 0x6F}},                      // rep outsd
    };
    for (const encoding& e : all) EXPECT_NE(flags_of(e) & insn_several_accesses, 0u) << text_of(e);
}

TEST(several_accesses, are_not_made_by) {
    const encoding all[] = {
        {{0x90}},                          // nop
        {{0x8B, 0x00}},                    // mov eax, [rax]
        {{0x89, 0x00}},                    // mov [rax], eax
        {{0xA1, 0, 0, 0, 0, 0, 0, 0, 0}},  // mov eax, [0]
        {{0x8C, 0x18}},                    // mov [rax], ds
        {{0x50}},                          // push rax
        {{0x6A, 0x01}},                    // push 1
        {{0x0F, 0xA0}},                    // push fs
        {{0x58}},                          // pop rax
        {{0x9C}},                          // pushfq
        {{0x9D}},                          // popfq
        {{0xE8, 0, 0, 0, 0}},              // call
        {{0xFF, 0xD0}},                    // call rax
        {{0xFF, 0x20}},                    // jmp [rax]
        {{0xC3}},                          // ret
        {{0xC2, 8, 0}},                    // ret 8
        {{0xC9}},                          // leave
        {{0x01, 0x00}},                    // add [rax], eax
        {{0x03, 0x00}},                    // add eax, [rax]
        {{0x39, 0x00}},                    // cmp [rax], eax
        {{0xF0, 0xFF, 0x00}},              // lock inc dword [rax]
        {{0x87, 0x00}},                    // xchg [rax], eax
        {{0x0F, 0xC1, 0x00}},              // xadd [rax], eax
        {{0x0F, 0xB1, 0x08}},              // cmpxchg [rax], ecx
        {{0x0F, 0xC7, 0x08}},              // cmpxchg8b [rax]
        {{0x48, 0x0F, 0xC7, 0x08}},        // cmpxchg16b [rax]: in one line
        {{0x0F, 0xAB, 0x00}},              // bts [rax], eax
        {{0xD3, 0x00}},                    // rol dword [rax], cl
        {{0x63, 0x00}, bits32},            // arpl [eax], ax
        {{0xF7, 0x30}},                    // div dword [rax]: microcode
        {{0xD7}},                          // xlat
        {{0xAA}},                          // stosb
        {{0xF3, 0x48, 0xAB}},              // rep stosq: one element at a time
        {{0xF3, 0xAC}},                    // rep lodsb
        {{0xF2, 0xAE}},                    // repne scasb
        {{0xD9, 0x00}},                    // fld dword [rax]
        {{0xDB, 0x38}},                    // fstp tbyte [rax]
        {{0xD9, 0x20}},                    // fldenv: one block
        {{0xDD, 0x30}},                    // fnsave
        {{0x0F, 0xAE, 0x00}},              // fxsave
        {{0x0F, 0xAE, 0x08}},              // fxrstor
        {{0x0F, 0x01, 0x10}},              // lgdt [rax]
        {{0x0F, 0x01, 0x00}},              // sgdt [rax]
        {{0x0F, 0x00, 0x00}},              // sldt [rax]
        {{0x0F, 0x01, 0x30}},              // lmsw [rax]
        {{0x0F, 0x22, 0xD8}},              // mov cr3, rax
        {{0x0F, 0x05}},                    // syscall
        {{0x48, 0x0F, 0x07}},              // sysretq
        {{0x0F, 0x30}},                    // wrmsr
        {{0xF4}},                          // hlt
        {{0x0F, 0x01, 0x38}},              // invlpg [rax]
        {{0x0F, 0x09}},                    // wbinvd
        {{0x0F, 0x18, 0x08}},              // prefetcht0 [rax]
        {{0x0F, 0xAE, 0x38}},              // clflush [rax]
    };
    for (const encoding& e : all) EXPECT_EQ(flags_of(e) & insn_several_accesses, 0u) << text_of(e);
}

}  // namespace
}  // namespace knc::isa::test
