// Instructions that reach devices: what they count, although they are executed again for each
// answer.

#include "event_log.h"

namespace knc::card::test {
namespace {

using base::event;

// Each answered as soon as it is posted, reads with 5.
void answer_all(rig& r, std::size_t wanted) {
    for (std::size_t n = 0; n < wanted; ++n) {
        for (int k = 0; k < 100 && r.posted.size() <= n; ++k) r.run(r.unit.cpu().now() + 10);
        ASSERT_EQ(r.posted.size(), n + 1);
        core::device_request q = r.posted[n];
        q.data[0] = q.write ? q.data[0] : 5;
        r.answer(q, r.unit.cpu().now() + 10);
    }
    r.run(r.unit.cpu().now() + 1000);
    EXPECT_EQ(r.posted.size(), wanted);
}

void expect_counts(const rig& r, std::uint64_t reads, std::uint64_t writes,
                   std::uint64_t device_reads, std::uint64_t device_writes) {
    EXPECT_EQ(r.count(0, event::data_read), reads);
    EXPECT_EQ(r.count(0, event::data_write), writes);
    EXPECT_EQ(r.count(0, event::data_read_or_write), reads + writes);
    EXPECT_EQ(r.count(0, event::data_read_miss), device_reads);
    EXPECT_EQ(r.count(0, event::data_read_miss_or_write_miss), device_reads + device_writes);
}

KNC_PROGRAM(copies_out,
            "movl $0x3000, %esi\nmovl $0xfef00000, %edi\nmovl $3, %ecx\ncld\nrep movsb\nhlt");
TEST(device_access, strings_from_memory) {
    rig r;
    r.start(0, 0x1000, copies_out);
    std::memcpy(r.memory.data() + 0x3000, "abc", 3);
    answer_all(r, 3);
    expect_counts(r, 3, 3, 0, 3);
    for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(r.posted[n].data[0], "abc"[n]);
}

KNC_PROGRAM(copies_in_device,
            "movl $0xfef00000, %esi\nmovl $0xfef00010, %edi\nmovl $2, %ecx\ncld\nrep movsb\nhlt");
TEST(device_access, strings_between_devices) {
    rig r;
    r.start(0, 0x1000, copies_in_device);
    answer_all(r, 4);
    expect_counts(r, 2, 2, 2, 2);
}

KNC_PROGRAM(modifies, "addb $3, 0xfef00007\nhlt");
TEST(device_access, read_modify_write) {
    rig r;
    r.start(0, 0x1000, modifies);
    answer_all(r, 2);
    expect_counts(r, 1, 1, 1, 1);
    EXPECT_FALSE(r.posted[0].write);
    EXPECT_TRUE(r.posted[1].write);
    EXPECT_EQ(r.posted[1].data[0], 8);
}

KNC_PROGRAM(pushes_from_device, "movl $0x9000, %esp\npushl 0xfef00000\nhlt");
TEST(device_access, memory_after_a_device) {
    rig r;
    r.start(0, 0x1000, pushes_from_device);
    answer_all(r, 1);
    expect_counts(r, 1, 1, 1, 0);
}

KNC_PROGRAM(outputs,
            "movl $0x3000, %esi\nmovl $0x60, %edx\nmovl $3, %ecx\ncld\nrep outsb\n"
            "movl $0x3800, %edi\nmovl $2, %ecx\nrep insb\nhlt");
TEST(device_access, string_ports) {
    parameters p;
    p.profile = isa::profile::compat;
    rig r(p);
    r.start(0, 0x1000, outputs);
    std::memcpy(r.memory.data() + 0x3000, "xyz", 3);
    answer_all(r, 5);
    expect_counts(r, 3, 2, 0, 0);
    for (std::size_t n = 0; n < 3; ++n) {
        EXPECT_EQ(r.posted[n].data[0], "xyz"[n]);
        EXPECT_EQ(r.posted[n].space, core::address_space::ports);
        EXPECT_EQ(r.posted[n].address, 0x60u);
    }
    EXPECT_EQ(r.read<std::uint16_t>(0x3800), 0x0505u);
}

}  // namespace
}  // namespace knc::card::test
