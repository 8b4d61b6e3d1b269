// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/type_contents.hpp"

#include <span>

#include "mpi/host/host.hpp"

namespace weft::mpi {
namespace {

struct Envelope {
  MPI_Count integers = 0, addresses = 0, large_counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

// MPI-4's call with large counts is used where there is one, as the older call refuses types made with such
// counts.
Envelope envelope_of(MPI_Datatype type) {
  Envelope e;
#if MPI_VERSION >= 4
  PMPI_Type_get_envelope_c(type, &e.integers, &e.addresses, &e.large_counts, &e.types, &e.combiner);
#else
  int integers = 0, addresses = 0, types = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &e.combiner);
  e.integers = integers;
  e.addresses = addresses;
  e.types = types;
#endif
  return e;
}

int get_contents(MPI_Datatype type, const Envelope& e, int* integers, MPI_Aint* addresses,
                 [[maybe_unused]] MPI_Count* large_counts, MPI_Datatype* types) {
#if MPI_VERSION >= 4
  return PMPI_Type_get_contents_c(type, e.integers, e.addresses, e.large_counts, e.types, integers, addresses,
                                  large_counts, types);
#else
  return PMPI_Type_get_contents(type, static_cast<int>(e.integers), static_cast<int>(e.addresses),
                                static_cast<int>(e.types), integers, addresses, types);
#endif
}

// A constructor with large counts gives these in one list. The first so many of them are integers in the
// older constructor, the others addresses.
std::size_t leading_numbers(int combiner, std::span<const MPI_Count> large) {
  switch (combiner) {
    case MPI_COMBINER_RESIZED: return 0;
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_HINDEXED_BLOCK: return 2;
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT: return 1 + static_cast<std::size_t>(large[0]);
    default: return large.size();
  }
}

}  // namespace

TypeContents::TypeContents(MPI_Datatype type) {
  const Envelope e = envelope_of(type);
  combiner = e.combiner;
  if (combiner == MPI_COMBINER_NAMED) return;
  std::pmr::vector<int> integers(static_cast<std::size_t>(e.integers), &memory_);
  std::pmr::vector<MPI_Aint> places(static_cast<std::size_t>(e.addresses), &memory_);
  std::pmr::vector<MPI_Count> large(static_cast<std::size_t>(e.large_counts), &memory_);
  types.resize(static_cast<std::size_t>(e.types));
  get_contents(type, e, integers.data(), places.data(), large.data(), types.data());
  numbers.assign(integers.begin(), integers.end());
  addresses.assign(places.begin(), places.end());
  if (large.empty()) return;
  // For a subarray the number of dimensions and the order stay integers; what large counts replace stands
  // between them.
  const auto behind_first = combiner == MPI_COMBINER_SUBARRAY ? numbers.begin() + 1 : numbers.end();
  const auto split = large.begin() + static_cast<std::ptrdiff_t>(leading_numbers(combiner, large));
  numbers.insert(behind_first, large.begin(), split);
  addresses.insert(addresses.end(), split, large.end());
}

TypeContents::~TypeContents() {
  for (MPI_Datatype& type : types)
    if (!is_given_by_mpi(type)) host::free_type(&type);
}

int combiner_of(MPI_Datatype type) { return envelope_of(type).combiner; }

bool is_given_by_mpi(MPI_Datatype type) {
  const int combiner = combiner_of(type);
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

}  // namespace weft::mpi
