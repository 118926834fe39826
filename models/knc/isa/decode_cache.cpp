#include <knc/isa/decode_cache.h>

#include <utility>

namespace knc::isa {

decode_cache::page* decode_cache::at(std::uint64_t number, code_mode mode) {
    auto& p = pages_[key(number, mode)];
    if (!p) {
        p = std::make_unique<page>();
        p->groups_ = store_->page(number);
    }
    return p.get();
}

void decode_cache::drop(std::uint64_t number) {
    for (const code_mode m : {code_mode::bits16, code_mode::bits32, code_mode::bits64}) {
        const auto it = pages_.find(key(number, m));
        if (it == pages_.end()) continue;
        dropped_.push_back(std::move(it->second));
        pages_.erase(it);
    }
}

}  // namespace knc::isa
