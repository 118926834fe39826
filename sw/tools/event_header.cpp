// Writes drivers/pmu/pmu_events.h from the models' event table: event_header OUT.h
// The header has one constant for each event, and the list PMU_EVENTS(X) of all of them.
#include <cctype>
#include <cstdio>
#include <string>

namespace {

struct row {
    const char* name;
    unsigned select, umask;
    const char* scope;
    const char* meaning;
};

const row rows[] = {
#define KNC_EVENT(name, select, umask, unit, scope, kind, bound, counter0, meaning, cause) \
    {#name, select, umask, #scope, meaning},
#include <knc/base/events.def>
#undef KNC_EVENT
};

std::string upper_case(std::string name) {
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

}  // namespace

int main(int argc, char** argv) {
    std::FILE* out = argc == 2 ? std::fopen(argv[1], "w") : nullptr;
    if (out == nullptr) {
        std::fputs("usage: event_header OUT.h\n", stderr);
        return 1;
    }
    std::fputs(
        "// Event codes of the PMU: bits 15:0 of PerfEvtSel (umask and event select).\n"
        "// Generated from models/knc/base/events.def.\n"
        "#ifndef KNC_SW_DRIVERS_PMU_PMU_EVENTS_H\n#define KNC_SW_DRIVERS_PMU_PMU_EVENTS_H\n\n",
        out);
    for (const row& r : rows) {
        std::fprintf(out, "// %s\n#define PMU_EVENT_%s 0x%04Xu\n", r.meaning,
                     upper_case(r.name).c_str(), r.umask << 8 | r.select);
    }
    std::fputs("\n// X(name, of the core, meaning)\n#define PMU_EVENTS(X)", out);
    for (const row& r : rows) {
        std::fprintf(out, " \\\n    X(%s, %d, \"%s\")", upper_case(r.name).c_str(),
                     std::string(r.scope) == "core", r.meaning);
    }
    std::fputs("\n", out);
    std::fputs("\n#endif\n", out);
    return std::fclose(out) == 0 ? 0 : 1;
}
