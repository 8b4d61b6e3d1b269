// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/byte_runs.hpp"

namespace weft::mpi::window {
namespace {

void append(std::vector<ByteRun>& runs, ByteRun next) {
  if (next.bytes == 0) return;
  if (!runs.empty() && runs.back().at + runs.back().bytes == next.at) runs.back().bytes += next.bytes;
  else runs.push_back(next);
}

// The runs of one element whose layout is not known. Memory in which the value of each byte is its own offset
// is packed by the host: the packed bytes then say where they came from. An offset needs several bytes, so
// that this is done once for each of its digits. The same offset may come out more than once.
std::vector<ByteRun> found_by_host(MPI_Datatype type, MPI_Count size) {
  MPI_Count lower = 0, length = 0;
  PMPI_Type_get_true_extent_x(type, &lower, &length);
  const auto count = static_cast<std::size_t>(size), span = static_cast<std::size_t>(length);
  std::vector<std::uint64_t> place(count, 0);
  std::vector<unsigned char> digits(span), packed(count);
  constexpr int kBits = 8;
  for (int shift = 0; shift == 0 || (length >> shift) > 0; shift += kBits) {
    for (std::size_t i = 0; i < span; ++i) digits[i] = static_cast<unsigned char>(i >> shift);
    int position = 0;
    PMPI_Pack(digits.data() - lower, 1, type, packed.data(), static_cast<int>(size), &position,
              MPI_COMM_SELF);
    for (std::size_t i = 0; i < count; ++i) place[i] |= static_cast<std::uint64_t>(packed[i]) << shift;
  }
  std::vector<ByteRun> runs;
  for (const std::uint64_t at : place) append(runs, {static_cast<std::int64_t>(at) + lower, 1});
  return runs;
}

}  // namespace

std::vector<ByteRun> runs_of(const Data& data) {
  const TypeFacts& facts = data.facts;
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

// An element begins where the first of its bytes is.
std::vector<ByteRun> runs_of_elements(const Data& data, const TypeFacts& of_basic) {
  std::vector<ByteRun> runs = runs_of(data), all;
  if (of_basic.size == of_basic.extent) return runs;
  std::int64_t to_next = 0;  // bytes of data
  for (const ByteRun& run : runs) {
    std::int64_t at = to_next;
    for (; at < run.bytes; at += of_basic.size) append(all, {run.at + at, of_basic.extent});
    to_next = at - run.bytes;
  }
  return all;
}

}  // namespace weft::mpi::window
