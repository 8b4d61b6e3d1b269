// SPDX-License-Identifier: BSD-3-Clause
// Agreement: on which nodes the processes have an agent. Each tells all others what went wrong with its wire,
// so that all of them find the same (device/nodes_with_device.hpp), and rank 0 says who has none, and why.
#pragma once

#include <mpi.h>
#include <span>
#include <string>
#include <vector>

namespace weft::device {
struct Parted;
}

namespace weft::mpi {

struct Whereabouts;

class Agreement {
 public:
  // By rank of the world: the number of its node, and what it has told, by which all know who cannot meet
  // anybody. Both outlive this.
  Agreement(std::span<const int> node_of, const std::vector<Whereabouts>& all);

  // By rank, so far.
  const std::vector<char>& have_device() const { return have_device_; }
  bool has_device(int rank) const { return have_device_[static_cast<std::size_t>(rank)] != 0; }
  // Why this rank cannot meet anybody; "": it can.
  const std::string& why_not_met(int rank) const { return why_not_met_[static_cast<std::size_t>(rank)]; }

  // Collective, when those who can have met, with what went wrong here, "" if nothing did, and whom this
  // process misses.
  void settle(const std::string& trouble, std::span<const int> missing, MPI_Comm comm);

 private:
  struct Troubles;
  void find(std::span<const device::Parted> parted);
  void say_who_has_none(const Troubles& troubles) const;
  std::string cause_for(int node, const Troubles& troubles) const;
  std::string name_of(int node) const;

  std::span<const int> node_of_;
  const std::vector<Whereabouts>& all_;
  std::vector<std::string> why_not_met_;
  std::vector<char> have_device_;
};

}  // namespace weft::mpi
