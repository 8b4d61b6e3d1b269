// SPDX-License-Identifier: BSD-3-Clause
// libweft-nested.so: says what to do where a program that `weft run` started calls mpiexec itself. Open MPI 4
// starts no job within a job, and says only that.
//
// `weft run` preloads it into scripts on that MPI, beside libweft.so. It defines one function, which that
// mpiexec calls and nobody else, so that nothing of it runs in any other program. The message goes to Weft's
// log.
#include <dlfcn.h>

#include "base/config.hpp"
#include "base/log.hpp"

namespace {

void say_what_to_do() {
  const weft::LocalSettings local = weft::local_settings_from_environment();
  weft::set_log(local.log_file, local.log_to_stderr, "");
  weft::log_message(
      "a program that `weft run` started called mpiexec, and Open MPI 4 starts no job within a job. Start "
      "the script "
      "without `weft run`: as it is, by `env $(weft env --mpi openmpi) SCRIPT`; or write in it `weft run -n "
      "N -- "
      "PROGRAM` for `mpiexec -n N PROGRAM`, or `mpiexec -n N env $(weft env PROGRAM) PROGRAM`");
}

}  // namespace

// Within a job it fails before it does anything. Its arguments, all of them pointers, are Open MPI's affair.
extern "C" __attribute__((visibility("default"))) int orte_submit_job(void* a, void* b, void* c, void* d,
                                                                      void* e, void* f) {
  using Submit = int (*)(void*, void*, void*, void*, void*, void*);
  const auto open_mpis = reinterpret_cast<Submit>(::dlsym(RTLD_NEXT, "orte_submit_job"));
  const int code = open_mpis(a, b, c, d, e, f);
  if (code != 0) say_what_to_do();
  return code;
}
