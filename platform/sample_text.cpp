#include <platform/sample_text.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include <platform/sampled_event.h>
#include <platform/symbols.h>

namespace platform {

namespace {

// Readers part the fields by blanks, parentheses and semicolons.
std::string word(std::string text) {
    for (char& c : text)
        if (std::isgraph(static_cast<unsigned char>(c)) == 0 || c == '(' || c == ')' || c == ';')
            c = '_';
    return text;
}

struct entry {
    const sample_log* log;
    const sample* of;
};

// Folded stacks part functions by semicolons.
std::string function_word(std::string name) {
    std::replace(name.begin(), name.end(), ';', ':');
    return name;
}

void write_frame(std::ostream& out, const stack_frame& f, const std::string& image) {
    if (!f.known) {
        out << fmt::format("\t{:>16x} {} ({})\n", f.address, no_function, no_function);
        return;
    }
    out << fmt::format("\t{:>16x} {}+{:#x} ({})\n", f.address, function_word(f.function), f.offset,
                       f.inlined ? "inlined" : image);
}

}  // namespace

void write_samples(std::ostream& out, const std::vector<sample_log>& logs, call_stack& stacks,
                   const std::string& image, const knc::base::clock& clock) {
    std::vector<entry> all;
    for (const sample_log& l : logs)
        for (const sample& s : l.samples) all.push_back({&l, &s});
    std::stable_sort(all.begin(), all.end(),
                     [](const entry& a, const entry& b) { return a.of->tsc < b.of->tsc; });
    const std::string name = word(image);
    constexpr std::uint64_t ps_per_ns = 1000;
    for (const entry& e : all) {
        const std::uint64_t ns = clock.at(e.of->tsc % clock.hz()).value() / ps_per_ns;
        out << fmt::format("{} {}/{} [{:03}] {}.{:09}: {:>10} {}: \n", name, 1, e.of->thread + 1,
                           e.of->thread, e.of->tsc / clock.hz(), ns, events_of(*e.log, *e.of),
                           word(event_of(*e.log, e.of->counter).with_level()));
        for (const stack_frame& f : stacks.of(*e.of)) write_frame(out, f, name);
        out << '\n';
    }
}

void write_folded(std::ostream& out, const std::vector<sample_log>& logs, call_stack& stacks,
                  const std::string& image) {
    std::set<std::uint64_t> keys;
    for (const sample_log& l : logs)
        for (const sample& s : l.samples) keys.insert(key_of(l, s.counter));
    std::map<std::string, std::uint64_t> folded;
    for (const sample_log& l : logs) {
        for (const sample& s : l.samples) {
            std::string stack = word(image);
            if (keys.size() > 1) stack += ';' + word(event_of(l, s.counter).with_level());
            const std::vector<stack_frame> frames = stacks.of(s);
            for (auto f = frames.rbegin(); f != frames.rend(); ++f)
                stack += ';' + function_word(f->function);
            folded[stack] += s.weight;
        }
    }
    for (const auto& [stack, count] : folded) out << stack << ' ' << count << '\n';
}

}  // namespace platform
