// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

#include "blocks.hpp"
#include "verdict.hpp"

namespace wave {
namespace {

constexpr std::size_t kHeadBytes = 512;
constexpr const char* kFirstLine = "wave checkpoint 1";

struct Head {
  std::size_t description_bytes = 0;
  int steps = 0;
  std::size_t samples = 0;  // numbers of all seismograms
};

std::string text_of(const Head& head) {
  std::string text = fmt::format("{}\ndescription {}\nsteps {}\nsamples {}\n", kFirstLine,
                                 head.description_bytes, head.steps, head.samples);
  text.resize(kHeadBytes - 1, ' ');
  return text + "\n";
}

bool parse(const std::string& text, Head& head) {
  if (!text.starts_with(kFirstLine)) return false;
  std::istringstream words(text.substr(std::string_view(kFirstLine).size()));
  std::string a, b, c;
  return static_cast<bool>(words >> a >> head.description_bytes >> b >> head.steps >> c >> head.samples) &&
         a == "description" && b == "steps" && c == "samples";
}

/// Goes over all that a checkpoint keeps of the points, in the order of the file: `move(block, values)`.
template <typename Real, typename Move>
void each_block(Simulation<Real>& simulation, const Move& move) {
  const Box& box = simulation.box();
  const Layout& layout = simulation.layout();
  const Block block{{box[2].whole, box[1].whole, box[0].whole},
                    {box[2].first, box[1].first, box[0].first},
                    {box[2].count, box[1].count, box[0].count}};
  std::vector<Real> values(block.values());
  const auto move_field = [&](Field<Real>& field) {
    const auto each_row = [&](const auto& work) {
      Real* row = values.data();
      for (int z = 0; z < box[2].count; ++z)
        for (int y = 0; y < box[1].count; ++y, row += box[0].count)
          work(row, field.data() + layout.at(0, y, z));
    };
    each_row([&](Real* row, Real* in_field) { std::copy_n(in_field, box[0].count, row); });
    move(block, values.data());
    each_row([&](Real* row, Real* in_field) { std::copy_n(row, box[0].count, in_field); });
  };
  for (auto& field : simulation.state().fields) move_field(field);
  if (simulation.state().attenuating())
    for (auto& field : simulation.state().memory) move_field(field);
  for (auto& slab : simulation.absorbing().slabs()) {
    Block part = block;
    const int along = 2 - slab.direction;
    const auto [first, behind] = Absorbing<Real>::stretch_of(
        slab.direction, slab.is_upper, simulation.absorbing().width(), block.whole[along]);
    part.whole[along] = behind - first;
    const bool is_empty = slab.region.empty();
    part.count[along] = is_empty ? 0 : slab.region.to[slab.direction] - slab.region.from[slab.direction];
    part.first[along] = is_empty ? 0 : block.first[along] + slab.region.from[slab.direction] - first;
    move(part, slab.psi);
  }
}

template <typename Real>
constexpr MPI_Datatype type_of() {
  return sizeof(Real) == 4 ? MPI_FLOAT : MPI_DOUBLE;
}

template <typename Real>
bool write_all(const std::string& name, const std::string& description, Simulation<Real>& simulation,
               MPI_Comm communicator) {
  SharedFile file(name, MPI_MODE_CREATE | MPI_MODE_WRONLY, communicator);
  if (!file.is_open()) return false;
  file.truncate();
  const Seismograms& seismograms = simulation.receivers().seismograms();
  const std::size_t samples = seismograms.receivers * seismograms.steps * 3;
  file.write_text(0, text_of({description.size(), simulation.steps_done(), samples}) + description);
  MPI_Offset at = kHeadBytes + description.size();
  each_block(simulation, [&](const Block& block, const Real* values) {
    file.write(at, block, type_of<Real>(), values);
    at += block.whole_values() * MPI_Offset(sizeof(Real));
  });
  const int count = static_cast<int>(samples);
  const Block all{{1, 1, std::max(count, 1)}, {0, 0, 0}, {1, 1, app::is_rank_0(communicator) ? count : 0}};
  if (count > 0) file.write(at, all, MPI_DOUBLE, seismograms.values.data());
  return file.close();
}

void require_same(const std::string& name, const std::string& found, const std::string& wanted) {
  if (found == wanted) return;
  std::istringstream found_lines(found), wanted_lines(wanted);
  std::string mine, its;
  bool has_its = false, has_mine = false;
  do {
    has_its = static_cast<bool>(std::getline(found_lines, its));
    has_mine = static_cast<bool>(std::getline(wanted_lines, mine));
  } while (has_its && has_mine && its == mine);
  throw app::BadInput(
      fmt::format("--restart {}: is of another problem, \"{}\" where this one has \"{}\"; use the "
                  "options that it was written with",
                  name, has_its ? its : "no more", has_mine ? mine : "no more"));
}

std::string is_cut_off(const std::string& name) {
  return fmt::format("--restart {}: is cut off; use a complete checkpoint", name);
}

}  // namespace

template <typename Real>
void write_checkpoint(const std::string& file, const std::string& description, Simulation<Real>& simulation,
                      MPI_Comm communicator) {
  simulation.settle();
  simulation.receivers().collect();
  const std::string part = file + ".part";
  const bool written = write_all(part, description, simulation, communicator);
  app::keep_checkpoint(file, part, written, communicator);
}

template <typename Real>
void read_checkpoint(const std::string& name, const std::string& description, Simulation<Real>& simulation,
                     MPI_Comm communicator) {
  SharedFile file(name, MPI_MODE_RDONLY, communicator);
  app::together(communicator, [&] {
    if (!file.is_open() || std::filesystem::is_directory(name))
      throw app::BadInput(fmt::format("--restart {}: cannot be read; check the name and its rights", name));
  });
  Head head;
  const std::string beginning = file.beginning(kHeadBytes);
  app::together(communicator, [&] {
    if (!parse(beginning, head))
      throw app::BadInput(
          fmt::format("--restart {}: is no checkpoint; give a file that --checkpoint wrote", name));
    if (file.size() < MPI_Offset(kHeadBytes + head.description_bytes)) throw app::BadInput(is_cut_off(name));
  });
  const std::string found = file.read_text(kHeadBytes, head.description_bytes);
  MPI_Offset at = kHeadBytes + head.description_bytes;
  MPI_Offset end = at + MPI_Offset(head.samples * sizeof(double));
  each_block(simulation, [&](const Block& block, const Real*) {
    end += block.whole_values() * MPI_Offset(sizeof(Real));
  });
  app::together(communicator, [&] {
    require_same(name, found, description);
    if (file.size() != end) throw app::BadInput(is_cut_off(name));
  });
  each_block(simulation, [&](const Block& block, Real* values) {
    file.read(at, block, type_of<Real>(), values);
    at += block.whole_values() * MPI_Offset(sizeof(Real));
  });
  Seismograms& seismograms = simulation.receivers().seismograms();
  if (head.samples > 0) {
    const int count = static_cast<int>(head.samples);
    const bool is_own = app::is_rank_0(communicator);
    const Block all{{1, 1, count}, {0, 0, 0}, {1, 1, is_own ? count : 0}};
    seismograms.values.resize(is_own ? head.samples : 0);
    seismograms.steps = head.samples / (3 * seismograms.receivers);
    file.read(at, all, MPI_DOUBLE, seismograms.values.data());
  }
  const bool was_read = file.close();
  app::together(communicator, [&] {
    if (!was_read) throw app::BadInput(is_cut_off(name));
  });
  simulation.set_steps_done(head.steps);
  simulation.exchange_all();
}

template void write_checkpoint(const std::string&, const std::string&, Simulation<float>&, MPI_Comm);
template void write_checkpoint(const std::string&, const std::string&, Simulation<double>&, MPI_Comm);
template void read_checkpoint(const std::string&, const std::string&, Simulation<float>&, MPI_Comm);
template void read_checkpoint(const std::string&, const std::string&, Simulation<double>&, MPI_Comm);

}  // namespace wave
