// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/orders.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi/arguments/datatype.hpp"

namespace weft::mpi::window {
namespace {

const auto& operators() {
  static const std::array all{MPI_MAX,  MPI_MIN, MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_LOR,     MPI_LXOR,
                              MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
  return all;
}

struct PredefinedType {
  MPI_Datatype type;
  MPI_Count extent;
  bool operator==(MPI_Datatype other) const { return type == other; }
};
const std::vector<PredefinedType>& types() {
  static const std::vector<PredefinedType> all = [] {
    std::vector<PredefinedType> found;
    for_each_predefined_type([&found](MPI_Datatype type, TypeFacts& facts) {
      found.push_back({type, facts.extent});
    });
    return found;
  }();
  return all;
}

bool is_sound(const OrderHead& head) {
  if (head.does > Does::kCompareAndSwap) return false;
  if (head.does == Does::kCompareAndSwap) return head.runs == 1;
  if (head.does != Does::kUpdate && head.does != Does::kFetch) return true;
  return head.op < operators().size() && head.type < types().size() &&
         static_cast<MPI_Count>(head.element_bytes) == types()[head.type].extent;
}

template <class All, class One>
std::optional<std::uint32_t> place_of(const All& all, One one) {
  const auto found = std::find(all.begin(), all.end(), one);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - all.begin());
}

// As much of the data, from a run's place on, as has room in one envelope.
struct Share {
  std::vector<ByteRun> runs;
  std::int64_t bytes = 0;
};
Share take_share(std::span<const ByteRun> runs, std::size_t& run, std::int64_t& within, std::int64_t room,
                 bool has_data, std::int64_t element) {
  Share share;
  room -= static_cast<std::int64_t>(sizeof(OrderHead));
  while (run < runs.size()) {
    room -= static_cast<std::int64_t>(sizeof(ByteRun));
    std::int64_t now = runs[run].bytes - within;
    if (has_data) now = std::min(now, room / element * element);
    if (now <= 0 || room < 0) break;
    share.runs.push_back({runs[run].at + within, now});
    share.bytes += now;
    if (has_data) room -= now;
    within += now;
    if (within < runs[run].bytes) break;
    ++run;
    within = 0;
  }
  return share;
}

}  // namespace

std::optional<std::uint32_t> number_of_operator(MPI_Op op) { return place_of(operators(), op); }
MPI_Op operator_numbered(std::uint32_t number) { return operators().at(number); }
std::optional<std::uint32_t> number_of_type(MPI_Datatype type) { return place_of(types(), type); }
MPI_Datatype type_numbered(std::uint32_t number) { return types().at(number).type; }
std::uint32_t number_of_types() { return static_cast<std::uint32_t>(types().size()); }

std::int64_t Order::bytes() const {
  std::int64_t all = 0;
  for (const ByteRun& run : runs()) all += run.bytes;
  return all;
}

bool Order::is_sound(std::int64_t length, std::int64_t size_of_memory) const {
  if (length < static_cast<std::int64_t>(sizeof(OrderHead))) return false;
  const auto room = static_cast<std::uint64_t>(length) - sizeof(OrderHead);
  if (head().runs > room / sizeof(ByteRun) || !window::is_sound(head())) return false;
  const std::int64_t element =
      head().does == Does::kUpdate || head().does == Does::kFetch ? head().element_bytes : 1;
  const auto is_within = [&](const ByteRun& run) {
    return run.at >= 0 && run.bytes >= 0 && run.bytes <= size_of_memory &&
           run.at <= size_of_memory - run.bytes && run.bytes % element == 0;
  };
  if (!std::all_of(runs().begin(), runs().end(), is_within)) return false;
  const std::int64_t copies = head().does == Does::kGather ? 0 : head().does == Does::kCompareAndSwap ? 2 : 1;
  return static_cast<std::int64_t>(room - runs().size_bytes()) >= copies * bytes();
}

std::vector<Envelope> envelopes_of(const OrderHead& head, std::span<const ByteRun> runs,
                                   const std::byte* data, Bytes longest, std::span<const std::byte> behind) {
  std::vector<Envelope> all;
  std::size_t run = 0;
  std::int64_t within = 0, done = 0;
  while (run < runs.size()) {
    const Share share = take_share(runs, run, within, longest.value, data != nullptr, head.element_bytes);
    if (share.runs.empty()) return {};
    Envelope& one = all.emplace_back();
    const std::size_t list = share.runs.size() * sizeof(ByteRun);
    const std::size_t copied = data == nullptr ? 0 : static_cast<std::size_t>(share.bytes);
    one.size = Bytes(static_cast<std::int64_t>(sizeof head + list + copied + behind.size()));
    one.from = done;
    one.bytes = share.bytes;
    std::byte* at = one.memory.get(static_cast<std::size_t>(one.size.value));
    OrderHead its = head;
    its.runs = share.runs.size();
    std::memcpy(at, &its, sizeof its);
    std::memcpy(at + sizeof its, share.runs.data(), list);
    if (copied > 0) std::memcpy(at + sizeof its + list, data + done, copied);
    if (!behind.empty()) std::memcpy(at + sizeof its + list + copied, behind.data(), behind.size());
    done += share.bytes;
  }
  return all;
}

}  // namespace weft::mpi::window
