// SPDX-License-Identifier: BSD-3-Clause
// Kernels do what a plain loop does: copies of every length and overlap, reductions for every operator,
// element, length and alignment.
#include "executor/processor/kernels.hpp"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "base/random.hpp"

namespace weft::tests {
namespace {

template <class T, class Plain>
void expect_as_plain(Operator op, Element element, Plain plain) {
  const Kernel kernel = kernel_of(op, element);
  ASSERT_NE(kernel, nullptr);
  Random random(7);
  for (const std::size_t count : {0u, 1u, 2u, 7u, 64u, 1000u})
    for (const std::size_t shift : {0u, 1u, 4u}) {  // unaligned buffers are the program's right
      std::vector<unsigned char> left(count * sizeof(T) + shift), right(left.size()), into(left.size());
      for (std::size_t i = 0; i < left.size(); ++i) {
        // Small exponents: sums of random bits would be NaN, whose bits the standard does not fix.
        const bool is_float = std::is_floating_point_v<T>;
        left[i] = static_cast<unsigned char>(random.below(is_float ? 60 : 256));
        right[i] = static_cast<unsigned char>(random.below(is_float ? 60 : 256));
      }
      std::vector<unsigned char> wanted = right;
      for (std::size_t i = 0; i < count; ++i) {
        T a, b;
        std::memcpy(&a, left.data() + shift + i * sizeof(T), sizeof(T));
        std::memcpy(&b, right.data() + shift + i * sizeof(T), sizeof(T));
        b = static_cast<T>(plain(a, b));
        std::memcpy(wanted.data() + shift + i * sizeof(T), &b, sizeof(T));
      }
      const Bytes bytes(static_cast<std::int64_t>(count * sizeof(T)));
      kernel(left.data() + shift, right.data() + shift, into.data() + shift, bytes);
      kernel(left.data() + shift, right.data() + shift, right.data() + shift, bytes);
      EXPECT_EQ(right, wanted) << count << " elements, shifted by " << shift;
      EXPECT_TRUE(std::equal(into.begin() + static_cast<std::ptrdiff_t>(shift), into.end(),
                             wanted.begin() + static_cast<std::ptrdiff_t>(shift)));
    }
}

template <class T, class Unsigned>
void expect_integers(Element element) {
  expect_as_plain<T>(Operator::kSum, element,
                     [](T a, T b) { return static_cast<Unsigned>(a) + static_cast<Unsigned>(b); });
  expect_as_plain<T>(Operator::kProduct, element,
                     [](T a, T b) { return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b); });
  expect_as_plain<T>(Operator::kMinimum, element, [](T a, T b) { return a < b ? a : b; });
  expect_as_plain<T>(Operator::kMaximum, element, [](T a, T b) { return a < b ? b : a; });
  expect_as_plain<T>(Operator::kAnd, element, [](T a, T b) { return a & b; });
  expect_as_plain<T>(Operator::kOr, element, [](T a, T b) { return a | b; });
  expect_as_plain<T>(Operator::kXor, element, [](T a, T b) { return a ^ b; });
}

TEST(ReductionKernels, integers_wrap_around_and_keep_their_sign) {
  expect_integers<std::int8_t, std::uint8_t>(Element::kInt8);
  expect_integers<std::int16_t, std::uint16_t>(Element::kInt16);
  expect_integers<std::int32_t, std::uint32_t>(Element::kInt32);
  expect_integers<std::int64_t, std::uint64_t>(Element::kInt64);
  expect_integers<std::uint8_t, std::uint8_t>(Element::kUint8);
  expect_integers<std::uint16_t, std::uint16_t>(Element::kUint16);
  expect_integers<std::uint32_t, std::uint32_t>(Element::kUint32);
  expect_integers<std::uint64_t, std::uint64_t>(Element::kUint64);
}

TEST(ReductionKernels, floating_point_is_added_and_multiplied_and_nothing_else) {
  expect_as_plain<float>(Operator::kSum, Element::kFloat, [](float a, float b) { return a + b; });
  expect_as_plain<float>(Operator::kProduct, Element::kFloat, [](float a, float b) { return a * b; });
  expect_as_plain<double>(Operator::kSum, Element::kDouble, [](double a, double b) { return a + b; });
  expect_as_plain<double>(Operator::kProduct, Element::kDouble, [](double a, double b) { return a * b; });
  for (const Operator op :
       {Operator::kMinimum, Operator::kMaximum, Operator::kAnd, Operator::kOr, Operator::kXor}) {
    EXPECT_EQ(kernel_of(op, Element::kFloat), nullptr);
    EXPECT_EQ(kernel_of(op, Element::kDouble), nullptr);
  }
}

TEST(CopyBlock, does_what_memmove_does_wherever_the_places_lie) {
  constexpr std::ptrdiff_t kKilo = 1024;
  constexpr std::ptrdiff_t kAll = 2500 * kKilo;
  std::vector<std::byte> before(static_cast<std::size_t>(kAll));
  Random random(11);
  for (std::byte& one : before) one = static_cast<std::byte>(random.below(256));
  for (const std::ptrdiff_t size :
       {std::ptrdiff_t{0}, std::ptrdiff_t{1}, 256 * kKilo, 256 * kKilo + 1, 700 * kKilo + 3})
    for (const std::ptrdiff_t from : {std::ptrdiff_t{0}, 300 * kKilo, 1000 * kKilo})
      for (const std::ptrdiff_t into : {from, from + 1, from + size, from + 300 * kKilo, std::ptrdiff_t{5}}) {
        std::vector<std::byte> wanted = before, seen = before;
        if (size > 0) std::memmove(&wanted[0] + into, &wanted[0] + from, static_cast<std::size_t>(size));
        copy_block(&seen[0] + from, &seen[0] + into, Bytes(size));
        EXPECT_EQ(seen, wanted) << size << " bytes from " << from << " to " << into;
      }
}

}  // namespace
}  // namespace weft::tests
