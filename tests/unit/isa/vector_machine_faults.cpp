// How instructions of the vector unit end that do not execute, and what their masks do not protect.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vector_machine_cases.h"

namespace knc::isa::test {
namespace {

// Beyond the memory that int_machine maps.
constexpr std::uint64_t unmapped = 0x4000'0000;
constexpr unsigned error_read = 0, error_write = 2;

class vector_machine_faults : public testing::Test {
  protected:
    // The instruction raises `vector` and changes nothing.
    void expect_fault(const vm_trial& t, unsigned vector) {
        model_.set(t.before);
        const status end = model_.step(t.code);
        EXPECT_EQ(end, status::fault) << vm_describe(t);
        if (end == status::fault) {
            EXPECT_EQ(model_.fault().vector, vector) << vm_describe(t) << model_.hardware().message;
            EXPECT_FALSE(model_.fault().unsupported) << vm_describe(t);
        }
        EXPECT_EQ(model_.differences(t.before), "") << vm_describe(t);
    }
    // A prepared case of the first valid variant of this kind; false if there is none.
    bool prepare(const vm_row& r, bool memory, vm_trial& t) {
        for (const vm_variant& v : vm_variants(r)) {
            if (v.memory != memory) continue;
            vm_prepare(r, v, ++seed_, t);
            aligned(t);
            return true;
        }
        return false;
    }
    // Replaces what cases contain to raise other faults.
    static void aligned(vm_trial& t) {
        if (t.c.mask == 0) t.c.mask = 1;
        if (t.c.row->what.shape == vm_shape::gather) t.c.at.index = (t.c.reg + 1) % 32;
        place(t, vm_state::data_at + 512);
        t.code = vm_encode(t.c);
    }
    static void place(vm_trial& t, std::uint64_t at) {
        const unsigned index = t.c.row->what.vector_index() ? t.c.at.index : 4;
        t.c.at = {};
        t.c.at.index = index;
        t.before.r[0] = at;
        if (t.c.row->what.vector_index()) t.before.zmm[index] = {};
    }

