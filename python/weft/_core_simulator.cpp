// SPDX-License-Identifier: BSD-3-Clause
// The simulator in weft._core: machines, operations, programs, and what they take.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <set>

#include "_core.hpp"
#include "algorithm/build.hpp"
#include "executor/simulator/goal.hpp"
#include "executor/simulator/halo.hpp"
#include "executor/simulator/layout.hpp"
#include "executor/simulator/simulation.hpp"
#include "executor/simulator/timeline.hpp"
#include "schedule/epoch.hpp"
#include "transform/lower.hpp"
#include "transform/raise.hpp"

namespace weft::simulator {
namespace {

// One operation of a program on all ranks; its scripts are made when it is simulated for the first time.
struct Operation {
  std::shared_ptr<Decided> decided;  // what its schedules refer to
  Scripts scripts;
  std::string name;
};

// Task lists as the adapter gets them, or null: the ranks or their agents have the schedule itself.
struct Lists {
  bool wanted;
  QueueForm form;
  std::optional<std::uint32_t> most_tasks;
};

Part part_of_schedule(const Schedule& schedule, const Lists& lists, Bytes eager) {
  if (!lists.wanted) return part_of(schedule, eager);
  Lowering lowering{.form = lists.form};
  if (lists.most_tasks) lowering.most_tasks = *lists.most_tasks;
  return part_of(value_or_refuse(raise(value_or_refuse(lower(schedule, lowering)))), eager);
}

Operation operation_of(const Call& call, const Machine& machine, const std::optional<std::string>& algorithm,
                       const Options& options, const Hierarchy* hierarchy, const Topology* topology,
                       const std::optional<std::string>& depth, bool by_rounds, const Lists& lists,
                       const Layout& layout) {
  std::shared_ptr<Decided> decided;
  if (!algorithm && topology == nullptr) {  // each rank on a node of its own
    SharedSettings settings = settings_here().shared;
    settings.rounds |= by_rounds;
    decided = std::make_shared<Decided>();
    decided->decision = decide(call, placement_of(SharedMemory{}, false, nullptr, settings), settings);
  } else if (!algorithm) {
    decided = decide_here(call, topology, depth, by_rounds);
  } else {
    decided = std::make_shared<Decided>();
    if (hierarchy != nullptr) decided->site.hierarchy = *hierarchy;
    const Hierarchy* const own = hierarchy != nullptr ? &*decided->site.hierarchy : nullptr;
    const Algorithm& card = algorithm_for(call, *algorithm);
    decided->decision = decide(call, card, make_parameters(card, call, options, own), by_rounds);
  }
  const Bytes eager = machine.eager();
  const Decision& decision = decided->decision;
  const Choice& choice = decision.choice;
  std::string name = label_of(*choice.algorithm, call, choice.parameters);
  const auto part = [decided, lists, eager, layout](int rank) {
    return layout.part_of(rank, [&](int member) {
      return part_of_schedule(example_schedule_of(decided->decision, Rank(member), false), lists, eager);
    });
  };
  Operation operation{decided, Scripts(layout.rank_count(), part), std::move(name)};
  operation.scripts.set_member_count(layout.member_count());
  return operation;
}

// An access epoch, in which every rank puts.
Operation operation_of_puts(const Call& call, bool to_neighbors, const Machine& machine, const Lists& lists) {
  const auto example = std::make_shared<const ExamplePuts>(
      example_puts(to_neighbors ? PutsTo::kNeighbors : PutsTo::kNext, call.rank_count, call.bytes));
  const auto part = [example, lists, eager = machine.eager()](int rank) {
    return part_of_schedule(value_or_refuse(epoch_of(example->call, example->parcels, Rank(rank))), lists,
                            eager);
  };
  return {nullptr, Scripts(call.rank_count, part), "put"};
}

// A program in GOAL, as one operation: what it computes is in it.
Operation operation_of_goal(const std::string& text, const std::string& file) {
  return {nullptr, scripts_of(value_or_refuse(parse_goal(text)), text, file), "GOAL"};
}

// Whether the steps make sense together the simulator says.
Program program_of(const std::vector<std::tuple<std::string, double>>& steps, std::int64_t repetitions) {
  Program program{.steps = {}, .repetitions = repetitions};
  for (const auto& [what, value] : steps) {
    if (what == "compute") {
      if (!(value >= 0 && value <= 1e9))
        refuse(fmt::format("computing for {} us: from 0 to 1e9 are possible", value));
      program.steps.push_back({.kind = Step::Kind::kCompute, .time = from_ns(1000 * value)});
      continue;
    }
    if (what != "start" && what != "wait")
      refuse(fmt::format("a step \"{}\": choose compute, start or wait", what));
    if (!(value >= 0 && value <= kMostOperations && value == std::floor(value)))
      refuse(fmt::format("{} {}: operations have the numbers from 0 to {}", what, value, kMostOperations));
    program.steps.push_back({.kind = what == "start" ? Step::Kind::kStart : Step::Kind::kWait,
                             .operation = static_cast<int>(value)});
  }
  return program;
}

MovedBy mover_named(const std::string& name) {
  if (name == "host") return MovedBy::kHost;
  if (name == "agent") return MovedBy::kAgent;
  if (name == "adapter") return MovedBy::kAdapter;
  refuse(fmt::format("operations moved by \"{}\": choose host, agent or adapter", name));
}

// Interruptions are (begin, duration); all times are in us.
Noise noise_of(const std::vector<std::tuple<double, double>>& interruptions, double length,
               std::uint64_t seed) {
  if (interruptions.empty()) return {};
  std::vector<Interruption> trace;
  constexpr double kMostUs = 1e9;
  if (!(length > 0 && length <= kMostUs))
    refuse(fmt::format("noise over and over each {} us: up to 1e9 are possible", length));
  const Time turn = from_ns(1000 * length);  // to the picosecond, as all that is compared here
  Time before, lost;
  for (const auto& [begin, duration] : interruptions) {
    const bool are_times = begin >= 0 && begin <= kMostUs && duration > 0 && duration <= kMostUs;
    const Time from = from_ns(are_times ? 1000 * begin : 0), time = from_ns(are_times ? 1000 * duration : 0);
    if (!(from >= before && time > Time(0) && from + time <= turn))
      refuse(
          fmt::format("noise at {} us for {} us: interruptions come in order, do not overlap, and end within "
                      "the {} us after which they begin again",
                      begin, duration, length));
    before = from + time;
    lost += time;
    trace.push_back({from, time});
  }
  if (lost >= turn) refuse("noise has to leave some time to the program");
  return Noise::traced(std::move(trace), turn, seed);
}

// The same machine whose ranks share so many cores, those of each part of the level.
Machine with_cores(Machine machine, int cores, const std::string& level) {
  if (cores < 1 || cores > kMostCores)
    refuse(fmt::format("{} cores: choose from 1 to {}", cores, kMostCores));
  const auto found = level_named(level);
  if (!found) refuse(fmt::format("cores of \"{}\": choose network, or a level of a topology", level));
  machine.cores = cores;
  machine.cores_of = *found;
  return machine;
}

struct Simulated {
  Outcome outcome;
  Timeline timeline;
  std::vector<Deed> deeds;  // of its bars
  double generation_seconds = 0, seconds = 0;
  std::uint64_t free_steps = 0;
};

double now_in_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Ten times a second Python hears how far a simulation has come, and may end it: by Ctrl-C, for one.
class Progress {
 public:
  // `tell`: a function of (what is done, how much of it, of how much), or None.
  explicit Progress(nb::object tell) : tell_(std::move(tell)) {}
  void operator()(const char* what, std::uint64_t done, std::uint64_t total) {
    const double now = now_in_seconds();
    if (now < next_) return;
    next_ = now + 0.1;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!tell_.is_none()) tell_(what, done, total);
  }

