// SPDX-License-Identifier: BSD-3-Clause
// What Weft says on MPI_COMM_WORLD of calls: explained FOLDER COLLECTIVE ROOT BYTES, the last three as often
// as wanted. Every rank writes the sentence and its schedule of each to FOLDER/<number of the call>.<rank>.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "check.h"

enum { kMost = 16 << 20 };
typedef int Say(int communicator, const char* collective, int root, int64_t bytes, char* text,
                size_t capacity);

static int handle_of_world(void) {
#if MPI_VERSION >= 5 && !defined OPEN_MPI && !defined MPICH_VERSION
  return MPI_Comm_toint(MPI_COMM_WORLD);
#else
  return MPI_Comm_c2f(MPI_COMM_WORLD);
#endif
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  Say* const sentence = (Say*)dlsym(RTLD_DEFAULT, "weft_explain_on");
  Say* const schedule = (Say*)dlsym(RTLD_DEFAULT, "weft_schedule_on");
  CHECK(sentence != NULL && schedule != NULL, "Weft is loaded");
  char* const text = malloc(kMost);
  for (int i = 2; i + 2 < argc; i += 3) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.%d", argv[1], (i - 2) / 3, world_rank);
    FILE* const file = fopen(path, "w");
    CHECK(file != NULL, "%s", path);
    Say* const both[] = {sentence, schedule};
    for (int k = 0; k < 2; ++k) {
      const int code =
          both[k](handle_of_world(), argv[i], atoi(argv[i + 1]), atoll(argv[i + 2]), text, kMost);
      CHECK(code == 0, "%s: code %d", argv[i], code);
      fprintf(file, "%s\n", text);
    }
    fclose(file);
  }
  free(text);
  return end("%d calls", (argc - 2) / 3);
}