    vm_model model_;
    std::uint64_t seed_ = 0;
};

TEST_F(vector_machine_faults, reserved_forms_are_invalid_opcodes) {
    for (const vm_row& r : vm_rows())
        for (const bool memory : {false, true})
            for (const bool eh : {false, true})
                for (unsigned sss = 0; sss < 8; ++sss) {
                    const bool other = memory && r.eh >= 0 && (r.eh != 0) != eh;
                    const bool open =
                        !memory && eh && r.what.eh == vm_eh::untested && !r.what.memory_only();
                    if (vm_valid(r, memory, eh, sss) || other || open) continue;
                    vm_trial t;
                    ASSERT_TRUE(prepare(r, r.what.memory_only() || memory, t));
                    t.c.memory = memory;
                    t.c.eh = eh;
                    t.c.sss = sss;
                    t.c.at.displaced = vm_address::kind::none;
                    t.code = vm_encode(t.c);
                    expect_fault(t, vector_ud);
                }
}

TEST_F(vector_machine_faults, a_second_source_that_does_not_exist_is_an_invalid_opcode) {
    for (const vm_row& r : vm_rows())
        for (const bool memory : {false, true}) {
            vm_trial t;
            if (r.what.has_second() || r.what.vector_index() || !prepare(r, memory, t)) continue;
            for (const unsigned second : {1u, 8u, 16u}) {
                t.c.second = second;
                t.code = vm_encode(t.c);
                expect_fault(t, vector_ud);
            }
        }
}

TEST_F(vector_machine_faults, mask_registers_have_three_bits) {
    for (const vm_row& r : vm_rows()) {
        vm_trial t;
        if (r.what.shape == vm_shape::compare) {
            ASSERT_TRUE(prepare(r, false, t));
            for (const unsigned more : {8u, 16u}) {
                t.c.reg = more | (t.c.reg & 7);
                t.code = vm_encode(t.c);
                expect_fault(t, vector_ud);
            }
        }
        if (r.what.shape == vm_shape::carry) {
            ASSERT_TRUE(prepare(r, false, t));
            for (const unsigned more : {8u, 16u}) {
                t.c.second = more | (t.c.second & 7);
                t.code = vm_encode(t.c);
                expect_fault(t, vector_ud);
            }
        }
    }
}

// CR0.EM comes before CR0.TS.
TEST_F(vector_machine_faults, the_unit_may_belong_to_somebody_else) {
    for (const vm_row& r : vm_rows())
        for (const bool memory : {false, true}) {
            vm_trial t;
            if (!prepare(r, memory, t)) continue;
            std::uint64_t& cr0 = model_.hardware().s.cr0;
            cr0 |= cr0_ts;
            expect_fault(t, vector_nm);
            cr0 |= cr0_em;
            expect_fault(t, vector_ud);
            cr0 &= ~cr0_ts;
            expect_fault(t, vector_ud);
            cr0 &= ~cr0_em;
        }
}

TEST_F(vector_machine_faults, an_operand_is_read_in_full_whatever_the_mask) {
    for (const vm_row& r : vm_rows()) {
        vm_trial t;
        if (r.what.shape > vm_shape::load || !prepare(r, true, t)) continue;
        place(t, unmapped);
        t.code = vm_encode(t.c);
        for (const unsigned mask : {0u, 0x8000u, 0xffffu}) {
            t.before.k[t.c.mask] = static_cast<std::uint16_t>(mask);
            expect_fault(t, vector_pf);
            EXPECT_EQ(model_.fault().error, error_read) << r.name;
            EXPECT_EQ(model_.fault().address, unmapped) << r.name;
        }
    }
}

TEST_F(vector_machine_faults, a_store_without_active_lanes_accesses_nothing) {
    for (const vm_row& r : vm_rows()) {
        vm_trial t;
        if (r.what.shape != vm_shape::store || !prepare(r, true, t)) continue;
        place(t, unmapped);
        t.code = vm_encode(t.c);
        t.before.k[t.c.mask] = static_cast<std::uint16_t>(1u << 3);
        expect_fault(t, vector_pf);
        EXPECT_EQ(model_.fault().error, error_write) << r.name;
        t.before.k[t.c.mask] = 0;
        model_.set(t.before);
        EXPECT_EQ(model_.step(t.code), status::ok) << vm_describe(t);
        t.before.rip += t.code.size;
        EXPECT_EQ(model_.differences(t.before), "") << vm_describe(t);
        t.before.rip -= t.code.size;
        t.before.r[0] += 1;  // the alignment is checked all the same
        expect_fault(t, vector_gp);
    }
}

// An H form accesses nothing where the stream does not pass a line boundary.
TEST_F(vector_machine_faults, elements_fault_as_a_whole) {
    for (const vm_row& r : vm_rows()) {
        vm_trial t;
        const vm_shape shape = r.what.shape;
        if (shape < vm_shape::unpack_l || shape >= vm_shape::prefetch) continue;
        ASSERT_TRUE(prepare(r, true, t));
        const bool high = shape == vm_shape::unpack_h || shape == vm_shape::pack_h;
        const bool write =
            shape == vm_shape::pack_l || shape == vm_shape::pack_h || shape == vm_shape::scatter;
        place(t, unmapped + (high ? 32 : 0));
        t.code = vm_encode(t.c);
        t.before.k[t.c.mask] = 0xffff;
        expect_fault(t, vector_pf);
        EXPECT_EQ(model_.fault().error, write ? error_write : error_read) << r.name;
        EXPECT_EQ(model_.fault().address, unmapped) << r.name;
    }
}

// Only the lowest active lane counts, with those of its line: not lane 5, which lies in a page that
// is not mapped, or in the next line and is not aligned.
TEST_F(vector_machine_faults, other_lanes_of_a_gather_wait_for_their_turn) {
    for (const vm_row& r : vm_rows())
        for (const bool mapped : {false, true}) {
            vm_trial t;
            const vm_shape shape = r.what.shape;
            if (shape != vm_shape::gather && shape != vm_shape::scatter) continue;
            ASSERT_TRUE(prepare(r, true, t));
            if (mapped && t.c.form().bytes == 1) continue;
            const std::uint64_t index = mapped ? 64 + 1 : unmapped - t.before.r[0];
            t.before.zmm[t.c.at.index].set(5, 4, index);
            t.before.k[t.c.mask] = 0xff;
            model_.set(t.before);
            EXPECT_EQ(model_.step(t.code), status::ok) << vm_describe(t);
            EXPECT_EQ(model_.hardware().s.vector.k[t.c.mask], 0x20) << r.name;
            EXPECT_EQ(vm_execute(t.c, t.code.size, t.before), vm_end::done);
            EXPECT_EQ(model_.differences(t.before), "") << vm_describe(t);
            t.before.rip = int_machine::code_at;
            expect_fault(t, mapped ? vector_gp : vector_pf);
        }
}

TEST_F(vector_machine_faults, prefetches_of_elements_do_not_fault) {
    for (const vm_row& r : vm_rows())
        for (const bool mapped : {false, true}) {
            vm_trial t;
            if (r.what.shape != vm_shape::prefetch) continue;
            ASSERT_TRUE(prepare(r, true, t));
            t.before.zmm[t.c.at.index].set(5, 4, mapped ? 1 : unmapped - t.before.r[0]);
            t.before.k[t.c.mask] = 0x20;
            model_.set(t.before);
            EXPECT_EQ(model_.step(t.code), status::ok) << vm_describe(t);
            EXPECT_EQ(model_.hardware().s.vector.k[t.c.mask], 0) << r.name;
        }
}

TEST_F(vector_machine_faults, addresses_are_canonical) {
    for (const vm_row& r : vm_rows()) {
        vm_trial t;
        const vm_shape shape = r.what.shape;
        if (shape == vm_shape::prefetch || shape == vm_shape::hint || !prepare(r, true, t))
            continue;
        const bool high = shape == vm_shape::unpack_h || shape == vm_shape::pack_h;
        place(t, (std::uint64_t{1} << 63) + (high ? 32 : 0));
        t.code = vm_encode(t.c);
        t.before.k[t.c.mask] = 0xffff;
        expect_fault(t, vector_gp);
        EXPECT_EQ(model_.fault().error, 0u) << r.name;
    }
}

// The instruction is repeated: until then nothing of it has happened.
TEST(vector_machine, accesses_that_have_to_wait_change_nothing) {
    for (const vm_row& r : vm_rows())
        for (const vm_variant& v : vm_variants(r)) {
            const vm_shape shape = r.what.shape;
            if (!v.memory || shape == vm_shape::prefetch || shape == vm_shape::hint) continue;
            vm_model model;
            vm_trial t;
            std::uint64_t seed = 0;
            vm_state after;
            do {
                vm_prepare(r, v, ++seed, t);
                t.before.k[t.c.mask] = 0xffff;
                after = t.before;
            } while (vm_execute(t.c, t.code.size, after) != vm_end::done);
            // An H form may have nothing to do.
            if (after.data == t.before.data && after.zmm == t.before.zmm) continue;
            model.set(t.before);
            model.block();
            EXPECT_EQ(model.step(t.code), status::blocked) << vm_describe(t);
            EXPECT_EQ(model.differences(t.before), "") << vm_describe(t);
            EXPECT_EQ(model.step(t.code), status::ok) << vm_describe(t);
            EXPECT_EQ(model.differences(after), "") << vm_describe(t);
        }
}

}  // namespace
}  // namespace knc::isa::test
