#include <knc/isa/profile.h>

namespace knc::isa {

bool refused(profile p, const ZydisDecodedInstruction& i, const char** why) {
    if (p != profile::knc) return false;
    const char* reason = nullptr;
    switch (i.meta.category) {
        case ZYDIS_CATEGORY_CMOV:
        case ZYDIS_CATEGORY_FCMOV:
            reason = "no conditional moves";
            break;
        case ZYDIS_CATEGORY_IO:
        case ZYDIS_CATEGORY_IOSTRINGOP:
            reason = "no port I/O";
            break;
        case ZYDIS_CATEGORY_SSE:
        case ZYDIS_CATEGORY_MMX:
        case ZYDIS_CATEGORY_AVX:
        case ZYDIS_CATEGORY_AVX2:
        case ZYDIS_CATEGORY_PREFETCH:
        case ZYDIS_CATEGORY_CLFLUSHOPT:
        case ZYDIS_CATEGORY_XSAVE:
            reason = "no SSE, MMX, AVX, PREFETCH, CLFLUSH or XSAVE";
            break;
        default:
            break;
    }
    switch (i.mnemonic) {
        case ZYDIS_MNEMONIC_PAUSE:
        case ZYDIS_MNEMONIC_LFENCE:
        case ZYDIS_MNEMONIC_MFENCE:
        case ZYDIS_MNEMONIC_SFENCE:
        case ZYDIS_MNEMONIC_CLFLUSH:
        case ZYDIS_MNEMONIC_CMPXCHG16B:
        case ZYDIS_MNEMONIC_RDTSCP:
        case ZYDIS_MNEMONIC_MOVBE:
        case ZYDIS_MNEMONIC_MONITOR:
        case ZYDIS_MNEMONIC_MWAIT:
        case ZYDIS_MNEMONIC_SYSENTER:
        case ZYDIS_MNEMONIC_SYSEXIT:
            reason = "not on this core";
            break;
        case ZYDIS_MNEMONIC_POPCNT:
        case ZYDIS_MNEMONIC_LZCNT:
        case ZYDIS_MNEMONIC_TZCNT:
            if (i.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY) {
                reason = "VEX form only";
            }
            break;
        default:
            break;
    }
    if (reason == nullptr) return false;
    if (why != nullptr) *why = reason;
    return true;
}

}  // namespace knc::isa
