// Loads and stores off the fast path: lines not granted, accesses across a line, the machine's own.

#include <algorithm>

#include <knc/isa/context.h>
#include <knc/isa/segmentation.h>

namespace knc::isa {
namespace {

// The alignment that alignment checking requires of an operand; blocks are exempt.
unsigned natural_alignment(unsigned size) {
    const bool word = size <= 8 && (size & (size - 1)) == 0;
    return word ? size : 1;
}

// Calls run(first, size) for each run of neighbours in the low `size` bits of `which`. False: a
// call returned it.
template <class Run>
bool each_run(std::uint64_t which, unsigned size, Run run) {
    for (unsigned n = 0; n < size; ++n) {
        if ((which >> n & 1) == 0) continue;
        unsigned end = n + 1;
        while (end < size && (which >> end & 1) != 0) ++end;
        if (!run(n, end - n)) return false;
        n = end;
    }
    return true;
}

}  // namespace

bool context::alignment_ok(std::uint64_t la, unsigned alignment) {
    if ((tag_mode_ & mode_aligned) == 0 || (la & (alignment - 1)) == 0) return true;
    raise(vector_ac, 0);
    return false;
}

unsigned context::locate(std::uint64_t la, unsigned size, access_kind use, bool user, bool store,
                         piece (&pieces)[most_lines]) {
    const access_kind rights = use == access_kind::read ? use : access_kind::write;
    unsigned n = 0, waiting = 0;
    translation t;
    for (unsigned done = 0; done < size; done += pieces[n++].size) {
        piece& p = pieces[n];
        if ((n == 0 || (la & 0xfff) == 0) && !translate_data(la, rights, user, t)) return 0;
        p.la = la;
        p.offset = done;
        p.size =
            std::min(size - done, access_bytes - static_cast<unsigned>(la & (access_bytes - 1)));
        p.paddr = (t.paddr & ~std::uint64_t{0xfff}) | (la & 0xfff);
        p.line = nullptr;
        p.waits = false;
        p.writable = t.writable;
        if (const status st = find_line(p, t, use, store, waiting); st != status::ok) {
            failure = st;
            return 0;
        }
        waiting += p.waits;
        p.cacheable = t.cacheable && (p.line != nullptr || p.waits);
        la += p.size;
        if (!s.long_mode()) la &= 0xffff'ffff;
    }
    return n;
}

// Leaves memory that may not be copied to device_transfer(), except accesses that need its line: a
// read and write at once, and a store to be combined.
status context::find_line(piece& p, const translation& t, access_kind use, bool store,
                          unsigned waiting) {
    if (t.cacheable || now == nullptr)
        return store ? env.line_for_store(p.paddr, waiting, p.line, p.waits)
                     : env.line(p.paddr, use, p.line);
    if (use == access_kind::update) return env.borrow_line(p.paddr, p.line);
    if (!store || env.return_borrowed(p.paddr, p.line)) return status::ok;
    return t.combining ? env.room_to_combine(p.paddr, waiting, p.waits) : status::ok;
}

bool context::device_transfer(const piece& p, void* data, access_kind kind) {
    auto* bytes = static_cast<std::uint8_t*>(data);
    for (unsigned done = 0; done < p.size;) {
        unsigned step = *vector_access ? line_bytes : 8;
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

void context::remember(const piece& p, access_kind kind, bool user) {
    if ((tag_mode_ & (mode_aligned | mode_stores_wait | mode_counted)) != 0) return;
    if (user != ((tag_mode_ & mode_user) != 0)) return;
    if (!p.cacheable || p.line == nullptr || watched.data_in_page(p.la)) return;
    const bool write = kind != access_kind::read;
    if (write && (!p.writable || env.holds_code(p.paddr))) return;
    const unsigned n = slot(p.la);
    (write ? writable_lines_ : readable_lines_)[n] = {tag(p.la), p.line};
    marks_[n % lines_of_page][write * slots_of_line + n / lines_of_page] = mark_of(p.line);
    region_slots_[region_row(p.la)][n / 64] |= std::uint64_t{1} << n % 64;
}

// Memory that may not be cached misses every time; only one event counts a UC write as a miss.
void context::count_uncached(const piece& p, access_kind kind) {
    if (kind == access_kind::read) {
        ++(*accesses_)[base::data_read_miss];
        (*accesses_)[base::vpu_data_read_miss] += *vector_access;
    }
    // A write is a miss that access_counts has counted already.
    if (access_counts_ == nullptr || kind == access_kind::read)
        ++(*accesses_)[base::data_read_miss_or_write_miss];
    if (access_counts_ != nullptr)
        ++(kind == access_kind::read ? access_counts_->uncached_reads
                                     : access_counts_->uncached_writes);
    unusual = true;
    // The time of device accesses, and of all that copies have to do with, is the environment's.
    if (p.line != nullptr && now == nullptr) ++uncached;
}

bool context::transfer(std::uint64_t la, unsigned size, void* data, access_kind kind, bool user,
                       bool update, unsigned alignment) {
    const access_kind rights = update ? access_kind::write : kind;
    piece pieces[most_lines];
    const bool store = kind == access_kind::write;
    const unsigned count =
        locate(la, size, update ? access_kind::update : kind, user, store, pieces);
    if (count == 0 || (user && !alignment_ok(la, alignment))) return false;

    // Devices first: only they can block, and then nothing may have been written to RAM.
    auto* bytes = static_cast<std::uint8_t*>(data);
    for (unsigned n = 0; n < count; ++n) {
        const piece& p = pieces[n];
        if (p.line == nullptr && !p.waits && !device_transfer(p, bytes + p.offset, kind))
            return false;
    }
    // The second page may have taken the place of the first in the TLB.
    const bool one_page = (pieces[0].la ^ pieces[count - 1].la) >> 12 == 0;
    for (unsigned n = 0; n < count; ++n) {
        const piece& p = pieces[n];
        if (p.line == nullptr) continue;
        std::uint8_t* at = p.line + (p.paddr & line_mask);
        std::uint8_t* mine = bytes + p.offset;
        if (one_page) remember(p, rights, user);
        if (store) {
            std::memcpy(at, mine, p.size);
            if (env.holds_code(p.paddr)) env.code_written(p.paddr, p.size);
        } else {
            std::memcpy(mine, at, p.size);
            if ((tag_mode_ & mode_stores_wait) != 0) env.forward_stores(p.paddr, p.size, mine);
        }
    }
    // After the others, because this may move lines.
    for (unsigned n = 0; n < count; ++n) {
        const piece& p = pieces[n];
        if (!p.waits) continue;
        if (p.cacheable)
            env.buffer_store(p.paddr, p.size, bytes + p.offset);
        else
            env.combine_store(p.paddr, p.size, bytes + p.offset);
    }
    count_data(store ? base::data_write : base::data_read, count);
    if ((tag_mode_ & mode_counted) != 0) {
        access_counts_->data(s, la, size, store, *vector_access);
        for (unsigned n = 0; n < count && store; ++n)
            access_counts_->stored(pieces[n].line != nullptr && pieces[n].cacheable,
                                   *vector_access);
    }
    for (unsigned n = 0; n < count; ++n) {
        if (!pieces[n].cacheable) count_uncached(pieces[n], kind);
    }
    if (watched.on_data()) meet(watched.at_data(la, size, store));
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

// Each run of bytes is an access of its own.
bool context::device_runs(const piece& p, std::uint8_t* data, std::uint64_t which,
                          access_kind kind) {
    return each_run(which, p.size, [&](unsigned first, unsigned size) {
        piece run = p;
        run.paddr += first;
        run.size = size;
        return device_transfer(run, data + first, kind);
    });
}

void context::meet_data(std::uint64_t la, unsigned size, std::uint64_t which, bool write) {
    each_run(which, size, [&](unsigned first, unsigned bytes) {
        meet(watched.at_data(la + first, bytes, write));
        return true;
    });
}

bool context::read_bytes(unsigned seg, std::uint64_t off, unsigned size, void* data,
                         std::uint64_t which) {
    std::uint64_t la = 0;
    piece pieces[most_lines];
    if (!checked_linear(seg, off, size, access_kind::read, la) ||
        locate(la, size, access_kind::read, s.cpl == 3, false, pieces) == 0)
        return false;
    const piece& p = pieces[0];
    auto* bytes = static_cast<std::uint8_t*>(data);
    if (p.line == nullptr) {
        if (!device_runs(p, bytes, which, access_kind::read)) return false;
    } else {
        remember(p, access_kind::read, s.cpl == 3);
        std::memcpy(bytes, p.line + (p.paddr & line_mask), size);
        if ((tag_mode_ & mode_stores_wait) != 0) env.forward_stores(p.paddr, size, bytes);
    }
    count_data(base::data_read, 1);
    if (!p.cacheable) count_uncached(p, access_kind::read);
    if (watched.on_data()) meet_data(la, size, which, false);
    return true;
}

// The store buffer has no room for bytes that are not neighbours, so the line itself is needed.
bool context::write_bytes(unsigned seg, std::uint64_t off, unsigned size, const void* data,
                          std::uint64_t which) {
    std::uint64_t la = 0;
    piece pieces[most_lines];
    if (!checked_linear(seg, off, size, access_kind::write, la) ||
        locate(la, size, access_kind::write, s.cpl == 3, false, pieces) == 0)
        return false;
    const piece& p = pieces[0];
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    if (p.line == nullptr) {
        if (!device_runs(p, const_cast<std::uint8_t*>(bytes), which, access_kind::write))
            return false;
    } else {
        remember(p, access_kind::write, s.cpl == 3);
        std::uint8_t* at = p.line + (p.paddr & line_mask);
        for (unsigned n = 0; n < size; ++n)
            if ((which >> n & 1) != 0) at[n] = bytes[n];
        if (env.holds_code(p.paddr)) env.code_written(p.paddr, size);
    }
    count_data(base::data_write, 1);
    if (!p.cacheable) count_uncached(p, access_kind::write);
    if (watched.on_data()) meet_data(la, size, which, true);
    return true;
}

bool context::write_line(unsigned seg, std::uint64_t off, const void* data, bool ordered) {
    std::uint64_t la = 0;
    translation t;
    if (!checked_linear(seg, off, line_bytes, access_kind::write, la) ||
        !translate_data(la, access_kind::write, s.cpl == 3, t))
        return false;
    if (!t.cacheable) return write_slow(seg, off, line_bytes, data);
    std::uint8_t* host = nullptr;
    failure = env.store_line(t.paddr, data, ordered, host);
    if (failure != status::ok) return false;
    if (host != nullptr) {
        std::memcpy(host, data, line_bytes);
        if (env.holds_code(t.paddr)) env.code_written(t.paddr, line_bytes);
    }
    count_data(base::data_write, 1);
    if (watched.on_data()) meet(watched.at_data(la, line_bytes, true));
    return true;
}

bool context::check_write(unsigned seg, std::uint64_t off, unsigned size) {
    std::uint64_t la = 0;
    piece pieces[most_lines];
    const bool user = s.cpl == 3;
    return checked_linear(seg, off, size, access_kind::write, la) &&
           locate(la, size, access_kind::write, user, false, pieces) != 0 &&
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
