// SPDX-License-Identifier: BSD-3-Clause
// Calls, schedules and reports in weft._core, and the module itself.
#include "_core.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <future>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <thread>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "base/config.hpp"
#include "executor/verifier/trace.hpp"
#include "executor/verifier/verify.hpp"
#include "explain/site.hpp"
#include "planner/decision.hpp"
#include "schedule/describe.hpp"
#include "schedule/dot.hpp"
#include "schedule/goal.hpp"
#include "schedule/json.hpp"
#include "schedule/svg.hpp"
#include "schedule/text.hpp"
#include "schedule/traffic.hpp"

namespace weft {
namespace {

// All ranks' schedules together are to fit into some gigabytes.
constexpr double kMostTasks = 5e7;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

Call make_call(const std::string& collective, int ranks, std::int64_t bytes, int root, std::int64_t element,
               bool commutative) {
  const auto found = collective_named(collective);
  if (!found) {
    std::string names;
    for (const Collective c : kCollectives) names += (names.empty() ? "" : ", ") + std::string(name_of(c));
    refuse(fmt::format("there is no collective \"{}\": choose one of {}", collective, names));
  }
  if (ranks < 1) refuse(fmt::format("{} ranks: at least 1 is needed", ranks));
  if (bytes < 0 || bytes > kMostBytes)
    refuse(fmt::format("{} bytes: the size is from 0 to {}", bytes, kMostBytes));
  if (root < 0 || root >= ranks)
    refuse(fmt::format("root {}: with {} ranks the root is from 0 to {}", root, ranks, ranks - 1));
  if (root != 0 && !is_rooted(*found)) refuse(fmt::format("{} has no root: leave it at 0", collective));
  if (element < 1) refuse(fmt::format("an element of {} bytes: at least 1 is needed", element));
  if (is_reduction(*found) && bytes % element != 0)
    refuse(fmt::format("{} bytes are not a whole number of elements of {} bytes: choose a multiple", bytes,
                       element));
  Call call{.collective = *found, .rank_count = ranks, .root = Rank(root), .bytes = Bytes(bytes)};
  if (*found == Collective::kBarrier) call.bytes = Bytes(0);
  if (!is_reduction(*found)) return call;
  call.element_bytes = Bytes(element);
  call.commutative = commutative;
  return call;
}

// Built by all cores: ranks know nothing of one another.
std::vector<Schedule> of_all_ranks(const Decision& decision, bool in_place) {
  const int ranks = decision.call.rank_count;
  std::vector<Schedule> all(static_cast<std::size_t>(ranks));
  std::atomic<int> next{0};
  const auto build_some = [&] {
    for (int rank = next++; rank < ranks; rank = next++)
      all[static_cast<std::size_t>(rank)] = example_schedule_of(decision, Rank(rank), in_place);
  };
  std::vector<std::future<void>> helpers;
  for (unsigned core = 1; core < std::thread::hardware_concurrency(); ++core)
    helpers.push_back(std::async(std::launch::async, build_some));
  build_some();
  for (std::future<void>& helper : helpers) helper.get();
  return all;
}

// The schedules of one rank or of all; for v-, w- and neighbour forms, with example blocks.
Schedules schedules_of(const Decision& decision, bool in_place, std::optional<int> rank) {
  const Call& call = decision.call;
  const auto& [algorithm, parameters, why] = decision.choice;
  const double per_rank = 2.0 * cost_of(*algorithm, call, parameters).messages + 2;
  const double tasks = rank ? per_rank : per_rank * call.rank_count;
  // What sends few messages may still move many blocks.
  const auto built = [&] {
    const Rank other((call.root.value + 1) % call.rank_count);
    return static_cast<double>(example_schedule_of(decision, other, in_place).tasks.size()) * call.rank_count;
  };
  const double all = rank || tasks > kMostTasks ? tasks : std::max(tasks, built());
  if (all > kMostTasks)
    refuse(fmt::format("{} by {} makes about {:.0f} million tasks: choose fewer ranks", describe(call),
                       algorithm->name, all / 1e6));
  if (rank && (*rank < 0 || *rank >= call.rank_count))
    refuse(fmt::format("rank {}: the ranks are from 0 to {}", *rank, call.rank_count - 1));
  if (rank) return {{example_schedule_of(decision, Rank(*rank), in_place)}};
  return {of_all_ranks(decision, in_place)};
}

// The text of all ranks of one call, in any order.
Schedules parse_all(const std::string& text) {
  Schedules all{value_or_refuse(parse_schedules(text))};
  auto& schedules = all.schedules;
  std::sort(schedules.begin(), schedules.end(),
            [](const Schedule& a, const Schedule& b) { return a.self < b.self; });
  const Call& call = schedules.front().call;
  for (const Schedule& schedule : schedules)
    if (schedule.call != call)
      refuse(fmt::format("rank {} has another call ({}) than rank {} ({}): all schedules must be of one call",
                         schedule.self.value, describe(schedule.call), schedules.front().self.value,
                         describe(call)));
  const auto wrong_number = [&](int rank, std::string_view how) {
    refuse(fmt::format("the schedule of rank {} is {}: exactly one for each of the {} ranks is needed", rank,
                       how, call.rank_count));
  };
  for (std::size_t s = 1; s < schedules.size(); ++s)
    if (schedules[s].self == schedules[s - 1].self) wrong_number(schedules[s].self.value, "there twice");
  for (int rank = 0; rank < call.rank_count; ++rank)
    if (rank >= static_cast<int>(schedules.size()) || schedules[rank].self.value != rank)
      wrong_number(rank, "missing");
  return all;
}

std::string text_of(const Schedules& all) {
  std::string text;
  for (const Schedule& schedule : all.schedules)
    text += (text.empty() ? "" : "\n") + print_schedule(schedule);
  return text;
}

std::string svg_of(const Schedules& all) {
  need_all_ranks(all);
  SvgOptions options;
  Trace shown = trace(all.schedules);
  options.holds.push_back(std::move(shown.initially));
  for (TraceRound& round : shown.rounds) options.holds.push_back(std::move(round.holds));
  return svg(all.schedules, options);
}

std::string goal_of(const Schedules& all, double copy_ns_per_byte, double reduce_ns_per_byte,
                    std::int64_t signal_bytes) {
  need_all_ranks(all);
  return value_or_refuse(goal(all.schedules, {copy_ns_per_byte, reduce_ns_per_byte, Bytes(signal_bytes)}));
}

std::vector<Traffic> traffic_of(const Schedules& all, const Topology& topology) {
  need_all_ranks(all);
  const int ranks = all.schedules.front().call.rank_count;
  if (topology.rank_count() != ranks)
    refuse(
        fmt::format("the topology has {} ranks, the call {}: they must agree", topology.rank_count(), ranks));
  return traffic(all.schedules, topology);
}

nb::dict choose_dict(const Call& call, const Topology* machine, std::optional<std::string> depth,
                     bool by_rounds) {
  const auto decided = decide_here(call, machine, depth, by_rounds);
  const Choice& choice = decided->decision.choice;
  nb::dict entry;
  entry["algorithm"] = choice.algorithm->name;
  entry["radix"] = choice.parameters.radix;
  entry["fragment"] = choice.parameters.fragment.value;
  entry["leader"] = choice.parameters.leader == Leader::kLast ? "last" : "fixed";
  entry["hierarchy"] =
      choice.parameters.hierarchy != nullptr ? nb::cast(*decided->site.hierarchy) : nb::none();
  entry["one_node"] = decided->site.on_one_node && decided->site.memory.exists;
  entry["round_trip"] = decided->site.on_one_node ? nb::none() : nb::cast(decided->round_trip);
  entry["why"] = choice.why;
  return entry;
}

nb::dict cost_dict(const Call& call, const std::string& name, const Options& options,
                   const Hierarchy* hierarchy) {
  const Algorithm& algorithm = algorithm_for(call, name);
  const Cost cost = cost_of(algorithm, call, make_parameters(algorithm, call, options, hierarchy));
  nb::dict entry;
  entry["rounds"] = cost.rounds;
  entry["messages"] = cost.messages;
  entry["sent_bytes"] = cost.sent.value;
  entry["reduced_bytes"] = cost.reduced.value;
  return entry;
}

void bind_calls_and_schedules(nb::module_& m) {
  nb::class_<Call>(m, "Call")
      .def(
          "__init__",
          [](Call* self, const std::string& collective, int ranks, std::int64_t bytes, int root,
             std::int64_t element, bool commutative) {
            new (self) Call(make_call(collective, ranks, bytes, root, element, commutative));
          },
          "collective"_a, nb::kw_only(), "ranks"_a, "bytes"_a = 0, "root"_a = 0, "element"_a = 1,
          "commutative"_a = true)
      .def_prop_ro("collective", [](const Call& c) { return name_of(c.collective); })
      .def_prop_ro("ranks", [](const Call& c) { return c.rank_count; })
      .def_prop_ro("bytes", [](const Call& c) { return c.bytes.value; })
      .def_prop_ro("root", [](const Call& c) { return c.root.value; })
      .def_prop_ro("element", [](const Call& c) { return c.element_bytes.value; })
      .def_prop_ro("commutative", [](const Call& c) { return c.commutative; })
      .def("__str__", [](const Call& c) { return describe(c); });
  nb::class_<Schedules>(m, "Schedules")
      .def("__len__", [](const Schedules& p) { return p.schedules.size(); })
      .def_prop_ro("call", [](const Schedules& p) { return p.schedules.front().call; })
      .def_prop_ro("algorithm", [](const Schedules& p) { return p.schedules.front().algorithm; })
      .def("text", text_of, WithoutGil())
      .def("svg", svg_of, WithoutGil())
      .def(
          "dot", [](const Schedules& p) { return dot(p.schedules); }, WithoutGil())
      .def("goal", goal_of, nb::kw_only(), "copy_ns_per_byte"_a = 0.0, "reduce_ns_per_byte"_a = 0.0,
           "signal_bytes"_a = 0, WithoutGil())
      .def(
          "json", [](const Schedules& p, int indent) { return json(p.schedules, indent); }, "indent"_a = 2,
          WithoutGil())
      .def(
          "trace",
          [](const Schedules& p, std::optional<std::size_t> most_rounds) {
            need_all_ranks(p);
            return trace(p.schedules, most_rounds.value_or(SIZE_MAX));
          },
          "most_rounds"_a = nb::none(), WithoutGil())
      .def(
          "verify",
          [](const Schedules& p) {
            need_all_ranks(p);
            return verify(p.schedules);
          },
          WithoutGil())
      .def("traffic", traffic_of, "topology"_a, WithoutGil())
      .def("task_lists", task_lists_of, nb::kw_only(), "form"_a = kUsualForm, "most_tasks"_a = nb::none(),
           "longest_mailbox"_a = Lowering().longest_mailbox.value, WithoutGil());
  m.def(
      "build",
      [](const Call& call, const std::string& name, int radix, int bcast_radix, int window,
         std::optional<std::int64_t> fragment, const std::string& leader, bool in_place,
         std::optional<int> rank, const Hierarchy* hierarchy, bool by_rounds) {
        const Algorithm& algorithm = algorithm_for(call, name);
        const Options options{radix, bcast_radix, window, fragment, leader};
        const Parameters parameters = make_parameters(algorithm, call, options, hierarchy);
        return schedules_of(decide(call, algorithm, parameters, by_rounds), in_place, rank);
      },
      "call"_a, "algorithm"_a, nb::kw_only(), "radix"_a = kUsual.radix, "bcast_radix"_a = kUsual.bcast_radix,
      "window"_a = kUsual.window, "fragment"_a = nb::none(), "leader"_a = "", "in_place"_a = false,
      "rank"_a = nb::none(), "hierarchy"_a = nb::none(), "by_rounds"_a = false, WithoutGil());
  m.def(
      "build_chosen",
      [](const Call& call, const Topology* machine, const std::optional<std::string>& depth, bool by_rounds,
         bool in_place, std::optional<int> rank) {
        return schedules_of(decide_here(call, machine, depth, by_rounds)->decision, in_place, rank);
      },
      "call"_a, "topology"_a = nb::none(), "depth"_a = nb::none(), "by_rounds"_a = false,
      "in_place"_a = false, "rank"_a = nb::none(), WithoutGil());
  m.def("parse", parse_all, "text"_a, WithoutGil());
  m.def("choose", choose_dict, "call"_a, "topology"_a = nb::none(), "depth"_a = nb::none(),
        "by_rounds"_a = false);
  m.def(
      "cost",
      [](const Call& call, const std::string& name, int radix, int bcast_radix, int window,
         std::optional<std::int64_t> fragment, const std::string& leader, const Hierarchy* hierarchy) {
        return cost_dict(call, name, {radix, bcast_radix, window, fragment, leader}, hierarchy);
      },
      "call"_a, "algorithm"_a, nb::kw_only(), "radix"_a = kUsual.radix, "bcast_radix"_a = kUsual.bcast_radix,
      "window"_a = kUsual.window, "fragment"_a = nb::none(), "leader"_a = "", "hierarchy"_a = nb::none());
  m.def(
      "is_eligible",
      [](const Call& call, const std::string& name) {
        return value_or_refuse(find_algorithm(call.collective, name))->eligible(call);
      },
      "call"_a, "algorithm"_a);
}

}  // namespace
}  // namespace weft

NB_MODULE(_core, m) {
  m.doc() = "Weft's compiled core: catalog, planner, schedules, verifier, topology.";
  m.attr("__version__") = WEFT_VERSION;
  weft::bind_task_lists(m);
  weft::bind_calls_and_schedules(m);
  weft::bind_catalog(m);
  weft::bind_reports(m);
  weft::bind_topology(m);
  weft::bind_device(m);
  weft::bind_fabric(m);
  weft::bind_simulator(m);
}
