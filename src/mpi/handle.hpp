// SPDX-License-Identifier: BSD-3-Clause
// MPI handles as numbers: pointers in one host, integers in another.
#pragma once

#include <cstdint>
#include <type_traits>

namespace weft::mpi {

using HandleKey = std::uintptr_t;

template <class Handle>
HandleKey key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) return reinterpret_cast<HandleKey>(handle);
  else return static_cast<HandleKey>(static_cast<std::make_unsigned_t<Handle>>(handle));
}

}  // namespace weft::mpi
