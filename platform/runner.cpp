#include <platform/runner.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include <knc/card/snapshot.h>

#include <platform/call_stack.h>
#include <platform/checkpoint.h>
#include <platform/collect.h>
#include <platform/console.h>
#include <platform/console_text.h>
#include <platform/function_profile.h>
#include <platform/gdb_card.h>
#include <platform/hints.h>
#include <platform/input_error.h>
#include <platform/instruction_texts.h>
#include <platform/log.h>
#include <platform/machine.h>
#include <platform/monitor_server.h>
#include <platform/msr_script.h>
#include <platform/msr_server.h>
#include <platform/program.h>
#include <platform/recording.h>
#include <platform/results.h>
#include <platform/symbols.h>
#include <platform/terminal.h>
#include <platform/timeline.h>
#include <platform/traced_functions.h>
#include <platform/traced_line.h>
#include <platform/tracing.h>

namespace platform {

namespace {

constexpr std::size_t most_warnings = 100;
// The longest quantum of a run whose steps are recorded.
constexpr knc::base::cycle_t most_recorded = 1000;

// SIGUSR1 has come.
volatile std::sig_atomic_t dump_wanted = 0;

class runner final : private msr_target_if {
  public:
    explicit runner(const run_request& r)
        : request_(r),
          terminal_(!r.quiet && !(r.log.wanted() && r.out.empty())),
          clock_(r.config.card.clock_hz),
          console_(make_console_end(r.console, terminal_, r.quiet), r.session, clock_.hz()),
          msr_script_(r.msr_accesses),
          machine_("knc", r.config, r.firmware, {r.cmdline, r.initrd}, control()) {
        if (!r.msr.empty())
            msr_server_.emplace(r.msr, machine_.card().tiles() * knc::card::tile::threads,
                                [this](const std::string& text) { warn(text); });
        if (!r.monitor.path.empty())
            monitors_.emplace(
                r.monitor.path, knc::card::shape_of(machine_.card()),
                [this] { return knc::card::snapshot_of(machine_.card()); },
                static_cast<msr_target_if&>(*this),
                [this](const std::string& text) { warn(text); });
        if (!r.gdb.place.empty()) {
            gdb_card_.emplace(
                machine_.card(), machine_.host(), r.gdb.code,
                [this](std::size_t thread) { gdb_->before_instruction(thread); },
                [this](bool on) { return switch_trace(on); });
            gdb_.emplace(r.gdb.place, *gdb_card_);
        }
    }

    int run() {
        prepare();
        wait_for_monitor();
        const auto begin = std::chrono::steady_clock::now();
        simulate();
        if (!not_restored_.empty()) throw input_error(not_restored_);
        report_.host_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (recording_) recording_->finish(machine_.card().now());
        msr_server_.reset();
        if (monitors_) monitors_->finish();
        monitors_.reset();
        console_.finish();
        terminal_.clear();
        conclude();
        if (gdb_) gdb_->finish(report_.status(), report_.status() == 3);
        if (!request_.config.checkpoint.file.empty() && !saved_)
            throw std::runtime_error(
                fmt::format("{}: no checkpoint is written: {}", request_.config.checkpoint.file,
                            not_saved_.empty() ? "no fast-forward has ended" : not_saved_));
        return report_.status();
    }

  private:
    bool recorded() const { return request_.config.timeline.wanted || request_.log.wanted(); }
    bool traced() const { return !request_.config.trace.scopes.empty(); }

    knc::card::run_control control() {
        knc::card::run_control c = run_control_of(request_.config);
        // Bounds the memory for steps that cannot be put in order yet.
        if (recorded()) c.quantum = std::min(c.quantum, most_recorded);
        c.fast_forward = request_.fast_forward;
        c.console = [this](char x) {
            if (results_) results_->console(x);
            if (!console_.put(x, clock_.cycle(sc_core::sc_time_stamp()))) return;
            machine_.card().input_ready();
            set_deadline();
        };
        c.input = [this] { return console_.next(); };
        c.input_open = [this] { return console_.open(); };
        c.asleep = [this] { input(console_.wait([this] { return clients_wait(); })); };
        c.synchronised = [this] { synchronised(); };
        c.observed = [this] { observe(); };
        c.attended = [this] { attend_clients(); };
        if (!request_.config.checkpoint.file.empty()) c.fast_forward_ended = [this] { save(); };
        if (request_.restored) {
            c.begin_at = request_.restored->header.clock;
            c.restore = [this] { return restore(); };
        }
        c.marker = [this](std::uint32_t number, knc::base::cycle_t at) {
            report_.marks.push_back({number, at});
            // No thread has seen yet that the write has reached the device.
            const knc::base::cycle_t seen = at + request_.config.card.core.device_cycles;
            phases_.mark(number, seen);
            if (recording_) recording_->mark(number, at);
            if (monitors_) monitors_->marked(number, seen);
            if (trace_) trace_->marked(number, seen);
            observe_next();
        };
        if (traced())
            c.sampled = [this](knc::base::cycle_t now, const knc::base::value_range& changed) {
                trace_->sampled(now, changed);
            };
        c.warning = [this](const std::string& text) { warn(text); };
        return c;
    }

