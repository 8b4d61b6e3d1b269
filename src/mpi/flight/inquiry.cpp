// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/inquiry.hpp"

#include <bit>
#include <mpi.h>

#include "mpi/engine/engine.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/launch.hpp"
#include "mpi/flight/letters.hpp"
#include "mpi/flight/traffic.hpp"
#include "mpi/flight/with_agent.hpp"

namespace weft::mpi {
namespace {

constexpr unsigned kLooksBeforeInquiry = 5;  // about a second

// After one second, two, four, and so on: another rank may come late for good reasons.
bool is_time_to_ask(unsigned looks) {
  return looks % kLooksBeforeInquiry == 0 && std::has_single_bit(looks / kLooksBeforeInquiry);
}

void take(const Letter& letter) {
  Traffic* traffic = traffic_with(letter.first_tag);
  if (traffic == nullptr) return;  // the communicator is gone
  CallRecord& record = traffic->record(letter.is_blocking);
  const auto mine = record.signature(letter.number);
  if (!mine || (letter.subject == Subject::kAsks && *mine == letter.signature)) return;
  if (letter.subject == Subject::kAsks) {
    Letter answer = letter;
    answer.subject = Subject::kDiffers;
    send_letter(*traffic, letter.from, answer);
  }
  record.mark_failed(letter.number);
}

void ask_for(const Flight& flight) {
  const auto& pending = flight.operation.pending();
  const std::vector<int> partners =
      flight.takes_wire ? partners_with_agent(flight) : pending.partners(flight.operation.schedule());
  for (const int rank : partners)
    send_letter(
        *flight.traffic, rank,
        {.number = flight.call, .signature = pending.signature(), .is_blocking = !flight.has_request()});
}

}  // namespace

void ask_and_answer() {
  tidy_letters();
  while (const auto letter = next_letter()) take(*letter);
  const auto& running = engine().running;
  for (std::size_t i = running.size(); i-- > 0;) {
    if (i >= running.size()) continue;  // the end of one may have been that of others
    Flight& flight = *running[i];
    if (!flight.asks_by_message() || ++flight.looks < kLooksBeforeInquiry) continue;
    const CallRecord& record = flight.traffic->record(!flight.has_request());
    if (record.has_failed(flight.call)) fail_operation(flight, MPI_ERR_TRUNCATE);
    else if (is_time_to_ask(flight.looks)) ask_for(flight);
  }
}

}  // namespace weft::mpi
