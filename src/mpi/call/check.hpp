// SPDX-License-Identifier: BSD-3-Clause
// WEFT_CHECK=1, `weft run --check`: do all ranks of a communicator make the same collective calls in the same
// order? Persistent operations are made in the same order, and started in any.
//
// Every call is told to the right neighbour, and compared with what the left one tells; where any two ranks
// differ, two neighbours do. What only two ranks have to agree about, a block of a v, w or neighbour form,
// its sender tells its receiver. Blocking calls wait for that before they begin, so that what would hang or
// give wrong answers is reported instead; of non-blocking ones it is found while they are waited for. Then
// the job is ended.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <mpi.h>
#include <string>

#include "base/clock.hpp"
#include "mpi/communicator/communicator.hpp"

namespace weft::mpi {

// Data of a call as they travel: how many elements of which basic types. Different datatypes may describe the
// same.
struct CheckedElements {
  std::uint64_t signature = 0, length = 0;
  std::uint64_t counts = 0;      // a hash of the counts of all blocks, where all ranks list them
  std::uint64_t comparable = 0;  // whether anybody may ask
};

// What one rank tells of one call.
struct CheckedCall {
  std::uint64_t number = 0;  // on its communicator, from 1
  char function[32] = {};
  std::int64_t root = 0;
  char op[24] = {};
  CheckedElements elements;  // of a block, where all ranks have the same
  char text[160] = {};
};

// A block, from one rank to another.
struct CheckedBlock {
  std::uint64_t number = 0;  // the number of the call
  CheckedElements elements;
  char text[96] = {};
};

class Checker : public CallChecks {
 public:
  explicit Checker(Communicator& communicator);
  ~Checker() override;
  Checker(const Checker&) = delete;

  void tell(const char* function, const Arguments& arguments) override;
  void tell_end(const char* function) override;
  void progress() override;
  bool is_done() const override;

 private:
  struct Expected {
    CheckedCall call;
    int from = 0;  // in the communicator
    CheckedBlock mine, theirs;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void tell(const CheckedCall& call);
  void tell_blocks(const Arguments& arguments);
  void compare(const CheckedCall& mine, const CheckedCall& theirs);
  void compare(const Expected& block) const;
  void compare_with_itself(const char* function, const Arguments& arguments) const;
  void complain_about_waiting();

  template <class Message>
  struct Sent {
    Message message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  Communicator& communicator_;
  int left_ = 0;  // in the communicator
  int left_in_world_ = 0, right_in_world_ = 0;
  int id_at_right_ = 0;  // the right neighbour's number for the communicator
  std::string name_;     // of the communicator at the last call: it may be freed since
  std::uint64_t told_ = 0;
  std::list<Sent<CheckedCall>> sent_;
  std::list<Sent<CheckedBlock>> sent_blocks_;
  std::list<Expected> expected_;
  std::deque<CheckedCall> mine_;  // not yet compared
  CheckedCall last_;
  CheckedCall arriving_;
  MPI_Request receive_ = MPI_REQUEST_NULL;
  Nanoseconds waiting_since_{0};
  bool has_complained_ = false, has_told_end_ = false;
};

// Where the checks travel: collective over the job, in MPI_Init.
void start_checking();
void stop_checking();

}  // namespace weft::mpi