 private:
  nb::object tell_;
  double next_ = now_in_seconds() + 0.1;
};

// The operations' scripts for one simulation: they may be of other programs, too.
struct Lent {
  explicit Lent(const std::vector<Operation*>& from) : operations(from) {
    for (Operation* const one : operations) scripts.push_back(std::move(one->scripts));
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    for (std::size_t i = 0; i < operations.size(); ++i) operations[i]->scripts = std::move(scripts[i]);
  }
  const std::vector<Operation*>& operations;
  std::vector<Scripts> scripts;
};

// Makes the scripts. Returns how many tasks they have for all ranks together, errands for each who may do
// one.
std::uint64_t make_scripts(std::vector<Scripts>& operations, Progress& progress) {
  const auto ranks = static_cast<std::uint64_t>(operations.front().rank_count()) * operations.size();
  std::uint64_t tasks = 0, made = 0;
  for (Scripts& one : operations)
    for (int rank = 0; rank < one.rank_count(); ++rank) {
      tasks += one[one.number_of(rank)].part_tasks;
      progress("schedules", ++made, ranks);
    }
  return tasks;
}

void need_one_each(const char* what, std::size_t values, int ranks) {
  if (values != 0 && values != static_cast<std::size_t>(ranks))
    refuse(fmt::format("{}: {} values for {} ranks: give one for each", what, values, ranks));
}

nb::object array_of(const std::vector<Time>& times) {
  auto* const values = new std::vector<double>();
  values->reserve(times.size());
  for (const Time time : times) values->push_back(in_ns(time));
  const nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(values->data(), {values->size()}, owner));
}

