// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/reduction.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "mpi/engine/engine.hpp"
#include "mpi/host/alone.hpp"
#include "mpi/host/polite.hpp"

namespace weft::mpi {
namespace {

enum class OpKind { kUser, kOrder, kArithmetic, kLogical, kBitwise, kLocation, kOther };

OpKind kind_of(MPI_Op op) {
  if (op == MPI_MAX || op == MPI_MIN) return OpKind::kOrder;
  if (op == MPI_SUM || op == MPI_PROD) return OpKind::kArithmetic;
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) return OpKind::kLogical;
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) return OpKind::kBitwise;
  if (op == MPI_MAXLOC || op == MPI_MINLOC) return OpKind::kLocation;
  if (op == MPI_REPLACE || op == MPI_NO_OP) return OpKind::kOther;
  return OpKind::kUser;
}

std::optional<Operator> operator_of(MPI_Op op) {
  if (op == MPI_SUM) return Operator::kSum;
  if (op == MPI_MAX) return Operator::kMaximum;
  if (op == MPI_MIN) return Operator::kMinimum;
  if (op == MPI_PROD) return Operator::kProduct;
  if (op == MPI_BAND) return Operator::kAnd;
  if (op == MPI_BOR) return Operator::kOr;
  if (op == MPI_BXOR) return Operator::kXor;
  return std::nullopt;
}

struct Name {
  MPI_Op op;
  std::string_view name;
};
const auto& names_of_operators() {
  static const std::array names = {
      Name{MPI_MAX, "MPI_MAX"},         Name{MPI_MIN, "MPI_MIN"},       Name{MPI_SUM, "MPI_SUM"},
      Name{MPI_PROD, "MPI_PROD"},       Name{MPI_LAND, "MPI_LAND"},     Name{MPI_LOR, "MPI_LOR"},
      Name{MPI_LXOR, "MPI_LXOR"},       Name{MPI_BAND, "MPI_BAND"},     Name{MPI_BOR, "MPI_BOR"},
      Name{MPI_BXOR, "MPI_BXOR"},       Name{MPI_MAXLOC, "MPI_MAXLOC"}, Name{MPI_MINLOC, "MPI_MINLOC"},
      Name{MPI_REPLACE, "MPI_REPLACE"}, Name{MPI_NO_OP, "MPI_NO_OP"},   Name{MPI_OP_NULL, "MPI_OP_NULL"}};
  return names;
}

bool is_in_standard(MPI_Op op, TypeKind kind) {
  switch (kind_of(op)) {
    case OpKind::kOrder: return kind == TypeKind::kInteger || kind == TypeKind::kFloating;
    case OpKind::kArithmetic:
      return kind == TypeKind::kInteger || kind == TypeKind::kFloating || kind == TypeKind::kComplex;
    case OpKind::kLogical: return kind == TypeKind::kInteger || kind == TypeKind::kLogical;
    case OpKind::kBitwise: return kind == TypeKind::kInteger || kind == TypeKind::kByte;
    case OpKind::kLocation: return kind == TypeKind::kPair;
    case OpKind::kUser:
    case OpKind::kOther: return false;
  }
  return false;
}

// For TypeFacts::host_operators.
std::uint32_t bit_of(MPI_Op op) {
  const auto& names = names_of_operators();
  const auto found = std::find_if(names.begin(), names.end(), [op](const Name& n) { return n.op == op; });
  return 1u << (found - names.begin());
}

// MPI_REPLACE and MPI_NO_OP are for one-sided communication.
bool may_be_asked(MPI_Op op) {
  const OpKind kind = kind_of(op);
  return kind != OpKind::kUser && kind != OpKind::kOther;
}

// The host is asked to reduce no elements, because MPICH 4.0 ends the process when it applies some pairs that
// its own check lets pass; and on a communicator of Weft's own: an error of MPI_Reduce_local would be one of
// MPI_COMM_WORLD, and MPICH does not forget that this has had an error handler for a moment. Until it has
// one, duplicates made of it take the handler that it gets later.
bool host_applies(MPI_Op op, MPI_Datatype type, MPI_Comm comm) {
  const char left = 0;
  char into = 0;
  return comm != MPI_COMM_NULL && PMPI_Allreduce(&left, &into, 0, type, op, comm) == MPI_SUCCESS;
}

