// SPDX-License-Identifier: BSD-3-Clause
// The part of weft.h that needs no MPI.
#include "explain/site.hpp"
#include "explain/text_for_caller.hpp"
#include "planner/decision.hpp"
#include "weft/weft.h"

#define WEFT_PUBLIC extern "C" __attribute__((visibility("default")))

WEFT_PUBLIC const char* weft_error_string(int code) {
  switch (code) {
    case WEFT_SUCCESS: return "success";
    case WEFT_ERROR_UNKNOWN_FUNCTION:
      return "Weft does not count this function: use a name such as MPI_Iallreduce";
    case WEFT_ERROR_UNKNOWN_COLLECTIVE: return "Weft has no such collective: use a name such as allreduce";
    case WEFT_ERROR_ARGUMENT: return "an argument is null, negative or out of range: see weft.h";
    case WEFT_ERROR_TRUNCATED: return "the text did not fit: pass a larger buffer";
    case WEFT_ERROR_SETTINGS: return "a setting makes no sense: `weft doctor` and the log name it";
    case WEFT_ERROR_NO_TIMES: return "no times are taken: set WEFT_TIMES=1, or call weft_take_times";
    default: return "no error code of Weft: see weft.h";
  }
}

WEFT_PUBLIC int weft_explain(const char* collective, int ranks, int root, int64_t bytes, char* text,
                             size_t capacity) {
  if (collective == nullptr || text == nullptr || capacity == 0) return WEFT_ERROR_ARGUMENT;
  if (ranks < 1 || root < 0 || root >= ranks || bytes < 0) return WEFT_ERROR_ARGUMENT;
  const auto which = weft::collective_named(collective);
  if (!which) return WEFT_ERROR_UNKNOWN_COLLECTIVE;
  weft::Call call{.collective = *which, .rank_count = ranks, .bytes = weft::Bytes(bytes)};
  if (weft::is_rooted(*which)) call.root = weft::Rank(root);
  const auto settings = weft::settings_of_rank_0();
  if (!settings) return WEFT_ERROR_SETTINGS;
  const auto site = weft::site_of(ranks, settings->shared);
  if (!site) return WEFT_ERROR_SETTINGS;
  const auto decision = weft::decide(call, site->placement(settings->shared), settings->shared);
  return weft::give_text(weft::sentence(decision), text, capacity);
}
