// SPDX-License-Identifier: BSD-3-Clause
#include "inside.h"

#include <dlfcn.h>
#include <stddef.h>

#include "../../include/weft/weft.h"  // for its types and constants

const char* const inside_part_names[kInsideParts] = {"planning", "copies",  "reductions",
                                                     "posting",  "testing", "rest"};

int inside_take(enum inside_times what) {
  static const int wanted[] = {[kNoTimes] = 0,
                               [kOperationTimes] = WEFT_TIMES_OPERATIONS,
                               [kElapsedParts] = WEFT_TIMES_OPERATIONS | WEFT_TIMES_PARTS,
                               [kCpuParts] = WEFT_TIMES_OPERATIONS | WEFT_TIMES_PARTS | WEFT_TIMES_ON_CORE};
  int (*const take)(int) = __extension__(int (*)(int)) dlsym(RTLD_DEFAULT, "weft_take_times");
  return take != NULL && take(wanted[what]) == WEFT_SUCCESS;
}

struct wakes inside_wakes(void) {
  static int (*ask)(struct weft_agents*);
  if (ask == NULL) ask = __extension__(int (*)(struct weft_agents*)) dlsym(RTLD_DEFAULT, "weft_agents");
  struct weft_agents said = {0};
  if (ask != NULL) ask(&said);
  return (struct wakes){.agent = (double)said.wakes, .trigger = (double)said.trigger_wakes};
}

struct inside inside_taken(void) {
  static int (*times)(struct weft_times*);
  if (times == NULL) times = __extension__(int (*)(struct weft_times*)) dlsym(RTLD_DEFAULT, "weft_times");
  struct weft_times t;
  times(&t);
  return (struct inside){.operations = (double)t.operations,
                         .until_first_data_ns = t.until_first_data_ns,
                         .ns = {[kPlanning] = t.planning.ns,
                                [kCopies] = t.copies.ns,
                                [kReductions] = t.reductions.ns,
                                [kPosting] = t.posting.ns,
                                [kTesting] = t.testing.ns,
                                [kRest] = t.rest.ns}};
}
