// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "mpi/window/calls.hpp"
#include "mpi/window/far.hpp"
#include "mpi/window/near.hpp"
#include "mpi/window/window.hpp"

namespace weft::mpi::window {
namespace {

bool is_usable(const Data& data) {
  if (data.count < 0 || data.type == MPI_DATATYPE_NULL) return false;
  return data.facts.usable;
}

// Whether all of it lies in the member's part of the window.
bool is_within(const Data& data, std::int64_t at, const Member& of) {
  if (data.count == 0) return true;
  MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  PMPI_Type_get_extent_x(data.type, &lower, &extent);
  PMPI_Type_get_true_extent_x(data.type, &true_lower, &true_extent);
  const std::int64_t first = at + true_lower, last = first + (data.count - 1) * extent;
  return std::min(first, last) >= 0 && std::max(first, last) + true_extent <= of.size;
}

// What the host has to say of an argument, it says.
bool access(MPI_Win handle, Access wanted, MPI_Aint at, int* code) {
  Window* const window = find(handle);
  if (window == nullptr || !window->is_accessing) return false;
  *code = MPI_SUCCESS;
  if (wanted.target == MPI_PROC_NULL) return true;
  learn_facts({&wanted.origin, &wanted.result, &wanted.there});
  const bool has_result = wanted.kind == Kind::kFetch || wanted.kind == Kind::kCompareAndSwap;
  const bool reads_origin = wanted.kind != Kind::kFetch || wanted.op != MPI_NO_OP;
  if (wanted.target < 0 || wanted.target >= static_cast<int>(window->members.size()) ||
      !is_usable(wanted.there) || (reads_origin && !is_usable(wanted.origin)) ||
      (has_result && !is_usable(wanted.result)))
    return false;
  const Member& target = window->member(wanted.target);
  wanted.at = at * target.unit;
  wanted.there.at = target.is_near() ? target.memory + wanted.at : nullptr;
  if (!target.is_target) *code = MPI_ERR_RMA_SYNC;
  else if (!is_within(wanted.there, wanted.at, target)) *code = MPI_ERR_RMA_RANGE;
  else *code = target.is_near() ? access_near(*window, wanted) : access_far(*window, wanted);
  if (*code != MPI_SUCCESS) PMPI_Win_call_errhandler(handle, *code);
  return true;
}

Data data(const void* at, MPI_Count count, MPI_Datatype type) {
  return {static_cast<std::byte*>(const_cast<void*>(at)), count, type};
}
Data there(MPI_Count count, MPI_Datatype type) { return {nullptr, count, type}; }

}  // namespace

bool put(const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint at,
         MPI_Count target_count, MPI_Datatype target_type, MPI_Win handle, int* code) {
  return access(handle,
                {.kind = Kind::kPut,
                 .target = target,
                 .origin = data(origin, origin_count, origin_type),
                 .result = {},
                 .there = there(target_count, target_type)},
                at, code);
}

bool get(void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint at,
         MPI_Count target_count, MPI_Datatype target_type, MPI_Win handle, int* code) {
  return access(handle,
                {.kind = Kind::kGet,
                 .target = target,
                 .origin = data(origin, origin_count, origin_type),
                 .result = {},
                 .there = there(target_count, target_type)},
                at, code);
}

bool accumulate(const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint at,
                MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win handle, int* code) {
  return access(handle,
                {.kind = Kind::kAccumulate,
                 .target = target,
                 .origin = data(origin, origin_count, origin_type),
                 .result = {},
                 .there = there(target_count, target_type),
                 .op = op},
                at, code);
}

bool get_accumulate(const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, void* result,
                    MPI_Count result_count, MPI_Datatype result_type, int target, MPI_Aint at,
                    MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win handle, int* code) {
  return access(handle,
                {.kind = Kind::kFetch,
                 .target = target,
                 .origin = data(origin, origin_count, origin_type),
                 .result = data(result, result_count, result_type),
                 .there = there(target_count, target_type),
                 .op = op},
                at, code);
}

bool fetch_and_op(const void* origin, void* result, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op,
                  MPI_Win handle, int* code) {
  return get_accumulate(origin, 1, type, result, 1, type, target, at, 1, type, op, handle, code);
}

bool compare_and_swap(const void* origin, const void* compared, void* result, MPI_Datatype type, int target,
                      MPI_Aint at, MPI_Win handle, int* code) {
  return access(handle,
                {.kind = Kind::kCompareAndSwap,
                 .target = target,
                 .origin = data(origin, 1, type),
                 .result = data(result, 1, type),
                 .there = there(1, type),
                 .compared = compared},
                at, code);
}

}  // namespace weft::mpi::window
