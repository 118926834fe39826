// The state of the devices, field by field; docs/checkpoints.md.
#include <knc/base/archive.h>
#include <knc/sbox/pc_ports.h>
#include <knc/sbox/sbox.h>
#include <knc/sbox/testdev.h>
#include <knc/sbox/uart.h>

namespace knc::sbox {

void elapsed_time::serialize(base::archive& a) {
    a(stopped_at_, lost_, frozen_);
}

void page_table::serialize(base::archive& a) {
    a(entries_);
}

void host_interrupts::serialize(base::archive& a) {
    a(causes_, enables_);
}

void io_apic::redirection::serialize(base::archive& a) {
    a(low, high, line);
}

void io_apic::serialize(base::archive& a) {
    a(entries_);
}

void registers::serialize(base::archive& a) {
    a(stored_, etc_, smpt_, host_, io_apic_);
    if (stored_.size() != block_size / 4) throw base::archive_error("size of the SBOX");
}

void sbox::arrival::serialize(base::archive& a) {
    a(at, edge, number);
}

void sbox::serialize(base::archive& a) {
    a(registers_, arrivals_);
    if (!a.loading()) return;
    for (const arrival& o : arrivals_)
        if (o.edge && o.number >= io_apic::pins) throw base::archive_error("pin of the I/O APIC");
    schedule();
    line_due_.notify(sc_core::SC_ZERO_TIME);
}

void uart_registers::state::serialize(base::archive& a) {
    a(divisor, ier, fcr, lcr, mcr, scr);
    a(modem_changes, overrun, transmit_request, timed_out);
    a(first, filled, fifo);
}

void uart_registers::serialize(base::archive& a) {
    a(s_, line_, exhausted_, arrival_at_, timeout_at_);
    if (s_.first >= s_.fifo.size() || s_.filled > s_.fifo.size())
        throw base::archive_error("receive FIFO");
}

void uart::serialize(base::archive& a) {
    registers_.serialize(a);
    if (a.loading()) schedule();
}

void testdev::serialize(base::archive& a) {
    a(marker_, markers_);
}

void cmos_clock::serialize(base::archive& a) {
    a(index_);
}

}  // namespace knc::sbox
