// The tables that the benchmark prints.
#ifndef KNC_TESTS_BENCH_REPORTER_H
#define KNC_TESTS_BENCH_REPORTER_H

#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace bench {

// Rates of each workload: the median of its runs, and from which to which they spread. With two
// programs, the rates of both and their ratio.
class table_reporter : public benchmark::BenchmarkReporter {
  public:
    // `programs`: their names; a benchmark is called WORKLOAD/NAME.
    explicit table_reporter(const std::vector<std::string>& programs) : programs_(programs) {}

    bool ReportContext(const Context&) override;
    void ReportRuns(const std::vector<Run>&) override;
    void Finalize() override;

  private:
    struct rates {
        std::vector<double> mips;
        std::map<std::string, double> others;
        std::string error;
    };
    void print(const std::string& workload) const;
    void print_ratio(const std::string& workload) const;

    const std::vector<std::string> programs_;
    std::vector<std::string> order_;  // workloads
    std::map<std::string, std::map<std::string, rates>> of_;
};

}  // namespace bench

#endif
