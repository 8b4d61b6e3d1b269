// SPDX-License-Identifier: BSD-3-Clause
// The front door: what the generated wrappers of the MPI functions call. Each wrapper either hands its call
// to Weft, or counts why not and hands it to the host MPI untouched.
#pragma once

#include <atomic>
#include <cstddef>
#include <mpi.h>
#include <span>
#include <vector>

#include "collective/call.hpp"
#include "mpi/progress.hpp"
#include "observe/counters.hpp"

namespace weft::mpi {

// Counts or displacements of a v or w form: an array of int, or of what MPI-4 and the neighbour forms use.
class Numbers {
 public:
  Numbers() = default;  // the form has none
  template <class Number>
  Numbers(const Number* numbers)  // NOLINT(google-explicit-constructor): as the array that it stands for
      : numbers_(numbers), is_in_form_(true), wide_(sizeof(Number) == sizeof(MPI_Count)) {
    static_assert(sizeof(Number) == sizeof(int) || sizeof(Number) == sizeof(MPI_Count));
  }
  bool given() const { return numbers_ != nullptr; }
  bool are_in_form() const { return is_in_form_; }
  bool are_missing() const { return is_in_form_ && !given(); }
  bool are_same_list(const Numbers& other) const { return numbers_ == other.numbers_; }
  MPI_Count operator[](int i) const {
    return wide_ ? static_cast<const MPI_Count*>(numbers_)[i] : static_cast<const int*>(numbers_)[i];
  }

 private:
  const void* numbers_ = nullptr;
  bool is_in_form_ = false;
  bool wide_ = false;
};

// The lists of a v or w form, which have one entry per block. The displacements of a w form are in bytes.
struct Lists {
  Numbers sendcounts, sdispls;
  const MPI_Datatype* sendtypes = nullptr;
  Numbers recvcounts, rdispls;
  const MPI_Datatype* recvtypes = nullptr;
};

// One call of a collective, with the arguments of every form of it. Bcast's buffer is recvbuf. Reductions
// have their count and datatype as sendcount (of reduce_scatter: recvcounts) and sendtype.
struct Arguments {
  Collective collective;
  const void* sendbuf = nullptr;
  MPI_Count sendcount = 0;
  MPI_Datatype sendtype = MPI_DATATYPE_NULL;
  void* recvbuf = nullptr;
  MPI_Count recvcount = 0;
  MPI_Datatype recvtype = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  const Lists* lists = nullptr;
};

// Each of these three returns false if the call is the host's, and `counter` then knows why. `code` is what
// the wrapper returns.
bool run(CallCounter& counter, const Arguments& arguments, int* code);
bool start(CallCounter& counter, const Arguments& arguments, MPI_Request* request, int* code);
// A persistent operation, counted when it is made. It comes to life by MPI_Start.
bool make_persistent(CallCounter& counter, const Arguments& arguments, MPI_Request* request, int* code);

// MPI_Start, MPI_Startall, MPI_Cancel and MPI_Request_free, for Weft's persistent operations among all
// others.
int start_request(MPI_Request* request);
int start_requests(int count, MPI_Request* requests);
int cancel_request(MPI_Request* request);
int free_request(MPI_Request* request);

// At the beginning of MPI_Wait: waits for the operation, if it is a persistent one of Weft's, and makes the
// request inactive, which is sooner done than to complete it. The operation's error code.
int finish_persistent(MPI_Request* request);
inline std::atomic<int> persistent_requests{0};  // how many of them there are
inline bool any_persistent() { return persistent_requests.load(std::memory_order_relaxed) > 0; }
inline int wait_for_persistent(MPI_Request* request) {
  return any_persistent() ? finish_persistent(request) : MPI_SUCCESS;
}

// Asked at the end of calls that complete requests: the error of a persistent operation of Weft's whose
// handler is MPI_ERRORS_RETURN (decision 5). Its own request always ends well, since Open MPI frees one that
// does not. For a list of requests it is MPI_ERR_IN_STATUS, as MPI has it, or without statuses the first
// error.
inline std::atomic<bool> any_persistent_failed{false};  // ever
int error_of_completed(MPI_Request request);
int errors_of_completed(int count, const MPI_Request* requests, MPI_Status* statuses,
                        const int* indices = nullptr);

// True where a blocking collective of the host on this communicator must be started and then driven, because
// the host cannot move Weft by itself. The same on all members, since blocking and non-blocking forms do not
// match one another.
bool must_drive(MPI_Comm comm);
bool is_inter(MPI_Comm comm);

// Waits for a host request while moving Weft; the collective's or message's own error code.
int finish(MPI_Request* request, MPI_Status* status);
// MPI_Waitall, while moving Weft.
int finish_all(int count, MPI_Request* requests, MPI_Status* statuses);

// Memory for the outgoing half of MPI_Sendrecv_replace.
class PackedCopy {
 public:
  std::byte* of(MPI_Count bytes) {
    memory_.resize(static_cast<std::size_t>(bytes));
    return memory_.data();
  }
  const std::byte* data() const { return memory_.data(); }

 private:
  std::vector<std::byte> memory_;
};

// Before a constructor of communicators, on a host that moves nothing of Weft inside it: waits here until all
// members have come, moving the operations under way. An MPI error code.
int meet(MPI_Comm comm);
// As meet(), before MPI_Intercomm_create, whose arguments these are: waits for the members of both groups.
int meet_across(MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag);

// After a constructor: the members agree whether Weft serves the new communicator, and on the hints that the
// info gives for it. Collective over it. MPI_Init's own have no parent.
void adopt(MPI_Comm comm, MPI_Comm parent, MPI_Info info = MPI_INFO_NULL);

// After MPI_Comm_idup: as adopt(), but without waiting. `request` becomes one that completes when both the
// host's duplicate and the introductions are done.
void adopt_later(MPI_Comm made, MPI_Comm parent, MPI_Info info, MPI_Request* request);

// After MPI_Comm_set_info, and collective like it: the hints hold from now on, if all members give the same.
void take_hints(MPI_Comm comm, MPI_Info info);

// Around MPI_Init. before_init refuses to start on another MPI, whose handles are not these wrappers'; on
// another version of the same MPI Weft steps aside.
int before_init();
void after_init();
// Weft ends inside MPI_Finalize (lifetime.cpp); what hooks into the host may have to be gone before.
void before_finalize();

// MPI_Type_free and MPI_Op_free, delayed while an operation in flight uses the handle (drop_in rule 8).
int free_type(MPI_Datatype* type);
int free_op(MPI_Op* op);

// Fortran has MPI_IN_PLACE and MPI_BOTTOM as addresses of its own: turns these into C's.
void* from_fortran(void* buffer);
// The function of this name in the library behind Weft, or in any that is loaded. Never null: the job ends if
// there is none.
void* next_symbol(const char* name);

// All counters, in the order of the list of functions: the same on every rank. Defined by the generated code.
std::span<CallCounter> counters();

}  // namespace weft::mpi
