#include "reporter.h"

#include <algorithm>
#include <cstdio>

namespace bench {

namespace {

double median(std::vector<double> v) {
    if (v.empty()) return 0;
    std::sort(v.begin(), v.end());
    const std::size_t half = v.size() / 2;
    return v.size() % 2 != 0 ? v[half] : (v[half - 1] + v[half]) / 2;
}

double least(const std::vector<double>& v) {
    return v.empty() ? 0 : *std::min_element(v.begin(), v.end());
}

double most(const std::vector<double>& v) {
    return v.empty() ? 0 : *std::max_element(v.begin(), v.end());
}

}  // namespace

bool table_reporter::ReportContext(const Context&) {
    if (programs_.size() == 1)
        std::printf("%-28s %8s %17s %10s %9s %11s %9s\n", "workload", "MIPS", "from - to",
                    "Mclocks/s", "Mfills/s", "host/guest", "QEMU");
    else
        std::printf("%-28s %8s %17s %8s %17s %7s\n", "workload, MIPS", programs_[0].c_str(),
                    "from - to", programs_[1].c_str(), "from - to", "ratio");
    return true;
}

void table_reporter::ReportRuns(const std::vector<Run>& runs) {
    for (const Run& r : runs) {
        if (r.run_type != Run::RT_Iteration) continue;
        // WORKLOAD/PROGRAM, and what the library appends.
        const std::string& name = r.run_name.function_name;
        const std::size_t slash = name.rfind('/');
        const std::string workload = name.substr(0, slash), program = name.substr(slash + 1);
        if (of_.count(workload) == 0) order_.push_back(workload);
        rates& x = of_[workload][program];
        if (r.error_occurred) x.error = r.error_message;
        for (const auto& [key, value] : r.counters) {
            if (key == "MIPS")
                x.mips.push_back(value);
            else
                x.others[key] = value;
        }
        if (programs_.size() == 1) print(workload);
    }
}

// One program's runs come one after another, so that the line can be printed at once.
void table_reporter::print(const std::string& workload) const {
    const rates& x = of_.at(workload).begin()->second;
    if (!x.error.empty()) {
        std::printf("%-28s %s\n", workload.c_str(), x.error.c_str());
        return;
    }
    const auto other = [&](const char* key, int width, int digits) {
        const auto found = x.others.find(key);
        if (found == x.others.end())
            std::printf(" %*s", width, "-");
        else
            std::printf(" %*.*f", width, digits, found->second);
    };
    std::printf("%-28s %8.2f %8.2f-%8.2f", workload.c_str(), median(x.mips), least(x.mips),
                most(x.mips));
    other("Mclocks/s", 10, 2);
    other("Mfills/s", 9, 3);
    other("host/guest", 11, 1);
    other("QEMU", 9, 1);
    std::printf("\n");
    std::fflush(stdout);
}

void table_reporter::print_ratio(const std::string& workload) const {
    const auto& both = of_.at(workload);
    const auto of = [&](std::size_t n) -> const rates& { return both.at(programs_[n]); };
    for (const auto& [program, x] : both)
        if (!x.error.empty()) {
            std::printf("%-28s %s: %s\n", workload.c_str(), program.c_str(), x.error.c_str());
            return;
        }
    std::printf("%-28s", workload.c_str());
    for (std::size_t n = 0; n < 2; ++n)
        std::printf(" %8.2f %8.2f-%8.2f", median(of(n).mips), least(of(n).mips), most(of(n).mips));
    std::printf(" %7.3f\n", median(of(1).mips) / median(of(0).mips));
}

void table_reporter::Finalize() {
    if (programs_.size() == 2)
        for (const std::string& w : order_) print_ratio(w);
}

}  // namespace bench
