// SPDX-License-Identifier: BSD-3-Clause
#include "executor/processor/kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace weft {
namespace {

// The function is compiled for several generations of vector instructions, and the loader takes the best that
// the processor has. Not under sanitizers, which have to start before the loader chooses; and Clang cannot do
// it for templates.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define WEFT_FOR_EVERY_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WEFT_FOR_EVERY_PROCESSOR
#endif

// Integers are combined as unsigned ones, so that overflow wraps around; minimum and maximum keep the sign.
template <class T>
using Wrapping =
    typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

struct Sum {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};
struct Product {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else return a * b;
  }
};
struct Minimum {
  template <class T>
  static T of(T a, T b) {
    return std::min(a, b);
  }
};
struct Maximum {
  template <class T>
  static T of(T a, T b) {
    return std::max(a, b);
  }
};
struct And {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

// User buffers need not be aligned to their elements (a packed structure's member, say); memcpy says so, and
// costs nothing.
template <class T, class Op>
WEFT_FOR_EVERY_PROCESSOR void combine(const std::byte* left, const std::byte* right, std::byte* into,
                                      std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = i * static_cast<std::int64_t>(sizeof(T));
    T a, b;
    std::memcpy(&a, left + at, sizeof(T));
    std::memcpy(&b, right + at, sizeof(T));
    b = Op::of(a, b);
    std::memcpy(into + at, &b, sizeof(T));
  }
}

// One element, the commonest size by far, without a call through the loader's table.
template <class T, class Op>
void kernel(const void* left, const void* right, void* into, Bytes bytes) {
  if (bytes.value != sizeof(T))
    return combine<T, Op>(static_cast<const std::byte*>(left), static_cast<const std::byte*>(right),
                          static_cast<std::byte*>(into), bytes.value / static_cast<std::int64_t>(sizeof(T)));
  T a, b;
  std::memcpy(&a, left, sizeof(T));
  std::memcpy(&b, right, sizeof(T));
  b = Op::of(a, b);
  std::memcpy(into, &b, sizeof(T));
}

template <class T>
Kernel kernel_for(Operator op) {
  constexpr bool kIsInteger = std::is_integral_v<T>;
  switch (op) {
    case Operator::kSum: return kernel<T, Sum>;
    case Operator::kProduct: return kernel<T, Product>;
    default: break;
  }
  if constexpr (kIsInteger) switch (op) {
      case Operator::kMinimum: return kernel<T, Minimum>;
      case Operator::kMaximum: return kernel<T, Maximum>;
      case Operator::kAnd: return kernel<T, And>;
      case Operator::kOr: return kernel<T, Or>;
      case Operator::kXor: return kernel<T, Xor>;
      default: break;
    }
  return nullptr;
}

}  // namespace

// In parts, for which the C library picks the processor's own copy (rep movsb): for more than about its
// second-level cache glibc 2.36 goes over to vectors, which take 5 to 25 per cent longer on an AMD EPYC.
void copy_block(const std::byte* from, std::byte* into, Bytes size) {
  constexpr std::size_t kPart = std::size_t{256} << 10;
  auto left = static_cast<std::size_t>(size.value);
  if (left <= kPart || (from < into + left && into < from + left)) {
    if (left > 0) std::memmove(into, from, left);
    return;
  }
  for (std::size_t part = 0; left > 0; from += part, into += part, left -= part) {
    part = std::min(left, kPart);
    std::memcpy(into, from, part);
  }
}

Kernel kernel_of(Operator op, Element element) {
  switch (element) {
    case Element::kInt8: return kernel_for<std::int8_t>(op);
    case Element::kInt16: return kernel_for<std::int16_t>(op);
    case Element::kInt32: return kernel_for<std::int32_t>(op);
    case Element::kInt64: return kernel_for<std::int64_t>(op);
    case Element::kUint8: return kernel_for<std::uint8_t>(op);
    case Element::kUint16: return kernel_for<std::uint16_t>(op);
    case Element::kUint32: return kernel_for<std::uint32_t>(op);
    case Element::kUint64: return kernel_for<std::uint64_t>(op);
    case Element::kFloat: return kernel_for<float>(op);
    case Element::kDouble: return kernel_for<double>(op);
  }
  return nullptr;
}

}  // namespace weft
