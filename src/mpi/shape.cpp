// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/shape.hpp"

#include "mpi/reduction.hpp"

namespace weft::mpi {
namespace {

std::optional<Shape> refuse(Reason reason, Reason* why) {
  *why = reason;
  return std::nullopt;
}

// A null address is MPI_BOTTOM too, which only a derived type can use.
bool is_valid_buffer(const void* buffer, MPI_Count count, const TypeFacts& facts) {
  return buffer != nullptr || count == 0 || facts.size == 0 || facts.kind == TypeKind::kDerived;
}

bool is_valid_block(MPI_Count count, MPI_Datatype type) { return count >= 0 && type != MPI_DATATYPE_NULL; }

// What `count` elements take. More than any machine has is not tried, so that sums of sizes stay in range.
std::optional<Bytes> bytes_of(MPI_Count count, MPI_Count each) {
  constexpr MPI_Count kMost = MPI_Count{1} << 40;
  if (each > 0 && count > kMost / each) return std::nullopt;
  return Bytes(count * each);
}

std::optional<Shape> reduction_shape(const Arguments& a, const Communicator& communicator, Shape shape,
                                     Reason* why) {
  if (!is_valid_block(a.sendcount, a.sendtype) || a.op == MPI_OP_NULL) return refuse(Reason::kArgument, why);
  const TypeFacts facts = facts_of(a.sendtype);
  if (!facts.usable) return refuse(Reason::kArgument, why);
  const bool predefined = is_predefined(a.op);
  if (predefined && !applies_to(a.op, facts.kind)) return refuse(Reason::kOperator, why);
  if (facts.has_gaps || facts.extent <= 0) return refuse(Reason::kDatatype, why);
  const bool has_output = a.collective == Collective::kAllreduce || communicator.rank == a.root;
  // The same buffer twice is what MPI_IN_PLACE means, and some programs write it so.
  shape.in_place = has_output && (a.sendbuf == MPI_IN_PLACE || a.sendbuf == a.recvbuf);
  if (!has_output && a.sendbuf == MPI_IN_PLACE) return refuse(Reason::kArgument, why);
  if (!shape.in_place && !is_valid_buffer(a.sendbuf, a.sendcount, facts))
    return refuse(Reason::kArgument, why);
  if (has_output && (a.recvbuf == MPI_IN_PLACE || !is_valid_buffer(a.recvbuf, a.sendcount, facts)))
    return refuse(Reason::kArgument, why);
  int commutes = 1;
  if (!predefined) PMPI_Op_commutative(a.op, &commutes);
  shape.has_predefined_types = facts.kind != TypeKind::kDerived;
  shape.call.commutative = commutes != 0;
  shape.call.user_defined = !predefined;
  shape.call.element_bytes = Bytes(facts.extent);
  const std::optional<Bytes> bytes = bytes_of(a.sendcount, facts.extent);
  if (!bytes) return refuse(Reason::kTooLarge, why);
  shape.call.bytes = *bytes;
  return shape;
}

std::optional<Shape> bcast_shape(const Arguments& a, Shape shape, Reason* why) {
  if (!is_valid_block(a.recvcount, a.recvtype)) return refuse(Reason::kArgument, why);
  const TypeFacts facts = facts_of(a.recvtype);
  if (a.recvbuf == MPI_IN_PLACE || !facts.usable || !is_valid_buffer(a.recvbuf, a.recvcount, facts))
    return refuse(Reason::kArgument, why);
  const std::optional<Bytes> bytes = bytes_of(a.recvcount, facts.size);
  if (!bytes) return refuse(Reason::kTooLarge, why);
  shape.has_predefined_types = facts.kind != TypeKind::kDerived;
  shape.call.bytes = *bytes;
  shape.stage_output = !facts.packs_to_itself;
  shape.block_count = a.recvcount;
  return shape;
}

std::optional<Shape> blocks_shape(const Arguments& a, Shape shape, Reason* why) {
  if (!is_valid_block(a.recvcount, a.recvtype) || a.recvbuf == MPI_IN_PLACE)
    return refuse(Reason::kArgument, why);
  const TypeFacts out = facts_of(a.recvtype);
  if (!out.usable || !is_valid_buffer(a.recvbuf, a.recvcount, out)) return refuse(Reason::kArgument, why);
  const std::optional<Bytes> block = bytes_of(a.recvcount, out.size);
  if (!block) return refuse(Reason::kTooLarge, why);
  shape.in_place = a.sendbuf == MPI_IN_PLACE;
  if (!shape.in_place) {
    if (!is_valid_block(a.sendcount, a.sendtype)) return refuse(Reason::kArgument, why);
    const TypeFacts in = facts_of(a.sendtype);
    const bool same_size = bytes_of(a.sendcount, in.size) == block;
    if (!in.usable || !same_size || !is_valid_buffer(a.sendbuf, a.sendcount, in))
      return refuse(Reason::kArgument, why);
    shape.stage_input = !in.packs_to_itself;
    shape.has_predefined_types = in.kind != TypeKind::kDerived;
  }
  shape.has_predefined_types = shape.has_predefined_types && out.kind != TypeKind::kDerived;
  shape.call.bytes = *block;
  shape.stage_output = !out.packs_to_itself;
  shape.block_count = a.recvcount;
  return shape;
}

}  // namespace

std::optional<Shape> shape_of(const Arguments& a, const Communicator& communicator, Reason* why) {
  Shape shape;
  shape.call.collective = a.collective;
  shape.call.rank_count = communicator.size;
  if (is_rooted(a.collective)) {
    if (a.root < 0 || a.root >= communicator.size) return refuse(Reason::kArgument, why);
    shape.call.root = Rank(a.root);
  }
  std::optional<Shape> found = shape;
  if (is_reduction(a.collective)) found = reduction_shape(a, communicator, shape, why);
  else if (a.collective == Collective::kBcast) found = bcast_shape(a, shape, why);
  else if (a.collective != Collective::kBarrier) found = blocks_shape(a, shape, why);
  return found;
}

}  // namespace weft::mpi
