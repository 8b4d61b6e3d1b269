// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/neighbors.hpp"

#include <vector>

namespace weft::mpi {
namespace {

std::vector<Neighbor> in_order(const std::vector<int>& ranks) {
  std::vector<Neighbor> neighbors;
  neighbors.reserve(ranks.size());
  for (const int rank : ranks) neighbors.push_back({rank, static_cast<int>(neighbors.size())});
  return neighbors;
}

Neighbors on_grid(MPI_Comm comm, int self) {
  int count = 0;
  PMPI_Cartdim_get(comm, &count);
  std::vector<int> sizes(static_cast<std::size_t>(count)), periods(sizes.size()), place(sizes.size());
  PMPI_Cart_get(comm, count, sizes.data(), periods.data(), place.data());
  std::vector<Dimension> dimensions;
  for (std::size_t d = 0; d < sizes.size(); ++d) dimensions.push_back({sizes[d], periods[d] != 0});
  return cartesian_neighbors(dimensions, self);
}

Neighbors on_graph(MPI_Comm comm, int self) {
  int count = 0;
  PMPI_Graph_neighbors_count(comm, self, &count);
  std::vector<int> ranks(static_cast<std::size_t>(count));
  PMPI_Graph_neighbors(comm, self, count, ranks.data());
  return {in_order(ranks), in_order(ranks)};
}

Neighbors on_distributed_graph(MPI_Comm comm) {
  int in = 0, out = 0, weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  std::vector<int> sources(static_cast<std::size_t>(in)), source_weights(sources.size());
  std::vector<int> destinations(static_cast<std::size_t>(out)), destination_weights(destinations.size());
  PMPI_Dist_graph_neighbors(comm, in, sources.data(), weighted ? source_weights.data() : MPI_UNWEIGHTED, out,
                            destinations.data(), weighted ? destination_weights.data() : MPI_UNWEIGHTED);
  return {in_order(destinations), in_order(sources)};
}

}  // namespace

std::unique_ptr<const Neighbors> neighbors_on(MPI_Comm comm) {
  int topology = MPI_UNDEFINED, self = 0;
  PMPI_Topo_test(comm, &topology);
  PMPI_Comm_rank(comm, &self);
  if (topology == MPI_CART) return std::make_unique<const Neighbors>(on_grid(comm, self));
  if (topology == MPI_GRAPH) return std::make_unique<const Neighbors>(on_graph(comm, self));
  if (topology == MPI_DIST_GRAPH) return std::make_unique<const Neighbors>(on_distributed_graph(comm));
  return nullptr;
}

int neighbor_blocks(MPI_Comm comm, bool sends) {
  int topology = MPI_UNDEFINED, count = 0;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm, &count);
    return 2 * count;
  }
  const std::unique_ptr<const Neighbors> neighbors = neighbors_on(comm);
  if (neighbors == nullptr) return 0;
  return static_cast<int>((sends ? neighbors->destinations : neighbors->sources).size());
}

}  // namespace weft::mpi
