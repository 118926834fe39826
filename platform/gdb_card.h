// The hardware threads of a card as gdb's target.
//
// Looks through a thread's page tables, its stores that still wait, and the coherent debug view of
// memory (docs/coherence.md, "Debug accesses").
#ifndef KNC_PLATFORM_GDB_CARD_H
#define KNC_PLATFORM_GDB_CARD_H

#include <functional>
#include <vector>

#include <knc/card/card.h>

#include <platform/gdb_target.h>
#include <platform/loader.h>

namespace platform {

class gdb_card final : public gdb_target_if, private knc::core::debugger_if {
  public:
    // A thread is about to execute its instruction; it does when the call returns.
    using stop_point = std::function<void(std::size_t thread)>;
    using trace_switch = std::function<bool(bool)>;  // see gdb_target_if::trace()

    // Both outlive this. Called once for a card.
    gdb_card(knc::card::card&, host_access&, gdb_code, stop_point, trace_switch);

    std::size_t threads() const override;
    bool exists(std::size_t thread) const override;
    std::string name(std::size_t thread) const override;
    std::string state(std::size_t thread) const override;
    bool runs(std::size_t thread) const override;
    std::uint64_t rip(std::size_t thread) const override;
    std::uint64_t retired(std::size_t thread) const override;
    const gdb_register_set& registers() const override { return registers_; }
    std::string read_register(std::size_t thread, std::size_t number) const override;
    bool write_register(std::size_t thread, std::size_t number, std::string_view) override;
    std::string read_memory(std::size_t thread, std::uint64_t la, std::size_t size) override;
    bool write_memory(std::size_t thread, std::uint64_t la, std::string_view) override;
    bool read_msr(std::size_t thread, std::uint32_t number, std::uint64_t& value) override;
    bool write_msr(std::size_t thread, std::uint32_t number, std::uint64_t value) override;
    std::string counts(std::size_t thread) override;
    std::uint64_t cycle(std::size_t thread) const override;
    void ask(std::size_t thread, bool on) override;
    void watch(const std::vector<gdb_watch>&) override;
    std::optional<gdb_hit> take_hit(std::size_t thread) override;
    bool trace(bool on) override { return trace_(on); }
    void end() override;

  private:
    // core::debugger_if
    void before_instruction(std::uint16_t core, unsigned thread, knc::core::issue_place) override;

    knc::core::core& core_of(std::size_t thread) const;
    const knc::isa::state& state_of(std::size_t thread) const;
    bool between_cycles(std::size_t thread) const;

    knc::card::card& card_;
    host_access& memory_;
    const gdb_register_set& registers_;
    const stop_point stop_;
    const trace_switch trace_;
    std::vector<gdb_watch> watches_;
    std::vector<knc::isa::outside_watch> watched_;  // the same for the cores
    // The core that has executed a part of its cycle.
    const knc::core::core* amid_ = nullptr;
};

}  // namespace platform

#endif
