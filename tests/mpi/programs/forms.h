// SPDX-License-Identifier: BSD-3-Clause
// One collective in every form that it has. START(form, Name, name, arguments…) calls MPI_Name, or starts
// MPI_Iname, or makes MPI_Name_init and starts that; settle() ends what was started. A persistent operation
// is made at the first turn, started at each, and freed at the last. CALL does not start it.
#pragma once

#include "check.h"

enum { kBlocking, kNonblocking, kPersistent, kForms, kTurns = 3 };

static const char* const form_names[] = {"blocking", "non-blocking", "persistent"};
static int form, turn, settled;
static MPI_Request request = MPI_REQUEST_NULL;

#define CALL(Name, name, ...)                                          \
  do {                                                                 \
    if (form == kBlocking) MPI_##Name(__VA_ARGS__);                    \
    else if (form == kNonblocking) MPI_I##name(__VA_ARGS__, &request); \
    else INIT(Name)(__VA_ARGS__, MPI_INFO_NULL, &request);             \
  } while (0)
#define START(Name, name, ...)                                           \
  do {                                                                   \
    if (form != kPersistent || turn == 0) CALL(Name, name, __VA_ARGS__); \
    if (form == kPersistent) MPI_Start(&request);                        \
  } while (0)

static inline int turns(void) { return form == kPersistent ? kTurns : 1; }

static inline void settle(void) {
  if (form == kBlocking) return;
  int flag = 0;
  if (settled++ % 3 == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  if (!flag) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (form == kNonblocking) CHECK(request == MPI_REQUEST_NULL, "a request is left");
  if (form == kPersistent) CHECK(request != MPI_REQUEST_NULL, "a persistent request is gone");
  if (form == kPersistent && turn == turns() - 1) MPI_Request_free(&request);
}
