#include <knc/isa/context.h>

#include <utility>

#include <knc/isa/paging.h>
#include <knc/isa/segmentation.h>

namespace knc::isa {
namespace {

// Whether every offset of 32 bits is within the limit.
bool covers_all(const segment& g) {
    const bool expand_down = is_data(g) && (g.type() & 4) != 0;
    return g.usable() && !expand_down && g.limit == 0xffff'ffff;
}

}  // namespace

status context::set_fault(std::uint8_t vector, bool has_error, std::uint32_t error) {
    fault = isa::fault{};
    fault.vector = vector;
    fault.has_error = has_error;
    fault.error = error;
    return failure = status::fault;
}

status context::debug(std::uint32_t conditions) {
    set_fault(vector_db, false, 0);
    fault.dr6 = conditions;
    return failure;
}

status context::unsupported(std::string what) {
    set_fault(vector_ud, false, 0);
    fault.unsupported = true;
    message = std::move(what);
    return failure;
}

void context::end_accesses(bool committed) {
    constexpr base::event of_accesses[] = {base::data_read,
                                           base::data_write,
                                           base::data_read_or_write,
                                           base::data_read_miss,
                                           base::data_read_miss_or_write_miss,
                                           base::vpu_data_read_miss};
    for (const base::event e : of_accesses) {
        const std::uint64_t n = std::exchange(uncommitted_[e], 0);
        if (committed) (*events_)[e] += n;
    }
    accesses_ = events_;
}

void context::update_mode() {
    const segment& code = s.seg[cs];
    if (s.long_mode() && code.long_mode()) {
        s.mode = code_mode::bits64;
        for (const unsigned n : {es, cs, ss, ds}) s.seg[n].base = 0;
    } else {
        s.mode = code.big() && !s.virtual_8086() ? code_mode::bits32 : code_mode::bits16;
    }
    // EIP has 32 bits in 16-bit code too: running on past 64 KB violates the limit, no wrap.
    ip_mask = s.mode == code_mode::bits64 ? ~std::uint64_t{0} : 0xffff'ffff;

    unchecked_reads = unchecked_writes = 0;
    const bool typed = s.protected_mode() && !s.virtual_8086();
    for (unsigned n = 0; n < segment_count; ++n) {
        const segment& g = s.seg[n];
        const bool flat = s.mode == code_mode::bits64 || covers_all(g);
        const bool all = s.mode == code_mode::bits64 || !typed;
        if (flat && (all || is_readable(g)))
            unchecked_reads = static_cast<std::uint8_t>(unchecked_reads | 1u << n);
        if (flat && (all || is_writable(g)))
            unchecked_writes = static_cast<std::uint8_t>(unchecked_writes | 1u << n);
    }

    code_limited = s.mode != code_mode::bits64 && code.limit != 0xffff'ffff;

    const bool user = s.cpl == 3;
    const bool alignment = user && (s.cr0 & cr0_am) != 0 && (s.eflags & flag_ac) != 0;
    tag_mode_ =
        (tag_mode_ & lasting_modes) | (user ? mode_user : 0) | (alignment ? mode_aligned : 0);
}

void context::count_accesses_in(access_counts& c) {
    access_counts_ = &c;
    tag_mode_ |= mode_counted;
}

// The tables keep nothing for this mode: every access asks the environment.
void context::stores_wait(bool waits) {
    tag_mode_ = (tag_mode_ & ~mode_stores_wait) | (waits ? mode_stores_wait : 0);
}

bool context::checked_linear(unsigned seg, std::uint64_t off, unsigned size, access_kind kind,
                             std::uint64_t& la) {
    la = linear(seg, off);
    const std::uint8_t vector = seg == ss ? vector_ss : vector_gp;
    if (s.mode == code_mode::bits64) {
        if (canonical_range(la, size)) return true;
        raise(vector, 0);
        return false;
    }
    const segment& g = s.seg[seg];
    bool allowed = g.usable() && within_limit(g, off, size);
    if (s.protected_mode() && !s.virtual_8086()) {
        if (kind == access_kind::read) allowed = allowed && is_readable(g);
        if (kind == access_kind::write) allowed = allowed && is_writable(g);
    }
    if (!allowed) raise(vector, 0);
    return allowed;
}

unsigned context::fetch(std::uint64_t ip, unsigned size, std::uint8_t* data, std::uint64_t& paddr) {
    ip &= ip_mask;
    std::uint64_t la = 0;
    if (!checked_linear(cs, ip, 1, access_kind::execute, la)) return 0;
    if (s.mode != code_mode::bits64) {
        const std::uint64_t left = std::uint64_t{s.seg[cs].limit} - ip + 1;
        if (left < size) size = static_cast<unsigned>(left);
    }
    const bool user = s.cpl == 3;
    unsigned done = 0;
    translation t;
    while (done < size) {
        const std::uint64_t at = la + done;
        const bool reachable = s.mode == code_mode::bits64 ? canonical(at) : at >> 32 == 0;
        if (!reachable) return done;
        if (done == 0 || (at & 0xfff) == 0) {
            if (!translate(at, access_kind::execute, user, t)) return done;
        } else {
            t.paddr = (t.paddr & ~std::uint64_t{0xfff}) | (at & 0xfff);
        }
        if (done == 0) {
            paddr = t.paddr;
            code_cacheable = t.cacheable;
        }
        const unsigned room = access_bytes - static_cast<unsigned>(t.paddr & (access_bytes - 1));
        const unsigned part = size - done < room ? size - done : room;
        std::uint8_t* line = nullptr;
        const status st = env.line(t.paddr, access_kind::execute, line);
        if (st != status::ok) {
            failure = st;
            return done;
        }
        if (line != nullptr) {
            std::memcpy(data + done, line + (t.paddr & line_mask), part);
        } else {
            std::memset(data + done, 0xff, part);
        }
        done += part;
        last_fetched = t.paddr + part - 1;
    }
    return done;
}

}  // namespace knc::isa
