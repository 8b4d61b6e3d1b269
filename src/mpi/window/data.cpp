// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/data.hpp"

#include <algorithm>

#include "base/plain_memory.hpp"
#include "executor/processor/kernels.hpp"
#include "mpi/engine/engine.hpp"

namespace weft::mpi::window {
namespace {

// So much is packed at once: the host counts it in an int.
constexpr MPI_Count kMostPacked = 1 << 30;

bool is_plain(const TypeFacts& facts) { return facts.packs_to_itself && !facts.has_gaps; }

// Calls `each` with as many elements as are packed at once, and where their packed bytes are.
template <class Each>
int in_parts(const Data& data, std::byte* packed, Each each) {
  const TypeFacts& facts = data.facts;
  const MPI_Count most = std::max<MPI_Count>(1, kMostPacked / std::max<MPI_Count>(1, facts.size));
  for (MPI_Count done = 0; done < data.count; done += most) {
    const MPI_Count now = std::min(most, data.count - done);
    const int code = each(data.at + done * facts.extent, static_cast<int>(now), packed + done * facts.size,
                          static_cast<int>(now * facts.size));
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int pack_all(const Data& data, std::byte* packed) {
  const TypeFacts& facts = data.facts;
  if (facts.layout.is_known()) {
    pack(facts.layout, facts.extent, data.at, data.count, 0, data.count * facts.size, packed);
    return MPI_SUCCESS;
  }
  return in_parts(data, packed, [&](const std::byte* at, int count, std::byte* into, int room) {
    int position = 0;
    return PMPI_Pack(at, count, data.type, into, room, &position, MPI_COMM_SELF);
  });
}

int unpack_all(const Data& data, std::byte* packed) {
  const TypeFacts& facts = data.facts;
  if (facts.layout.is_known()) {
    unpack(facts.layout, facts.extent, packed, data.count, 0, data.count * facts.size, data.at);
    return MPI_SUCCESS;
  }
  return in_parts(data, packed, [&](std::byte* at, int count, const std::byte* from, int bytes) {
    int position = 0;
    return PMPI_Unpack(from, bytes, &position, at, count, data.type, MPI_COMM_SELF);
  });
}

}  // namespace

void learn_facts(std::initializer_list<Data*> all) {
  const InEngine inside;
  for (Data* const one : all)
    if (one->type != MPI_DATATYPE_NULL) one->facts = facts_of(one->type);
}

Bytes plain_bytes(const Data& data) { return is_plain(data.facts) ? data.bytes() : Bytes(0); }

int copy(const Data& from, const Data& into) {
  const Bytes bytes = std::min(from.bytes(), into.bytes());
  if (bytes == Bytes(0)) return MPI_SUCCESS;
  if (is_plain(from.facts) && is_plain(into.facts)) {
    copy_block(first_byte(from), first_byte(into), bytes);
    return MPI_SUCCESS;
  }
  if (is_plain(into.facts)) return pack_all(from, first_byte(into));
  if (is_plain(from.facts)) return unpack_all(into, first_byte(from));
  PlainMemory memory;
  std::byte* const packed = memory.get(static_cast<std::size_t>(bytes.value));
  const int code = pack_all(from, packed);
  return code != MPI_SUCCESS ? code : unpack_all(into, packed);
}

}  // namespace weft::mpi::window
