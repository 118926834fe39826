// The state of a machine as a sequence of values, for checkpoints.
//
// Models no hardware. Each part lists its fields once, in `void serialize(archive&)`, for saving
// and for loading alike, so the two cannot disagree. Leaves out: where the bytes are
// (platform/checkpoint.h), and fields that follow from others. A part that derives something from
// its fields does so at the end of serialize(), while the archive loads. Numbers have the host's
// byte order. Source: docs/checkpoints.md.
#ifndef KNC_BASE_ARCHIVE_H
#define KNC_BASE_ARCHIVE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace knc::base {

// What is loaded is not what was saved; says what in one line.
struct archive_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class archive {
  public:
    virtual ~archive() = default;

    bool loading() const { return loading_; }
    // Saves the values in this order, or loads them.
    template <class... T>
    void operator()(T&... values) {
        (value(values), ...);
    }
    // Begins a part. Another one at this place of what is loaded is an error.
    void part(const std::string& name) {
        std::string found = name;
        value(found);
        if (found != name) throw archive_error("part " + name + " is not where it belongs");
    }
    // Saves `size` bytes, or loads them. Throws archive_error where there are fewer.
    virtual void bytes(void* data, std::size_t size) = 0;

  protected:
    explicit archive(bool loading) : loading_(loading) {}

  private:
    template <class T, class = void>
    struct has_serialize : std::false_type {};
    template <class T>
    struct has_serialize<
        T, std::void_t<decltype(std::declval<T&>().serialize(std::declval<archive&>()))>>
        : std::true_type {};

    template <class T>
    void value(T& v) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
            bytes(&v, sizeof v);
        } else {
            static_assert(has_serialize<T>::value, "the type has no serialize()");
            v.serialize(*this);
        }
    }
    // Not every byte is a bool.
    void value(bool& v) {
        auto byte = static_cast<std::uint8_t>(v);
        value(byte);
        if (byte > 1) throw archive_error("neither true nor false");
        v = byte != 0;
    }
    template <class T, std::size_t n>
    void value(std::array<T, n>& a) {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
            bytes(a.data(), sizeof a);
        else
            for (T& v : a) value(v);
    }
    template <class A, class B>
    void value(std::pair<A, B>& p) {
        (*this)(p.first, p.second);
    }
    template <class T>
    void value(std::optional<T>& o) {
        bool there = o.has_value();
        value(there);
        if (!there) {
            o.reset();
            return;
        }
        if (loading_) o.emplace();
        value(*o);
    }
    template <class T>
    void value(std::vector<T>& v) {
        sequence(v);
    }
    template <class T>
    void value(std::deque<T>& v) {
        sequence(v);
    }
    void value(std::string& s) { sequence(s); }
    // Grows with what is there: a wrong size must not ask for the host's whole memory.
    template <class S>
    void sequence(S& s) {
        std::uint64_t size = s.size();
        value(size);
        if (!loading_) {
            for (auto& v : s) value(v);
            return;
        }
        s.clear();
        for (; size != 0; --size) {
            typename S::value_type v{};
            value(v);
            s.push_back(std::move(v));
        }
    }
    template <class T>
    void value(std::multiset<T>& s) {
        ordered<T>(s);
    }
    template <class K, class V>
    void value(std::multimap<K, V>& m) {
        ordered<std::pair<K, V>>(m);
    }
    // Equal elements keep their order.
    template <class T, class S>
    void ordered(S& s) {
        std::vector<T> all(s.begin(), s.end());
        value(all);
        if (!loading_) return;
        s.clear();
        for (T& v : all) s.emplace_hint(s.end(), std::move(v));
    }

    const bool loading_;
};

}  // namespace knc::base

#endif