// Whether the host orders the integers of this type as signed ones. Open MPI 4 does so with MPI_UNSIGNED_LONG
// and not with MPI_OFFSET, MPICH 4 with MPI_UNSIGNED: who runs under Weft gets what his MPI gives. Only of
// types for which the host applies MPI_MAX, so that this is no error.
bool is_signed(MPI_Datatype type) {
  const std::uint64_t all_bits = ~std::uint64_t{0};
  std::uint64_t largest = 0;
  PMPI_Reduce_local(&all_bits, &largest, 1, type, MPI_MAX);
  return largest == 0;  // which is more than -1
}

// `orders`: the host applies MPI_MAX.
std::optional<Element> element_of(MPI_Datatype type, TypeKind kind, MPI_Count size, bool orders) {
  if (kind == TypeKind::kFloating && size == sizeof(float)) return Element::kFloat;
  if (kind == TypeKind::kFloating && size == sizeof(double)) return Element::kDouble;
  if (kind != TypeKind::kInteger && kind != TypeKind::kByte) return std::nullopt;
  const bool sign = orders && is_signed(type);
  switch (size) {
    case 1: return sign ? Element::kInt8 : Element::kUint8;
    case 2: return sign ? Element::kInt16 : Element::kUint16;
    case 4: return sign ? Element::kInt32 : Element::kUint32;
    case 8: return sign ? Element::kInt64 : Element::kUint64;
    default: return std::nullopt;
  }
}

}  // namespace

// MPICH takes 2 ms to refuse what it does not apply, so that up to eight ranks share the types out.
void learn_host_operators(int rank, int size) {
  const MPI_Comm comm = alone();
  const std::size_t shares = static_cast<std::size_t>(std::min(size, 8)),
                    mine = static_cast<std::size_t>(rank) % shares;
  std::vector<std::uint32_t> applied;  // per type
  for_each_predefined_type([&](MPI_Datatype type, const TypeFacts&) {
    std::uint32_t operators = 0;
    for (const Name& name : names_of_operators())
      if (applied.size() % shares == mine && may_be_asked(name.op) && host_applies(name.op, type, comm))
        operators |= bit_of(name.op);
    applied.push_back(operators);
  });
  polite::join_bits(applied, engine().transport_comm);
  auto next = applied.begin();
  for_each_predefined_type([&](MPI_Datatype type, TypeFacts& facts) {
    facts.host_operators = *next++;
    facts.element = element_of(type, facts.kind, facts.size, (facts.host_operators & bit_of(MPI_MAX)) != 0);
  });
}

std::string_view name_of_operator(MPI_Op op) {
  const auto& names = names_of_operators();
  const auto found = std::find_if(names.begin(), names.end(), [op](const Name& n) { return n.op == op; });
  return found == names.end() ? "an own operator" : found->name;
}

bool is_predefined(MPI_Op op) { return kind_of(op) != OpKind::kUser; }

Applies applies_to(MPI_Op op, const TypeFacts& facts) {
  if (!is_predefined(op)) return Applies::kByStandard;
  if ((facts.host_operators & bit_of(op)) == 0) return Applies::kNever;
  return is_in_standard(op, facts.kind) ? Applies::kByStandard : Applies::kByHost;
}

void Reduction::apply(const void* left, void* into, Bytes bytes, const void* reduction) {
  const auto& self = *static_cast<const Reduction*>(reduction);
  constexpr std::int64_t kMostAtOnce = 1 << 30;
  left = static_cast<const std::byte*>(left) - self.lower;
  into = static_cast<std::byte*>(into) - self.lower;
  for (std::int64_t count = bytes / self.extent; count > 0;) {
    const std::int64_t now = std::min(count, kMostAtOnce);
    const int code = PMPI_Reduce_local(left, into, static_cast<int>(now), self.type, self.op);
    if (self.error == MPI_SUCCESS) self.error = code;
    left = static_cast<const std::byte*>(left) + now * self.extent.value;
    into = static_cast<std::byte*>(into) + now * self.extent.value;
    count -= now;
  }
}

Combine combine_of(const Reduction& reduction) {
  const std::optional<Operator> op = operator_of(reduction.op);
  const TypeFacts& facts = facts_of(reduction.type);
  const std::optional<Element> element = facts.element;
  if (op && element && is_in_standard(reduction.op, facts.kind))
    if (const Kernel kernel = kernel_of(*op, *element)) return {.kernel = kernel};
  return {Reduction::apply, &reduction};
}

}  // namespace weft::mpi
