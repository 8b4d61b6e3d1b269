// SPDX-License-Identifier: BSD-3-Clause
// WEFT_CHECK=1, `weft run --check`: do all ranks of a communicator make the same collective calls in the same
// order, and start the same persistent operations?
//
// Every call is told to the right neighbour, and compared with what the left one tells; where any two ranks
// differ, two neighbours do. Blocking calls wait for that before they begin, so that what would hang or give
// wrong answers is reported instead; of non-blocking ones it is found while they are waited for. Then the job
// is ended.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <mpi.h>
#include <string>
#include <unordered_map>

#include "base/clock.hpp"
#include "mpi/front_door.hpp"

namespace weft::mpi {

struct Communicator;
struct Flight;

// One call, as it travels.
struct CheckedCall {
  std::uint64_t number = 0;  // on its communicator, from 1
  char function[32] = {};
  std::int64_t root = 0;
  std::uint64_t of = 0;  // of a start: the number of the call that made the operation
  char op[24] = {};
  std::uint64_t signature = 0, length = 0;  // of a block, where all ranks have the same
  std::uint64_t counts = 0;                 // of all blocks, where all ranks list them: a hash
  std::uint64_t comparable = 0;             // whether signature, length and counts are
  char text[160] = {};
};

class Checker {
 public:
  explicit Checker(const Communicator& communicator);
  ~Checker();
  Checker(const Checker&) = delete;

  // The caller holds the engine's lock, for all of these.
  void tell(const char* function, const Arguments& arguments);
  // The call told last has made a persistent operation; it is started.
  void remember(const Flight& lasting);
  void tell_start(const Flight& lasting);
  // That no more calls come, once.
  void tell_end(const char* function);
  void progress();
  // Everything that was told has been compared.
  bool is_done() const;

 private:
  void tell(const CheckedCall& call);
  void compare(const CheckedCall& mine, const CheckedCall& theirs);
  void compare_with_itself(const char* function, const Arguments& arguments) const;
  void complain_about_waiting();

  struct Sent {
    CheckedCall call;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  const Communicator& communicator_;
  int left_ = 0, right_ = 0;  // in the world
  std::string name_;          // of the communicator at the last call: it may be freed since
  std::uint64_t told_ = 0;
  std::list<Sent> sent_;
  std::deque<CheckedCall> mine_;  // not yet compared
  CheckedCall last_;
  std::unordered_map<const Flight*, CheckedCall> lasting_;  // the calls that made them
  CheckedCall arriving_;
  MPI_Request receive_ = MPI_REQUEST_NULL;
  Nanoseconds waiting_since_{0};
  bool has_complained_ = false, has_told_end_ = false;
};

// Where the checks travel: collective over the job, in MPI_Init.
void start_checking();
void stop_checking();

}  // namespace weft::mpi
