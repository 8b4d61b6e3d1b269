// SPDX-License-Identifier: BSD-3-Clause
// WAVE_WIDE: a function that is compiled three times, of which the best form is chosen when the program
// starts.
//
// Wide vectors halve the time where the data is in a cache. All forms round alike, as there are no
// contracted products and sums. What such a function calls has to be WAVE_INLINE, to be compiled as it is.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WAVE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WAVE_WIDE
#endif
#define WAVE_INLINE inline __attribute__((always_inline))
#define WAVE_INLINE_LAMBDA __attribute__((always_inline))
