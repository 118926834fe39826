// Loads and stores that miss the translation front, cross a page, or are the machine's own.

#include <algorithm>

#include <knc/isa/context.h>
#include <knc/isa/segmentation.h>

namespace knc::isa {
namespace {

// 64-byte lines touched by `size` bytes at `la`.
std::uint64_t lines(std::uint64_t la, unsigned size) {
    return ((la & 63) + size - 1) / 64 + 1;
}

// Alignment that alignment checking asks of an operand; blocks are exempt.
unsigned natural_alignment(unsigned size) {
    const bool word = size <= 8 && (size & (size - 1)) == 0;
    return word ? size : 1;
}

}  // namespace

bool context::alignment_ok(std::uint64_t la, unsigned alignment) {
    if ((tag_mode_ & 2) == 0 || (la & (alignment - 1)) == 0) return true;
    raise(vector_ac, 0);
    return false;
}

bool context::locate(std::uint64_t la, unsigned size, access_kind kind, bool user,
                     piece (&pieces)[2]) {
    const unsigned room = 0x1000 - static_cast<unsigned>(la & 0xfff);
    pieces[0].size = std::min(size, room);
    pieces[1].size = size - pieces[0].size;
    for (piece& p : pieces) {
        if (p.size == 0) break;
        translation t;
        if (!translate(la, kind, user, t)) return false;
        p.paddr = t.paddr;
        p.writable = t.writable;
        p.page = env.page(t.paddr);
        p.cacheable = t.cacheable && p.page != nullptr;
        la += p.size;
        if (!s.long_mode()) la &= 0xffff'ffff;
    }
    return true;
}

bool context::device_transfer(const piece& p, void* data, access_kind kind) {
    auto* bytes = static_cast<std::uint8_t*>(data);
    for (unsigned done = 0; done < p.size;) {
        unsigned step = 8;
        while (step > p.size - done) step /= 2;
        const status r = kind == access_kind::write
                             ? env.write_device(p.paddr + done, step, bytes + done)
                             : env.read_device(p.paddr + done, step, bytes + done);
        if (r != status::ok) {
            failure = r;
            return false;
        }
        done += step;
    }
    return true;
}

void context::remember(std::uint64_t la, const piece& p, access_kind kind, bool user) {
    if ((tag_mode_ & 2) != 0 || user != ((tag_mode_ & 1) != 0)) return;
    if (!p.cacheable || watched.data_in_page(la)) return;
    if (kind == access_kind::read) {
        read_front_[slot(la)] = {tag(la), p.page};
    } else if (p.writable && !env.holds_code(p.paddr)) {
        write_front_[slot(la)] = {tag(la), p.page};
    }
}

// Memory that may not be cached misses every time; a UC write is a miss to one event only.
void context::count_uncached(const piece& p, access_kind kind) {
    const std::uint64_t n = lines(p.paddr, p.size);
    if (kind == access_kind::read) (*events)[base::data_read_miss] += n;
    (*events)[base::data_read_miss_or_write_miss] += n;
    if (p.page == nullptr) return;  // the time of a device access is the environment's
    uncached += static_cast<std::uint32_t>(n);
    unusual = true;
}

bool context::transfer(std::uint64_t la, unsigned size, void* data, access_kind kind, bool user,
                       bool update, unsigned alignment) {
    const access_kind rights = update ? access_kind::write : kind;
    piece pieces[2];
    if (!locate(la, size, rights, user, pieces)) return false;
    if (user && !alignment_ok(la, alignment)) return false;

    // Devices first: only they can block, and nothing may have been written to RAM then.
    auto* bytes = static_cast<std::uint8_t*>(data);
    unsigned done = 0;
    for (const piece& p : pieces) {
        if (p.size != 0 && p.page == nullptr && !device_transfer(p, bytes + done, kind)) {
            return false;
        }
        done += p.size;
    }
    done = 0;
    for (const piece& p : pieces) {
        if (p.size != 0 && p.page != nullptr) {
            std::uint8_t* at = p.page + (p.paddr & 0xfff);
            remember(la + done, p, rights, user);
            if (kind == access_kind::write) {
                std::memcpy(at, bytes + done, p.size);
                if (env.holds_code(p.paddr)) env.code_written(p.paddr, p.size);
            } else {
                std::memcpy(bytes + done, at, p.size);
            }
        }
        done += p.size;
    }
    const bool write = kind == access_kind::write;
    count_data(write ? base::data_write : base::data_read, lines(la, size));
    for (const piece& p : pieces) {
        if (p.size != 0 && !p.cacheable) count_uncached(p, kind);
    }
    if (watched.on_data()) meet(watched.at_data(la, size, write));
    return true;
}

bool context::read_slow(unsigned seg, std::uint64_t off, unsigned size, void* data, bool update) {
    std::uint64_t la = 0;
    const access_kind rights = update ? access_kind::write : access_kind::read;
    return checked_linear(seg, off, size, rights, la) &&
           transfer(la, size, data, access_kind::read, s.cpl == 3, update, natural_alignment(size));
}

bool context::write_slow(unsigned seg, std::uint64_t off, unsigned size, const void* data) {
    std::uint64_t la = 0;
    return checked_linear(seg, off, size, access_kind::write, la) &&
           transfer(la, size, const_cast<void*>(data), access_kind::write, s.cpl == 3, false,
                    natural_alignment(size));
}

bool context::check_write(unsigned seg, std::uint64_t off, unsigned size) {
    std::uint64_t la = 0;
    piece pieces[2];
    const bool user = s.cpl == 3;
    return checked_linear(seg, off, size, access_kind::write, la) &&
           locate(la, size, access_kind::write, user, pieces) &&
           (!user || alignment_ok(la, natural_alignment(size)));
}

bool context::read_system(std::uint64_t la, unsigned size, void* data, bool user) {
    if (!system_address(la, size)) return false;
    return transfer(la, size, data, access_kind::read, user, false, 1);
}

bool context::write_system(std::uint64_t la, unsigned size, const void* data, bool user,
                           unsigned alignment) {
    if (!system_address(la, size)) return false;
    return transfer(la, size, const_cast<void*>(data), access_kind::write, user, false, alignment);
}

bool context::system_address(std::uint64_t& la, unsigned size) {
    if (!s.long_mode()) {
        la &= 0xffff'ffff;
    } else if (!canonical_range(la, size)) {
        gp();
        return false;
    }
    return true;
}

}  // namespace knc::isa
