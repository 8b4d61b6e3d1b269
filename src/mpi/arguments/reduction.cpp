// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/reduction.hpp"

#include <algorithm>
#include <array>

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

}  // namespace

std::string_view name_of_operator(MPI_Op op) {
  struct Name {
    MPI_Op op;
    std::string_view name;
  };
  static const std::array names = {
      Name{MPI_MAX, "MPI_MAX"},         Name{MPI_MIN, "MPI_MIN"},       Name{MPI_SUM, "MPI_SUM"},
      Name{MPI_PROD, "MPI_PROD"},       Name{MPI_LAND, "MPI_LAND"},     Name{MPI_LOR, "MPI_LOR"},
      Name{MPI_LXOR, "MPI_LXOR"},       Name{MPI_BAND, "MPI_BAND"},     Name{MPI_BOR, "MPI_BOR"},
      Name{MPI_BXOR, "MPI_BXOR"},       Name{MPI_MAXLOC, "MPI_MAXLOC"}, Name{MPI_MINLOC, "MPI_MINLOC"},
      Name{MPI_REPLACE, "MPI_REPLACE"}, Name{MPI_NO_OP, "MPI_NO_OP"},   Name{MPI_OP_NULL, "MPI_OP_NULL"}};
  const auto found = std::find_if(names.begin(), names.end(), [op](const Name& n) { return n.op == op; });
  return found == names.end() ? "an own operator" : found->name;
}

bool is_predefined(MPI_Op op) { return kind_of(op) != OpKind::kUser; }

bool applies_to(MPI_Op op, TypeKind kind) {
  switch (kind_of(op)) {
    case OpKind::kUser: return true;
    case OpKind::kOrder: return kind == TypeKind::kInteger || kind == TypeKind::kFloating;
    case OpKind::kArithmetic:
      return kind == TypeKind::kInteger || kind == TypeKind::kFloating || kind == TypeKind::kComplex;
    case OpKind::kLogical: return kind == TypeKind::kInteger || kind == TypeKind::kLogical;
    case OpKind::kBitwise: return kind == TypeKind::kInteger || kind == TypeKind::kByte;
    case OpKind::kLocation: return kind == TypeKind::kPair;
    case OpKind::kOther: return false;
  }
  return false;
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
  const std::optional<Element> element = op ? facts_of(reduction.type).element : std::nullopt;
  if (op && element)
    if (const Kernel kernel = kernel_of(*op, *element)) return {.kernel = kernel};
  return {Reduction::apply, &reduction};
}

}  // namespace weft::mpi
