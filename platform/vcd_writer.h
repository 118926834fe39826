// A writer of value change dumps.
//
// Models: the four-state VCD of IEEE 1364-2005, clause 18, for variables of type wire: declarations
// with one scope per level of a name, below a scope of their own; value changes by time. Text is
// handed on in blocks that end between two time steps. Leaves out: reals, strings, files.
#ifndef KNC_PLATFORM_VCD_WRITER_H
#define KNC_PLATFORM_VCD_WRITER_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <knc/base/signal.h>

namespace platform {

class vcd_writer {
  public:
    // The scope around all others.
    static constexpr const char* top_scope = "SystemC";
    using output = std::function<void(std::string_view)>;

    // Declares the signals. Beyond that, text ends before it is longer than `limit` bytes.
    vcd_writer(const knc::base::signal_list&, output, std::uint64_t limit);

    // A time step with the value of every signal at `time` (ps). `values` are in the order of the
    // signals. As begin(), change() and commit().
    bool dump(std::uint64_t time, const std::uint64_t* values);
    // From `time` on, all values are unknown until the next dump().
    void pause(std::uint64_t time);
    // A time step: change() for each signal that has another value at `time`.
    void begin(std::uint64_t time);
    void change(std::size_t signal, std::uint64_t value) { append(signal, value); }
    // Ends it. Returns false if it would have exceeded the limit: nothing of it is written, nor
    // anything after it but an end().
    bool commit();
    // Nothing changes before `time`. Hands all text on.
    void end(std::uint64_t time);

    std::uint64_t bytes() const { return written_ + text_.size(); }

  private:
    struct variable {
        std::uint64_t mask;
        bool scalar;
        std::uint8_t code_size;
        char code[7];  // with its line feed
    };
    // Text that grows at its end; std::string's append() takes as long as all the rest.
    class buffer {
      public:
        char* room(std::size_t n) {
            if (size_ + n > text_.size()) text_.resize(2 * (size_ + n));
            return &text_[size_];
        }
        // What has been put into the room ends there.
        void end_at(const char* end) { size_ = static_cast<std::size_t>(end - text_.data()); }
        void add(std::string_view);
        void cut(std::size_t size) { size_ = size; }
        std::size_t size() const { return size_; }
        std::string_view text() const { return {text_.data(), size_}; }

      private:
        std::vector<char> text_;
        std::size_t size_ = 0;
    };
    void declare(const knc::base::signal_list&);
    void stamp(std::uint64_t time);
    void append(std::size_t signal, std::uint64_t value);
    void hand_on();

    const output output_;
    const std::uint64_t limit_;
    std::vector<variable> variables_;
    buffer text_;
    std::size_t step_ = 0;  // where the present step begins in text_
    std::uint64_t written_ = 0;
    std::uint64_t step_time_ = 0, last_time_ = 0;  // of the present step; of what is written
    bool stamped_ = false, full_ = false, paused_ = false, dumped_ = false;
};

}  // namespace platform

#endif
