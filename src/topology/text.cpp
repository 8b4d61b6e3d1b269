// SPDX-License-Identifier: BSD-3-Clause
// The written forms of a topology: text (both ways) and the drawing.
#include <algorithm>
#include <fmt/format.h>

#include "base/scanner.hpp"
#include "topology/topology.hpp"

namespace weft {
namespace {

constexpr std::int64_t kMostLeaves = std::int64_t{1} << 24;

std::string allowed_levels() {
  std::string list;
  for (const Level level : kLevels) list += fmt::format("{}{}", list.empty() ? "" : ", ", name_of(level));
  return list;
}

// How many children each run of the layer above has.
struct Counts {
  Level level;
  std::vector<int> children;
};

// Reads one `level:count` or `level:count,count,…` under `parents` runs.
Counts parse_level(Scanner& in, std::optional<Level> above, std::size_t parents, std::int64_t& runs) {
  Counts counts{Level::kCore, {}};
  const Scanner::Offset where = in.next_token();
  const std::string_view name = in.word();
  const auto level = level_named(name);
  if (name.empty()) in.fail_expecting("a level such as `node:2`");
  else if (!level)
    in.fail(where, fmt::format("expected one of the levels {}, found `{}`", allowed_levels(), name));
  else if (above && *level <= *above)
    in.fail(where, fmt::format("`{}` cannot stand inside `{}`: the order is {}", name, name_of(*above),
                               allowed_levels()));
  if (in.failed()) return counts;
  counts.level = *level;
  in.expect(":");
  do {
    const std::int64_t count = in.number("a count", 1, kMostLeaves);
    counts.children.push_back(static_cast<int>(count));
  } while (!in.failed() && in.accept(","));
  if (counts.children.size() == 1) counts.children.resize(parents, counts.children.front());
  if (counts.children.size() != parents)
    in.fail(where, fmt::format("`{}` has {} counts: write one for all, or {}, one per parent", name,
                               counts.children.size(), parents));
  runs = 0;
  for (const int children : counts.children) runs += children;
  if (runs > kMostLeaves)
    in.fail(where, fmt::format("`{}` makes {} places: at most {} are supported", name, runs, kMostLeaves));
  return counts;
}

// Makes the layers from the counts, near levels first: a run begins where its first child begins.
std::vector<Topology::Layer> layers_of(const std::vector<Counts>& levels) {
  std::vector<Topology::Layer> layers(levels.size());
  std::int64_t leaves = 0;
  for (const int children : levels.back().children) leaves += children;
  std::vector<int> below(static_cast<std::size_t>(leaves) + 1);
  for (std::size_t leaf = 0; leaf < below.size(); ++leaf) below[leaf] = static_cast<int>(leaf);
  for (std::size_t l = levels.size(); l-- > 0;) {
    layers[l] = {levels[l].level, below};
    std::vector<int> begin;
    std::size_t child = 0;
    for (const int children : levels[l].children) {
      begin.push_back(below[child]);
      child += static_cast<std::size_t>(children);
    }
    begin.push_back(below.back());
    below = std::move(begin);
  }
  return layers;
}

std::string rank_list(int begin, int end, int rank_count) {
  end = std::min(end, rank_count);
  if (begin >= end) return "free";
  if (end - begin == 1) return fmt::format("rank {}", begin);
  return fmt::format("ranks {}-{}", begin, end - 1);
}

void draw(const Topology& topology, std::size_t layer, int begin, int end, const std::string& indent,
          std::string& out) {
  if (layer == topology.layers().size()) return;
  const auto& starts = topology.layers()[layer].begin;
  auto run = std::lower_bound(starts.begin(), starts.end(), begin);
  for (; *run < end; ++run) {
    const bool last = *std::next(run) >= end;
    out +=
        fmt::format("{}{} {} {}: {}\n", indent, last ? "└─" : "├─", name_of(topology.layers()[layer].level),
                    run - starts.begin(), rank_list(*run, *std::next(run), topology.rank_count()));
    draw(topology, layer + 1, *run, *std::next(run), indent + (last ? "   " : "│  "), out);
  }
}

}  // namespace

Result<Topology> Topology::parse(std::string_view text) {
  Scanner in(text);
  std::vector<Counts> levels;
  std::optional<Level> above;
  std::int64_t runs = 1;
  in.skip_empty_lines();
  do {
    levels.push_back(parse_level(in, above, static_cast<std::size_t>(runs), runs));
    above = levels.back().level;
    in.skip_empty_lines();
  } while (!in.failed() && !in.at_end());
  if (in.failed()) return Error{"topology: " + in.error()};
  return Topology(layers_of(levels));
}

std::string Topology::text() const {
  std::string text;
  std::vector<int> above = {0, leaf_count()};
  for (const Layer& layer : layers_) {
    std::vector<int> counts;
    std::size_t child = 0;
    for (std::size_t parent = 0; parent + 1 < above.size(); ++parent) {
      const std::size_t first = child;
      while (layer.begin[child] < above[parent + 1]) ++child;
      counts.push_back(static_cast<int>(child - first));
    }
    if (std::all_of(counts.begin(), counts.end(), [&](int c) { return c == counts.front(); }))
      counts.resize(1);
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", name_of(layer.level), fmt::join(counts, ","));
    above = layer.begin;
  }
  return text;
}

std::string Topology::tree() const {
  std::string out = fmt::format("{}: {}\n", name_of(root()), rank_list(0, leaf_count(), rank_count_));
  draw(*this, 0, 0, leaf_count(), "", out);
  return out;
}

}  // namespace weft
