// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/byte_runs.hpp"

namespace weft::mpi::window {
namespace {

void append(std::vector<ByteRun>& runs, ByteRun next) {
  if (next.bytes == 0) return;
  if (!runs.empty() && runs.back().at + runs.back().bytes == next.at) runs.back().bytes += next.bytes;
  else runs.push_back(next);
}

// The runs of one element of a type whose layout is not known. Each byte of its packed form gets a number,
// from 1 on; the host unpacks these numbers, digit by digit, to where the bytes go. Where a number is 0, no
// byte goes.
std::vector<ByteRun> found_by_host(MPI_Datatype type, MPI_Count size) {
  MPI_Count lower = 0, length = 0;
  PMPI_Type_get_true_extent_x(type, &lower, &length);
  const auto count = static_cast<std::size_t>(size), span = static_cast<std::size_t>(length);
  std::vector<std::uint64_t> number(span, 0);
  std::vector<unsigned char> digits(count), there(span);
  constexpr int kBits = 7;  // and one that says that there is a byte
  for (int digit = 0; digit == 0 || (size >> (kBits * digit)) > 0; ++digit) {
    for (std::size_t i = 0; i < count; ++i)
      digits[i] = static_cast<unsigned char>(0x80 | (((i + 1) >> (kBits * digit)) & 0x7f));
    int position = 0;
    PMPI_Unpack(digits.data(), static_cast<int>(size), &position, there.data() - lower, 1, type,
                MPI_COMM_SELF);
    for (std::size_t i = 0; i < span; ++i)
      if ((there[i] & 0x80) != 0) number[i] |= static_cast<std::uint64_t>(there[i] & 0x7f) << (kBits * digit);
  }
  std::vector<std::int64_t> place(count);
  for (std::size_t i = 0; i < span; ++i)
    if (number[i] > 0) place[number[i] - 1] = static_cast<std::int64_t>(i) + lower;
  std::vector<ByteRun> runs;
  for (const std::int64_t at : place) append(runs, {at, 1});
  return runs;
}

}  // namespace

std::vector<ByteRun> runs_of(const Data& data) {
  const TypeFacts facts = facts_about(data.type);
  std::vector<ByteRun> one;
  if (facts.packs_to_itself && !facts.has_gaps) return {{facts.lower, facts.size * data.count}};
  if (const Layout& layout = facts.layout; layout.is_known())
    for (std::int64_t b = 0; b < layout.blocks; ++b)
      append(one, {layout.at + b * layout.stride, layout.block});
  else if (facts.size > 0) one = found_by_host(data.type, facts.size);
  std::vector<ByteRun> all;
  for (MPI_Count element = 0; element < data.count; ++element)
    for (const ByteRun& run : one) append(all, {run.at + element * facts.extent, run.bytes});
  return all;
}

}  // namespace weft::mpi::window