    // The first time only.
    void save() {
        if (saved_ || !not_saved_.empty()) return;
        not_saved_ = machine_.card().why_not_saved();
        if (!not_saved_.empty()) return;
        try {
            const knc::base::cycle_t now = machine_.card().now();
            compressor state;
            serialize(state, now);
            write_checkpoint(request_.config.checkpoint.file,
                             {program_version(), identity_of(request_), now}, state.finish());
            saved_ = true;
        } catch (const std::exception& e) {
            not_saved_ = e.what();
        }
    }

    bool restore() {
        const checkpoint_file& f = *request_.restored;
        try {
            decompressor state{f.state()};
            if (!serialize(state, f.header.clock)) set_deadline();
        } catch (const std::exception& e) {
            not_restored_ = fmt::format("{}: the checkpoint does not fit: {}", f.path, e.what());
            return false;
        }
        if (results_)
            for (const char c : console_.text()) results_->console(c);
        if (console_.has_input()) machine_.card().input_ready();
        observe_next();
        machine_.card().request_attention(gdb_waits_ ? 0 : msr_script_.next());
        return true;
    }

    // Returns whether the session is the one that was saved.
    bool serialize(knc::base::archive& a, knc::base::cycle_t now) {
        a.part("run");
        a(report_.marks, report_.at_marks, report_.warnings, report_.msr_accesses, phases_);
        msr_script_.serialize(a, now);
        history_.serialize(a, now);
        const bool same = console_.serialize(a, now);
        machine_.card().serialize(a);
        return same;
    }

    void synchronised() {
        dump_on_demand();
        if (recording_) recording_->synchronised(machine_.card().now());
        if (console_.live()) input(console_.poll());
        if (msr_server_) attend(msr_server_->poll());
        if (gdb_) attend(gdb_->poll());
        if (!monitors_) return;
        monitors_->poll();
        observe_next();
    }

    void observe() {
        const knc::base::cycle_t now = machine_.card().now();
        if (phases_.next() <= now) end_phase(now);
        if (history_.next() <= now) history_.add(machine_.card());
        if (monitors_) monitors_->serve(now);
        observe_next();
    }

    // The marks that end phases are the first of the report's marks.
    void end_phase(knc::base::cycle_t now) {
        phases_.add(knc::card::snapshot_of(machine_.card()));
        report_.at_marks.push_back(
            {report_.marks[report_.at_marks.size()].number, now, collect_threads(machine_.card())});
    }

    // The next snapshot that somebody wants.
    void observe_next() {
        machine_.card().request_observation(std::min(
            {phases_.next(), history_.next(), monitors_ ? monitors_->next() : knc::base::never}));
    }

    // While the run waits for input: whether a client wants something of the card as it is.
    bool clients_wait() {
        dump_on_demand();
        if (msr_server_ && attend(msr_server_->look())) return true;
        if (gdb_ && attend(gdb_->look())) return true;
        if (!monitors_) return false;
        monitors_->look();
        observe_next();
        return monitors_->next() <= machine_.card().now();
    }

    void wait_for_monitor() {
        if (!monitors_ || !request_.monitor.wait) return;
        if (!request_.quiet)
            std::cerr << "knc-vp: waits for a monitor at " << request_.monitor.path << '\n';
        monitors_->wait_for_client();
        observe_next();
    }

    // Clients wait for their accesses, which are performed in the present clock.
    bool attend(bool clients_wait) {
        if (clients_wait) machine_.card().request_attention(0);
        return clients_wait;
    }

    void attend_clients() {
        if (gdb_waits_) {
            gdb_waits_ = false;
            if (!request_.quiet)
                std::cerr << "knc-vp: waits for gdb at " << request_.gdb.place << '\n';
            gdb_->wait_for_client();
        }
        if (gdb_) gdb_->attend();
        if (const auto on = std::exchange(trace_switch_, std::nullopt)) {
            const knc::base::cycle_t now = machine_.card().now();
            if (*on)
                trace_->switch_on(now);
            else
                trace_->switch_off(now);
        }
        msr_script_.perform(machine_.card().now(), *this, report_.msr_accesses);
        if (msr_server_) msr_server_->serve(*this);
        machine_.card().request_attention(msr_script_.next());
    }

