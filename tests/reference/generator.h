// Random instructions that mostly do not fault: registers that point to data keep pointing there,
// stacks stay in balance, loops are bounded. What goes astray nevertheless ends in a handler that
// lets the program go on.
#ifndef KNC_TESTS_REFERENCE_GENERATOR_H
#define KNC_TESTS_REFERENCE_GENERATOR_H

#include <cstdint>
#include <vector>

#include "assembler.h"
#include "dice.h"
#include "program.h"

namespace knc::reference {

class generator {
  public:
    // Code of `thread`, from `origin` on. `patches`: where other threads' constants are.
    generator(const program&, dice&, unsigned thread, std::uint64_t origin,
              std::vector<std::uint32_t>& patches);

    // The whole program; its entry is behind `entry_offset` bytes.
    void generate();
    static constexpr unsigned entry_offset = 32;

    assembler a;

  private:
    using kind = void (generator::*)();
    struct weight {
        kind make;
        // By theme, in the order of enum theme.
        unsigned char of[themes];
    };
    static const std::vector<weight>& weights();

    // generator.cpp
    void instruction();
    void block();
    void subroutine();
    unsigned any_size();
    unsigned target();        // a register to write, no pointer
    unsigned any_register();  // to read
    unsigned pointer();
    std::uint32_t address();  // of data
    operand memory();
    operand either();
    void written(unsigned reg, bool is_small = false);
    void immediate(unsigned size);
    bool keeps(unsigned reg) const { return (kept_ >> reg & 1) != 0; }

    // common.cpp
    void alu();
    void alu_constant();
    void move();
    void move_constant();
    void address_of();
    void point();
    void step_pointer();
    void make_small();
    void increment();
    void unary();
    void shift();
    void double_shift();
    void multiply();
    void divide();
    void test();
    void exchange();
    void compare_exchange();
    void widen();
    void bits();
    void set_condition();
    void flags();
    void locked();
    void no_operation();
    void scalar_vex();
    void prefixed();

    // flow.cpp
    void push_and_pop();
    void frame();
    void string();
    void repeated_string();
    void skip_some();
    void far_skip();
    void loop();
    void call();
    void call_indirect();
    void jump_indirect();
    void call_system();

    // x87.cpp
    void x87_load();
    void x87_store();
    void x87_arithmetic();
    void x87_exchange();
    void x87_compare();
    void x87_one();
    void x87_control();

    // vector.cpp; 64-bit code only
    unsigned vector() { return d_.chance(80) ? d_.below(6) : d_.below(32); }
    unsigned mask() { return d_.chance(50) ? 0 : d_.below(4); }
    operand aligned(unsigned bytes);
    void vector_arithmetic();
    void vector_move();
    void vector_stream();
    void vector_compare();
    void vector_masks();
    void vector_branch();
    void vector_gather();

    // system.cpp
    void identify();
    void read_time();
    void read_counter();
    void read_msr();
    void write_msr();
    void program_counter();
    void delay();
    void system_register();
    void reload_translations();
    void segments();
    void interrupt_flag();
    void local_apic();
    void interrupt();
    void fault();
    void single_step();
    void modify_code();
    void patchable();

    const program& p_;
    dice& d_;
    const unsigned thread_;
    const std::uint32_t cells_;
    std::vector<std::uint32_t>& patches_;
    std::vector<std::uint32_t> pointers_, targets_;
    std::uint32_t kept_ = 0;   // registers that must not be written now
    std::uint32_t small_ = 0;  // registers that hold small numbers
    unsigned depth_ = 0;
    std::vector<std::uint64_t> subroutines_;
};

}  // namespace knc::reference

#endif