Simulated run(const std::vector<Operation*>& operations,
              const std::vector<std::tuple<std::string, double>>& steps, const Machine& machine,
              std::int64_t repetitions, const Topology* topology, const std::string& moved_by,
              const std::vector<std::string>& movers, double test_every, bool shares_core,
              const std::vector<std::tuple<double, double>>& noise, double noise_length, double skew,
              const std::vector<double>& begins, double slowest, const std::vector<double>& slow_down,
              double spread, std::int64_t signal_bytes, std::uint64_t seed, bool details, int traced_ranks,
              nb::object progress) {
  if (std::set(operations.begin(), operations.end()).size() < operations.size())
    refuse("an operation stands in the program twice: make another one");
  if (operations.empty()) refuse("a program without operations: give at least one");
  const int ranks = operations.front()->scripts.rank_count();
  if (topology != nullptr && topology->rank_count() != ranks)
    refuse(fmt::format("the topology has {} ranks, the program {}: they must agree", topology->rank_count(),
                       ranks));
  if (!(skew >= 0 && skew <= 1e9) || !(slowest >= 1 && slowest <= 1e6) || !(spread >= 1 && spread <= 1e6) ||
      !(test_every >= 0 && test_every <= 1e9))
    refuse("skew and test_every are from 0 to 1e9 us, slowest and spread are from 1 to 1e6");
  need_one_each("begins", begins.size(), ranks);
  need_one_each("slow_down", slow_down.size(), ranks);
  Setting setting;
  setting.machine = machine;
  setting.topology = topology;
  setting.moved_by = mover_named(moved_by);
  for (const std::string& mover : movers) setting.movers.push_back(mover_named(mover));
  setting.test_every = from_ns(1000 * test_every);
  setting.agent_shares_core = shares_core;
  setting.noise = noise_of(noise, noise_length, seed);
  setting.skew = from_ns(1000 * skew);
  for (const double us : begins) setting.begins.push_back(from_ns(1000 * us));
  setting.slowest = slowest;
  setting.slow_down = slow_down;
  setting.spread = spread;
  setting.signal_bytes = Bytes(signal_bytes);
  setting.seed = seed;
  setting.details = details;
  const Program program = program_of(steps, repetitions);
  Progress told(std::move(progress));
  Lent lent(operations);
  Simulated simulated;
  simulated.timeline = Timeline(std::clamp(traced_ranks, 0, ranks));
  const double begin = now_in_seconds();
  const std::uint64_t tasks = make_scripts(lent.scripts, told) * static_cast<std::uint64_t>(repetitions);
  const double made = now_in_seconds();
  setting.progress = [&](std::uint64_t done) { told("tasks", done, tasks); };
  simulated.outcome =
      simulate(setting, program, lent.scripts, traced_ranks > 0 ? &simulated.timeline : nullptr);
  simulated.generation_seconds = made - begin;
  simulated.seconds = now_in_seconds() - made;
  if (!simulated.outcome.problem.empty()) refuse(simulated.outcome.problem);
  if (!machine.has_lines()) simulated.free_steps = simulated.outcome.steps;
  simulated.deeds = simulated.timeline.deeds(setting, lent.scripts);
  return simulated;
}

