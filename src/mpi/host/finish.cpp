// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/host/finish.hpp"

#include <algorithm>
#include <array>
#include <mpi.h>

#include "mpi/host/progress.hpp"

namespace weft::mpi {
namespace {

constexpr int kAtOnce = 64;

// The statuses of a list whose requests are not all complete: MPI_ERR_PENDING, and the empty status for null
// requests, which never change.
void begin_statuses(int count, const MPI_Request* requests, MPI_Status* statuses) {
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status empty;
  PMPI_Wait(&none, &empty);
  std::fill_n(statuses, count, empty);
  for (int i = 0; i < count; ++i)
    statuses[i].MPI_ERROR = requests[i] == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_ERR_PENDING;
}

// A part of the list of an MPI_Waitall. It is tested by MPI_Testsome, as MPI_Testall of MPICH 4.0 takes the
// requests of its own file access for failed. MPICH 4.0's MPI_Testsome in turn reports its own persistent
// collectives as completed again and again, never as inactive; its MPI_Test knows.
class Section {
 public:
  // `statuses` may be null.
  Section(int count, MPI_Request* requests, MPI_Status* statuses)
      : count_(count), requests_(requests), statuses_(statuses) {
    for (int i = 0; i < count_; ++i) {
      is_done_[place(i)] = requests_[i] == MPI_REQUEST_NULL;
      left_ += is_done_[place(i)] ? 0 : 1;
    }
  }

  int code() const { return code_; }
  // Tests the part: true when all of it has completed, or one request has failed.
  bool look() {
    std::array<int, kAtOnce> which;
    std::array<MPI_Status, kAtOnce> some;
    int done = 0;
    code_ = PMPI_Testsome(count_, requests_, &done, which.data(), some.data());
    if (done == MPI_UNDEFINED) return true;  // none is active any more
    for (int i = 0; i < done; ++i) note(which[place(i)], some[place(i)]);
    if (left_ > 0 && code_ == MPI_SUCCESS && ++looks_ % kNowAndThen == 0) look_at_each();
    return left_ == 0 || code_ != MPI_SUCCESS;
  }

 private:
  static constexpr int kNowAndThen = 16;
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }

  void look_at_each() {
    for (int i = 0; i < count_ && code_ == MPI_SUCCESS; ++i) {
      if (is_done_[place(i)]) continue;
      int done = 0;
      MPI_Status status;
      code_ = PMPI_Test(&requests_[i], &done, &status);
      if (done != 0) note(i, status);
    }
  }
  void note(int i, const MPI_Status& status) {
    if (is_done_[place(i)]) return;
    is_done_[place(i)] = true;
    --left_;
    if (statuses_ == nullptr) return;
    statuses_[i] = status;
    if (code_ == MPI_SUCCESS) statuses_[i].MPI_ERROR = MPI_SUCCESS;
  }

  int count_;
  MPI_Request* requests_;
  MPI_Status* statuses_;
  std::array<bool, kAtOnce> is_done_{};
  int left_ = 0, looks_ = 0;
  int code_ = MPI_SUCCESS;
};

}  // namespace

int finish_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  if (count <= 0 || requests == nullptr) return PMPI_Waitall(count, requests, statuses);
  const bool are_wanted = statuses != MPI_STATUSES_IGNORE;
  if (are_wanted) begin_statuses(count, requests, statuses);
  int code = MPI_SUCCESS;
  for (int begin = 0; begin < count && code == MPI_SUCCESS; begin += kAtOnce) {
    Section part(std::min(kAtOnce, count - begin), requests + begin, are_wanted ? statuses + begin : nullptr);
    wait_until([&part] { return part.look(); });
    code = part.code();
  }
  for (int i = 0; are_wanted && code == MPI_SUCCESS && i < count; ++i) statuses[i].MPI_ERROR = MPI_SUCCESS;
  return code;
}

int finish(MPI_Request* request, MPI_Status* status) {
  int code = MPI_SUCCESS;
  wait_until([&] {
    int done = 0;
    code = PMPI_Test(request, &done, status);
    return done != 0 || code != MPI_SUCCESS;
  });
  return code;
}

}  // namespace weft::mpi