    // A window of the trace begins and ends where all tiles are at one clock.
    bool switch_trace(bool on) {
        if (!trace_) return false;
        trace_switch_ = on;
        machine_.card().request_attention(0);
        return true;
    }

    // msr_target_if
    bool read(std::size_t thread, std::uint32_t number, std::uint64_t& value) override {
        return machine_.card().read_msr(thread, number, value);
    }
    bool write(std::size_t thread, std::uint32_t number, std::uint64_t value) override {
        return machine_.card().write_msr(thread, number, value);
    }

    // The host's side of the console has been looked at.
    void input(bool ready) {
        if (ready) machine_.card().input_ready();
        if (console_.quit()) machine_.card().stop("Ctrl-A x");
    }

    void set_deadline() {
        if (session* const s = console_.script())
            s->set_deadline(machine_.card().set_deadline(s->deadline()));
        else
            machine_.card().set_deadline(knc::base::never);
    }

    bool samples_exist() const {
        return request_.firmware.find(sample_symbol) != nullptr ||
               request_.firmware.find(log_symbol) != nullptr;
    }

    // Made when it is needed: most runs do without.
    symbols& known_symbols() {
        if (!symbols_) symbols_.emplace(request_.firmware, request_.symbols, memory());
        return *symbols_;
    }

    // The state of all threads.
    std::string dump() {
        // Without a profile, nobody has followed what became of the pages.
        if (!profile_) known_symbols().forget();
        std::ostringstream out;
        machine_.card().dump(out, &known_symbols());
        return out.str();
    }

    void dump_on_demand() {
        if (!std::exchange(dump_wanted, 0)) return;
        terminal_.clear();
        std::cerr << fmt::format("state at clock {}\n", machine_.card().now()) << dump();
    }

    memory_reader memory() {
        return [this](std::uint64_t at, void* to, std::size_t size) {
            return machine_.host().read(at, to, size);
        };
    }

    void warn(const std::string& text) {
        // A guest may give cause for any number of them.
        if (report_.warnings.size() > most_warnings) return;
        report_.warnings.push_back(text);
        if (report_.warnings.size() == most_warnings)
            report_.warnings.push_back("further warnings are left out");
        remark(text);
    }

    // Of what the report does not know.
    void remark(const std::string& text) {
        if (request_.quiet) return;
        terminal_.clear();
        std::cerr << "knc-vp: warning: " << text << '\n';
    }

    void prepare() {
        if (traced())
            trace_ = std::make_unique<tracing>(request_.config, machine_.card(), request_.firmware);
        if (!request_.out.empty()) {
            results_ = std::make_unique<results>(request_.out);
            history_.begin();
            observe_next();
        }
        if (trace_) trace_->begin(request_.out);
        if (trace_) name_functions();
        if (request_.config.profile.functions || samples_exist() || recorded()) {
            profile_ = std::make_unique<function_profile>(known_symbols());
            machine_.card().keep_profile(*profile_);
        }
        if (recorded()) record();
        set_deadline();
        gdb_waits_ = request_.gdb.wait;
        machine_.card().request_attention(gdb_waits_ ? 0 : msr_script_.next());
    }

    void name_functions() {
        const std::string& line = request_.config.trace.line;
        if (!line.empty()) machine_.card().watch_line(traced_line(line, request_.firmware));
        std::vector<std::string> names;
        for (const auto& program : known_symbols().programs())
            for (const function& f : program.functions.functions()) names.push_back(f.name);
        functions_.emplace(known_symbols(), names);
        machine_.card().name_functions(*functions_);
    }

    void record() {
        const auto complain = [this](const std::string& text) { remark(text); };
        const log_choice& l = request_.log;
        if (l.wanted()) {
            texts_.emplace(machine_.card(), memory(), *profile_, l.style);
            log_.emplace(log_file(), l, known_symbols().programs().front(), *texts_, complain);
        }
        recording_.emplace(machine_.card(), *profile_, l.instructions ? &*log_ : nullptr);
        if (log_) recording_->add(*log_);
        if (!request_.config.timeline.wanted) return;
        timeline_.emplace(request_.out, request_.config.timeline, machine_.card().tiles(), clock_,
                          complain);
        recording_->add(*timeline_);
    }

    std::ostream& log_file() {
        if (request_.out.empty()) return std::cerr;
        log_file_ = std::make_unique<std::ofstream>(request_.out + "/log.txt", std::ios::binary);
        if (!*log_file_) throw input_error("--out: " + request_.out + "/log.txt cannot be written");
        return *log_file_;
    }