std::string_view name_of(MovedBy mover) {
  return mover == MovedBy::kHost ? "host" : mover == MovedBy::kAgent ? "agent" : "adapter";
}

// Rank, kind, operation, peer, bytes, by whom, on which processor, begin and end.
using ShownBar = std::tuple<int, std::string_view, int, std::optional<int>, std::int64_t, std::string_view,
                            int, double, double>;
std::vector<ShownBar> bars_of(const Simulated& simulated) {
  std::vector<ShownBar> list;
  const std::vector<Bar>& bars = simulated.timeline.bars();
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const Deed& deed = simulated.deeds[i];
    const auto peer = deed.peer == Deed::kNobody ? std::nullopt : std::optional(deed.peer);
    list.emplace_back(bar.rank, deed.kind, bar.operation, peer, deed.size.value, name_of(deed.by), deed.cpu,
                      in_ns(bar.begin), in_ns(bar.end));
  }
  return list;
}

void bind(nb::module_& m) {
  nb::class_<Machine>(m, "SimulatedMachine")
      .def(
          "__init__",
          [](Machine* self, const std::string& text) {
            new (self) Machine(value_or_refuse(Machine::parse(text)));
          },
          "text"_a)
      .def_static(
          "unit_of", [](const std::string& name) { return value_or_refuse(Machine::unit_of(name)); },
          "name"_a)
      .def_prop_ro("text", &Machine::text)
      .def_ro("cores", &Machine::cores)
      .def_prop_ro("copy_ns_per_byte",
                   [](const Machine& m) { return in_ns(m.memory_at(Level::kNode).copy_per_byte); })
      .def_prop_ro("reduce_ns_per_byte",
                   [](const Machine& m) { return in_ns(m.memory_at(Level::kNode).reduce_per_byte); })
      .def("with_cores", with_cores, "cores"_a, "level"_a = "node");
  nb::class_<Operation>(m, "Operation")
      .def_ro("name", &Operation::name)
      .def_prop_ro("ranks", [](const Operation& o) { return o.scripts.rank_count(); });
  m.def(
      "operation",
      [](const Call& call, const Machine& machine, const std::optional<std::string>& algorithm, int radix,
         int bcast_radix, int window, std::optional<std::int64_t> fragment, const std::string& leader,
         const Hierarchy* hierarchy, const Topology* topology, const std::optional<std::string>& depth,
         bool by_rounds, bool task_lists, const std::string& form, std::optional<std::uint32_t> most_tasks,
         const std::string& layout, int layout_size, std::optional<int> ranks) {
        const Layout place =
            value_or_refuse(Layout::make(layout, layout_size, ranks.value_or(call.rank_count)));
        if (place.member_count() != call.rank_count)
          refuse(fmt::format("a call of {} ranks, where {} take part together: they must agree",
                             call.rank_count, place.member_count()));
        const Options options{radix, bcast_radix, window, fragment, leader};
        return operation_of(call, machine, algorithm, options, hierarchy, topology, depth, by_rounds,
                            {task_lists, form_named(form), most_tasks}, place);
      },
      "call"_a, "machine"_a, "algorithm"_a = nb::none(), nb::kw_only(), "radix"_a = kUsual.radix,
      "bcast_radix"_a = kUsual.bcast_radix, "window"_a = kUsual.window, "fragment"_a = nb::none(),
      "leader"_a = "", "hierarchy"_a = nb::none(), "topology"_a = nb::none(), "depth"_a = nb::none(),
      "by_rounds"_a = false, "task_lists"_a = false, "form"_a = kUsualForm, "most_tasks"_a = nb::none(),
      "layout"_a = "all", "layout_size"_a = 1, "ranks"_a = nb::none());
  m.def(
      "halo",
      [](const std::vector<int>& dims, const std::vector<std::int64_t>& bytes, bool periodic) {
        const Halo halo = value_or_refuse(Halo::make(dims, bytes, periodic));
        return Operation{nullptr, Scripts(halo.rank_count(), [halo](int rank) { return halo.part_of(rank); }),
                         "halo"};
      },
      "dims"_a, "bytes"_a, "periodic"_a = false);
  m.def(
      "puts",
      [](const Call& call, const Machine& machine, bool to_neighbors, bool task_lists) {
        return operation_of_puts(call, to_neighbors, machine, {task_lists, form_named(kUsualForm), {}});
      },
      "call"_a, "machine"_a, nb::kw_only(), "to_neighbors"_a = false, "task_lists"_a = false);
  m.def("goal_operation", operation_of_goal, "text"_a, "file"_a);
  nb::class_<Simulated>(m, "SimulatedProgram")
      .def_prop_ro("finish_ns", [](const Simulated& s) { return in_ns(s.outcome.finish); })
      .def_prop_ro("tasks", [](const Simulated& s) { return s.outcome.tasks; })
      .def_ro("free_steps", &Simulated::free_steps)
      .def_prop_ro("messages", [](const Simulated& s) { return s.outcome.messages; })
      .def_prop_ro("bytes", [](const Simulated& s) { return s.outcome.bytes; })
      .def_prop_ro("scripts", [](const Simulated& s) { return s.outcome.scripts; })
      .def_prop_ro("state_bytes", [](const Simulated& s) { return s.outcome.state_bytes; })
      .def_prop_ro("queue_bytes", [](const Simulated& s) { return s.outcome.queue_bytes; })
      .def_ro("generation_seconds", &Simulated::generation_seconds)
      .def_ro("seconds", &Simulated::seconds)
      .def_prop_ro("finished_ns", [](const Simulated& s) { return array_of(s.outcome.finished); })
      .def_prop_ro("begun_ns", [](const Simulated& s) { return array_of(s.outcome.begun); })
      .def_prop_ro("started_ns", [](const Simulated& s) { return array_of(s.outcome.started); })
      .def_prop_ro("computed_ns", [](const Simulated& s) { return array_of(s.outcome.computed); })
      .def_prop_ro("waited_ns", [](const Simulated& s) { return array_of(s.outcome.waited); })
      .def_prop_ro("bars", bars_of);
  m.def("simulate", run, "operations"_a, "steps"_a, "machine"_a, nb::kw_only(), "repetitions"_a = 1,
        "topology"_a = nb::none(), "moved_by"_a = "host", "movers"_a = std::vector<std::string>(),
        "test_every"_a = 0.0, "shares_core"_a = false, "noise"_a = std::vector<std::tuple<double, double>>(),
        "noise_length"_a = 0.0, "skew"_a = 0.0, "begins"_a = std::vector<double>(), "slowest"_a = 1.0,
        "slow_down"_a = std::vector<double>(), "spread"_a = 1.0, "signal_bytes"_a = 0, "seed"_a = 1,
        "details"_a = true, "traced_ranks"_a = 0, "progress"_a = nb::none());
}

}  // namespace
}  // namespace weft::simulator

void weft::bind_simulator(nb::module_& m) { simulator::bind(m); }
