// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/data.hpp"

#include <algorithm>
#include <cstring>

#include "base/plain_memory.hpp"
#include "mpi/engine/engine.hpp"

namespace weft::mpi::window {
namespace {

// So much is packed at once: the host counts it in an int.
constexpr MPI_Count kMostPacked = 1 << 30;

bool is_plain(const TypeFacts& facts) { return facts.packs_to_itself && !facts.has_gaps; }

// Calls `each` with as many elements as are packed at once, and where their packed bytes are.
template <class Each>
int in_parts(const Data& data, const TypeFacts& facts, std::byte* packed, Each each) {
  const MPI_Count most = std::max<MPI_Count>(1, kMostPacked / std::max<MPI_Count>(1, facts.size));
  for (MPI_Count done = 0; done < data.count; done += most) {
    const MPI_Count now = std::min(most, data.count - done);
    const int code = each(data.at + done * facts.extent, static_cast<int>(now), packed + done * facts.size,
                          static_cast<int>(now * facts.size));
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int pack_all(const Data& data, const TypeFacts& facts, std::byte* packed) {
  if (facts.layout.is_known()) {
    pack(facts.layout, facts.extent, data.at, data.count, 0, data.count * facts.size, packed);
    return MPI_SUCCESS;
  }
  return in_parts(data, facts, packed, [&](const std::byte* at, int count, std::byte* into, int room) {
    int position = 0;
    return PMPI_Pack(at, count, data.type, into, room, &position, MPI_COMM_SELF);
  });
}

int unpack_all(const Data& data, const TypeFacts& facts, std::byte* packed) {
  if (facts.layout.is_known()) {
    unpack(facts.layout, facts.extent, packed, data.count, 0, data.count * facts.size, data.at);
    return MPI_SUCCESS;
  }
  return in_parts(data, facts, packed, [&](std::byte* at, int count, const std::byte* from, int bytes) {
    int position = 0;
    return PMPI_Unpack(from, bytes, &position, at, count, data.type, MPI_COMM_SELF);
  });
}

}  // namespace

TypeFacts facts_about(MPI_Datatype type) {
  const InEngine inside;
  return facts_of(type);
}

Bytes plain_bytes(const Data& data) {
  const TypeFacts facts = facts_about(data.type);
  return Bytes(is_plain(facts) ? facts.size * data.count : 0);
}

std::int64_t first_place(MPI_Datatype type) { return facts_about(type).lower; }
std::byte* first_byte(const Data& data) { return data.at + first_place(data.type); }

int copy(const Data& from, const Data& into) {
  const TypeFacts here = facts_about(from.type), there = facts_about(into.type);
  const auto bytes = static_cast<std::size_t>(std::min(here.size * from.count, there.size * into.count));
  if (bytes == 0) return MPI_SUCCESS;
  if (is_plain(here) && is_plain(there)) {
    std::memcpy(into.at + there.lower, from.at + here.lower, bytes);
    return MPI_SUCCESS;
  }
  if (is_plain(there)) return pack_all(from, here, into.at + there.lower);
  if (is_plain(here)) return unpack_all(into, there, from.at + here.lower);
  PlainMemory memory;
  std::byte* const packed = memory.get(bytes);
  const int code = pack_all(from, here, packed);
  return code != MPI_SUCCESS ? code : unpack_all(into, there, packed);
}

}  // namespace weft::mpi::window
