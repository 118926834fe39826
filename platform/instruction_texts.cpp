#include <platform/instruction_texts.h>

#include <algorithm>
#include <array>
#include <utility>

namespace platform {

namespace isa = knc::isa;

namespace {

constexpr std::size_t most_known = 1'000'000;
constexpr std::uint64_t page_bytes = 0x1000;

}  // namespace

instruction_texts::instruction_texts(knc::card::card& card, memory_reader read,
                                     const function_profile& functions, syntax s)
    : card_(card),
      read_(std::move(read)),
      functions_(functions),
      syntax_(s),
      modes_(card.tiles() * knc::base::threads_per_core) {}

isa::code_mode instruction_texts::retired_mode(knc::base::thread_number n) {
    const isa::code_mode now = card_[n.core].cpu().state(n.thread).mode;
    return std::exchange(mode_of(n), now).value_or(now);
}

const std::string& instruction_texts::of(knc::base::thread_number n, isa::code_mode m,
                                         const knc::base::retired_instruction& i) {
    if (changes_ != functions_.code_changes() || known_.size() > most_known) {
        known_.clear();
        changes_ = functions_.code_changes();
    }
    std::string& text = known_[{i.ip, i.paddr, m}];
    if (text.empty()) text = decode(card_[n.core].cpu().context(n.thread), m, i);
    return text;
}

std::string instruction_texts::decode(isa::context& c, isa::code_mode m,
                                      const knc::base::retired_instruction& i) const {
    std::array<std::uint8_t, 15> bytes{};
    const std::uint64_t in_page = std::min(bytes.size(), page_bytes - i.paddr % page_bytes);
    if (!read_(i.paddr, bytes.data(), in_page)) return "(no code mapped)";
    const decoded_text whole = instruction_text(m, bytes.data(), in_page, i.ip, syntax_);
    std::uint64_t next = 0;
    if (whole.length != 0 || !c.probe(c.linear(isa::cs, i.ip + in_page), next) ||
        !read_(next, bytes.data() + in_page, bytes.size() - in_page))
        return whole.length != 0 ? whole.text : "(bad)";
    const decoded_text crossing = instruction_text(m, bytes.data(), bytes.size(), i.ip, syntax_);
    return crossing.length != 0 ? crossing.text : "(bad)";
}

}  // namespace platform
