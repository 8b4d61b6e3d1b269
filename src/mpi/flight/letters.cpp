// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/letters.hpp"

#include <list>
#include <mpi.h>

#include "mpi/engine/engine.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/traffic.hpp"

namespace weft::mpi {
namespace {

struct Sent {
  Letter letter;
  MPI_Request request = MPI_REQUEST_NULL;
};

std::list<Sent>& sent() {
  static std::list<Sent>& letters = *new std::list<Sent>;
  return letters;
}

int letter_tag() { return engine().tags.first_of(kLettersId); }

}  // namespace

void send_letter(const Traffic& traffic, int to, Letter letter) {
  const Address& address = traffic.addresses[static_cast<std::size_t>(to)];
  letter.first_tag = address.first_tag;
  letter.from = traffic.members.rank;
  Sent& one = sent().emplace_back(Sent{letter});
  PMPI_Isend(&one.letter, sizeof one.letter, MPI_BYTE, address.world_rank, letter_tag(),
             engine().transport_comm, &one.request);
}

void tell_failure(const Flight& flight) {
  Traffic& traffic = *flight.traffic;
  const bool is_blocking = !flight.has_request();
  traffic.record(is_blocking).mark_failed(flight.call);
  for (int rank = 0; rank < traffic.members.size; ++rank)
    if (rank != traffic.members.rank)
      send_letter(traffic, rank,
                  {.number = flight.call, .subject = Subject::kDiffers, .is_blocking = is_blocking});
}

std::optional<Letter> next_letter() {
  int arrived = 0;
  MPI_Status status;
  PMPI_Iprobe(MPI_ANY_SOURCE, letter_tag(), engine().transport_comm, &arrived, &status);
  if (arrived == 0) return std::nullopt;
  Letter letter;
  PMPI_Recv(&letter, sizeof letter, MPI_BYTE, status.MPI_SOURCE, letter_tag(), engine().transport_comm,
            MPI_STATUS_IGNORE);
  return letter;
}

void tidy_letters() {
  sent().remove_if([](Sent& one) {
    int done = 0;
    PMPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

}  // namespace weft::mpi
