// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/flight.hpp"

#include "base/plain_memory.hpp"
#include "device/work.hpp"
#include "mpi/arguments/host_work.hpp"
#include "mpi/flight/scratch.hpp"
#include "transform/sized_schedule.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;
constexpr std::size_t kBudget = std::size_t{128} << 20;
std::size_t kept_by_all = 0;  // under the engine's lock

}  // namespace

Flight::Flight(const Schedule& schedule, std::span<const NearerPlace> nearer, bool for_class,
               bool sends_messages, bool on_one_node)
    : sized_(for_class ? std::make_unique<SizedSchedule>(schedule, nearer) : nullptr),
      operation(for_class ? sized_->schedule() : schedule),
      sends_messages(sends_messages),
      has_messages(message_count(schedule) > 0),
      needs_node(!operation.pending().steps().none()),
      tells_call(on_one_node && !has_parcels(schedule.call.collective)),
      only_copies_input(only_copies(schedule, kInput)),
      only_copies_output(only_copies(schedule, kOutput)) {}

void Flight::resize_schedule(Bytes bytes) {
  sized_->resize(bytes);
  operation.pending().take_call(sized_->schedule().call);
}

void Flight::resize_schedule(const Parcels& parcels) {
  sized_->resize(parcels);
  operation.pending().take_call(sized_->schedule().call);
  operation.pending().take_parcels(sized_->schedule());
}

HostWork& Flight::take_host_work() {
  forget_host_work();
  if (kept_host_work_ == nullptr) kept_host_work_ = std::make_unique<HostWork>();
  host_work = kept_host_work_.get();
  return *host_work;
}

void Flight::end_host_work() {
  host_work->forget();
  binding.input_view = binding.output_view = nullptr;
  host_work = nullptr;
}

int Flight::fill() {
  if (host_work == nullptr) return MPI_SUCCESS;
  host_work->forget_errors();
  return host_work->fill();
}

void Flight::give_back_large_memory() {
  if (scratch_ != nullptr) give_back_scratch(std::move(scratch_));
  if (host_work == nullptr || is_persistent()) return;
  const std::size_t bytes = host_work->bytes();
  if (bytes <= kLarge || kept_bytes_ == bytes) return;
  kept_by_all -= kept_bytes_;
  kept_bytes_ = 0;
  if (kept_by_all + bytes <= kBudget) {
    kept_bytes_ = bytes;
    kept_by_all += bytes;
    return;
  }
  host_work->give_back_memory();
}

void Flight::take_large_scratch() {
  scratch_ = take_scratch(operation.scratch_bytes());
  binding.scratch = scratch_->data();
}

Flight::~Flight() { kept_by_all -= kept_bytes_; }

}  // namespace weft::mpi
