// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for an accelerator: memory that traps whoever touches it, but for the driver's own copies, which
// happen when their stream is waited for, and only in the context or device that the memory belongs to.
#pragma once

#include <stddef.h>

// Memory of the accelerator; never freed.
void* accelerator_allocate(size_t bytes);
// As the program's own copies: complete on return.
void accelerator_write(void* there, const void* from, size_t bytes);
void accelerator_read(void* into, const void* there, size_t bytes);
// Copies that somebody has had done by the driver's entry points.
long accelerator_copies(void);