    void simulate() {
        if (!terminal_.shows_progress()) {
            sc_core::sc_start();
            return;
        }
        // In slices, so that the line can be drawn between them.
        const auto slice = sc_core::sc_time(100, sc_core::SC_US);
        do {
            sc_core::sc_start(slice);
            terminal_.progress(sc_core::sc_time_stamp().to_seconds(),
                               machine_.card().instructions(), fraction());
        } while (sc_core::sc_get_status() != sc_core::SC_STOPPED && sc_core::sc_pending_activity());
    }

    // How much of the run is done, as far as a limit tells; negative: unknown.
    double fraction() {
        const auto& limits = request_.config.limits;
        if (limits.max_cycles != knc::base::never)
            return static_cast<double>(machine_.card().now()) /
                   static_cast<double>(limits.max_cycles);
        if (limits.max_instructions != ~std::uint64_t{0})
            return static_cast<double>(machine_.card().instructions()) /
                   static_cast<double>(limits.max_instructions);
        return -1;
    }

    void conclude() {
        report_.preset = request_.preset;
        report_.image = request_.firmware.name;
        report_.cmdline = request_.cmdline;
        collect(machine_.card(), report_);
        report_.shape = knc::card::shape_of(machine_.card());
        report_.phases = phases_.all(report_.shape, knc::card::snapshot_of(machine_.card()));
        history_.add(machine_.card());
        report_.history = std::move(history_);
        report_.hints = hints_of(report_.threads);
        if (report_.status() == 3) report_.dump = dump();
        if (request_.config.profile.functions)
            report_.by_function = summarize(*profile_, machine_.card());
        session* const script = console_.script();
        if (script != nullptr && script->waiting() != nullptr)
            report_.unheard =
                complaint(*script->waiting(), report_.reason == "session", console_.text());

        std::vector<std::string> problems;
        const auto samples = read_samples(request_.firmware, memory(), problems);
        for (const std::string& p : problems) warn(p);
        call_stack stacks{request_.firmware};
        report_.profiles = make_profiles(samples, stacks, profile_.get());
        report_.samplers = make_accounts(samples, [this](std::uint16_t thread, std::size_t n) {
            return thread < report_.threads.size() ? &report_.threads[thread].counted[n] : nullptr;
        });
        for (const expectation& e : request_.expectations)
            report_.expectations.push_back(judge(e, report_, console_.text()));

        if (trace_) finish_trace();
        if (results_) results_->write(report_, samples, stacks, clock_);
        if (!report_.unheard.empty()) std::cerr << "knc-vp: " << report_.unheard << '\n';
        if (!request_.quiet) write_summary(std::cerr, report_);
        if (!request_.quiet && report_.ended_badly() && !console_.on_terminal()) write_tail();
        std::cerr << report_.dump;
    }

    void write_tail() {
        constexpr std::size_t lines = 20;
        const std::string tail = last_lines(console_.text(), lines);
        if (!tail.empty()) std::cerr << "the console's last lines:\n" << tail;
    }

    // What it tells is no part of the report, which a trace does not change.
    void finish_trace() {
        for (const std::string& note : trace_->finish(report_.cycles))
            std::cerr << "knc-vp: warning: " << note << '\n';
        trace_view view{
            name_of(trace_->format()), clock_.at(trace_->from()), clock_.at(trace_->to()), {}};
        for (const mark& m : report_.marks)
            view.marks.push_back({clock_.at(m.cycle), fmt::format("mark {}", m.number)});
        results_->write_trace_view(trace_->signals(), &*functions_, view);
    }

    const run_request& request_;
    report report_;
    terminal terminal_;
    const knc::base::clock clock_;
    console console_;
    std::unique_ptr<results> results_;
    std::unique_ptr<tracing> trace_;
    std::optional<traced_functions> functions_;
    msr_script msr_script_;
    machine machine_;
    std::optional<msr_server> msr_server_;
    std::optional<monitor_server> monitors_;
    std::optional<gdb_card> gdb_card_;
    std::optional<gdb_server> gdb_;
    bool gdb_waits_ = false;            // for its first client, before the first cycle
    std::optional<bool> trace_switch_;  // what gdb's user wants of the trace
    phase_recorder phases_;
    counter_history history_;
    std::optional<symbols> symbols_;
    std::unique_ptr<function_profile> profile_;
    std::unique_ptr<std::ofstream> log_file_;
    std::optional<instruction_texts> texts_;
    std::optional<log> log_;
    std::optional<timeline> timeline_;
    std::optional<recording> recording_;
    bool saved_ = false;
    std::string not_saved_, not_restored_;  // why; empty: no reason
};

}  // namespace

int run(const run_request& r) {
    // Whoever reads the console may stop reading; the run and its report go on.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGUSR1, [](int) { dump_wanted = 1; });
    return runner{r}.run();
}

}  // namespace platform
