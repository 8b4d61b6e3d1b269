// SPDX-License-Identifier: BSD-3-Clause
// What the core tells about schedules in weft._core: reports, traces, traffic.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "_core.hpp"
#include "executor/verifier/trace.hpp"
#include "executor/verifier/verify.hpp"
#include "schedule/traffic.hpp"

namespace weft {

void bind_reports(nb::module_& m) {
  nb::class_<Finding>(m, "Finding")
      .def_prop_ro("rule", [](const Finding& f) { return rule_name(f.rule); })
      .def_prop_ro("rank", [](const Finding& f) { return f.rank.value; })
      .def_prop_ro("task",
                   [](const Finding& f) -> std::optional<std::uint32_t> {
                     if (!f.task) return std::nullopt;
                     return f.task->value;
                   })
      .def_ro("message", &Finding::message);
  nb::class_<Report>(m, "Report")
      .def_ro("findings", &Report::findings)
      .def_ro("bracket", &Report::bracket)
      .def_ro("messages", &Report::messages)
      .def_prop_ro("bytes_sent", [](const Report& r) { return r.bytes_sent.value; })
      .def_prop_ro("proved", &Report::proved);
  nb::class_<TraceMessage>(m, "TraceMessage")
      .def_prop_ro("sender", [](const TraceMessage& t) { return t.from.value; })
      .def_prop_ro("receiver", [](const TraceMessage& t) { return t.to.value; })
      .def_prop_ro("bytes", [](const TraceMessage& t) { return t.bytes.value; })
      .def_ro("what", &TraceMessage::what);
  nb::class_<TraceRound>(m, "TraceRound")
      .def_ro("messages", &TraceRound::messages)
      .def_ro("node_steps", &TraceRound::node_steps)
      .def_ro("holds", &TraceRound::holds);
  nb::class_<Trace>(m, "Trace")
      .def_ro("initially", &Trace::initially)
      .def_ro("rounds", &Trace::rounds)
      .def_ro("complete", &Trace::complete)
      .def_ro("is_cut", &Trace::is_cut);
  nb::class_<Traffic>(m, "Traffic")
      .def_prop_ro("level", [](const Traffic& t) { return name_of(t.level); })
      .def_ro("messages", &Traffic::messages)
      .def_prop_ro("bytes", [](const Traffic& t) { return t.bytes.value; });
}

}  // namespace weft
