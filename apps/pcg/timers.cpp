// SPDX-License-Identifier: BSD-3-Clause
#include "timers.hpp"

#include <type_traits>

namespace pcg {
namespace {

constexpr int kDoubles = sizeof(Times) / sizeof(double);
static_assert(std::is_trivially_copyable_v<Times> && sizeof(Times) == kDoubles * sizeof(double) &&
                  kDoubles == kPartCount + 4 * kInnerProducts.size() + 1,
              "Times is reduced over the ranks as plain doubles");

Times reduced(const Times& times, MPI_Op operation, MPI_Comm communicator) {
  Times result;
  MPI_Allreduce(&times, &result, kDoubles, MPI_DOUBLE, operation, communicator);
  return result;
}

}  // namespace

const char* name_of(InnerProduct product) {
  switch (product) {
    case InnerProduct::kSdotp: return "sdotp";
    case InnerProduct::kGamma: return "gamma";
    case InnerProduct::kIprod: return "iprod";
    case InnerProduct::kTogether: return "together";
  }
  return "?";
}

Times mean_of(const Times& times, MPI_Comm communicator) {
  int rank_count = 0;
  MPI_Comm_size(communicator, &rank_count);
  Times mean = reduced(times, MPI_SUM, communicator);
  for (double& seconds : mean.parts) seconds /= rank_count;
  for (IallreduceTimes& one : mean.iallreduce)
    one = {one.count / rank_count, one.starting / rank_count, one.available / rank_count,
           one.waiting / rank_count};
  mean.bytes /= rank_count;
  return mean;
}

Times maximum_of(const Times& times, MPI_Comm communicator) { return reduced(times, MPI_MAX, communicator); }

}  // namespace pcg
