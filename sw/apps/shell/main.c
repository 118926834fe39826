// A prompt at the console: shows what a user types, and ways in which a run ends.
#include "drivers/sbox/sbox.h"
#include "drivers/uart/uart.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/thread.h"
#include "lib/trap.h"

#define VECTOR 0x50
#define ROOM 80

// Reads a line, with echo; backspace takes the last character back.
static void read_line(char* line) {
    u32 n = 0;
    for (;;) {
        const char c = (char)uart_get();
        if (c == '\r' || c == '\n') break;
        if (c == '\b' || c == 0x7F) {
            if (n != 0) {
                --n;
                printf("\b \b");
            }
        } else if (c >= ' ' && n + 1 < ROOM) {
            line[n++] = c;
            printf("%c", c);
        }
    }
    line[n] = 0;
    printf("\n");
}

static int number(const char* text) {
    int n = 0;
    for (; *text >= '0' && *text <= '9'; ++text) n = 10 * n + *text - '0';
    return n;
}

static bool is(const char* line, const char* command) {
    return strcmp(line, command) == 0;
}

int main(void) {
    static char line[ROOM];
    if (!sbox_init()) return 1;
    uart_init();
    uart_receive_by_interrupt(VECTOR);
    printf("commands: echo TEXT, id, interrupts, exit N, panic, hang, spin\n");
    for (;;) {
        printf("> ");
        read_line(line);
        if (strncmp(line, "echo ", 5) == 0)
            printf("%s\n", line + 5);
        else if (is(line, "id"))
            printf("thread %u\n", this_thread()->index);
        else if (is(line, "interrupts"))
            printf("%lu interrupts\n", uart_interrupts());
        else if (strncmp(line, "exit ", 5) == 0)
            return number(line + 5);
        else if (is(line, "panic"))
            panic(NULL, "as you wish");
        else if (is(line, "hang"))
            for (;;) halt();  // with interrupts off
        else if (is(line, "spin"))
            for (;;) {
            }
        else if (line[0] != 0)
            printf("what is '%s'?\n", line);
    }
}
