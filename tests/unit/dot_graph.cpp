// SPDX-License-Identifier: BSD-3-Clause
// The graph has one node per task, one line per edge, one dashed line per message.
#include "schedule/dot.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(DotGraph, has_all_tasks_edges_and_messages) {
  const auto schedules = build_all(allreduce_of(5), "recursive_k_ing", 2);
  std::size_t tasks = 0;
  std::size_t edges = 0;
  std::size_t messages = 0;
  for (const Schedule& schedule : schedules) {
    tasks += schedule.tasks.size();
    edges += schedule.successors.size();
    for (const Task& task : schedule.tasks) messages += task.kind == TaskKind::kSend;
  }
  const std::string graph = dot(schedules);
  EXPECT_EQ(count(graph, "subgraph cluster_"), 5u);
  EXPECT_EQ(count(graph, "shape="), tasks);
  EXPECT_EQ(count(graph, "style=dashed"), messages);
  // An arrow in a label stands in quotes behind a blank; one in the graph has a task before it.
  std::size_t arrows = 0;
  for (std::size_t at = graph.find(" -> r"); at != std::string::npos; at = graph.find(" -> r", at + 1))
    ++arrows;
  EXPECT_EQ(arrows, edges + messages);
}

TEST(DotGraph, quotes_the_algorithm) {
  auto schedules = build_all(allreduce_of(2), "recursive_k_ing");
  schedules[0].algorithm = "a \"quoted\" name";
  EXPECT_EQ(count(dot(schedules), "a \\\"quoted\\\" name"), 1u);
}

TEST(DotGraph, is_a_graph_even_without_schedules) { EXPECT_EQ(dot({}).substr(0, 12), "digraph weft"); }

}  // namespace
}  // namespace weft::tests
