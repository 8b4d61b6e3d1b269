// SPDX-License-Identifier: BSD-3-Clause
// weft._core: the compiled core for Python. It only passes on: what an algorithm does, whether it is right
// and how it is drawn is decided in C++. Errors become ValueError with the core's message. Long calls release
// the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <string>

#include "base/config.hpp"
#include "base/result.hpp"

namespace weft {

namespace nb = nanobind;
using namespace nb::literals;

using WithoutGil = nb::call_guard<nb::gil_scoped_release>;

[[noreturn]] inline void refuse(const std::string& message) { throw nb::value_error(message.c_str()); }

template <class T>
T value_or_refuse(Result<T> result) {
  if (!result) refuse(result.error());
  return std::move(*result);
}

// What rank 0 of a job would use that started here and now.
inline Settings settings_here() { return value_or_refuse(settings_of_rank_0()); }

// Collectives, algorithms, settings.
void bind_catalog(nb::module_& m);
// Topologies, hierarchies, this machine.
void bind_topology(nb::module_& m);
// What is told about schedules.
void bind_reports(nb::module_& m);

}  // namespace weft
