// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/pattern/window.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace weft {

namespace {

struct WindowMessage {
  int window;
  bool is_send;
  int distance;
  Letter letter;
};

void copy_own(Builder& b, const std::vector<Letter>& outgoing, const std::vector<Letter>& incoming) {
  const auto is_own = [&](const Letter& letter) { return letter.peer == b.self(); };
  auto out = std::find_if(outgoing.begin(), outgoing.end(), is_own);
  auto in = std::find_if(incoming.begin(), incoming.end(), is_own);
  while (out != outgoing.end() && in != incoming.end()) {
    b.copy(out->block, in->block);
    out = std::find_if(out + 1, outgoing.end(), is_own);
    in = std::find_if(in + 1, incoming.end(), is_own);
  }
}

}  // namespace

void exchange_letters(Builder& b, const std::vector<Letter>& outgoing, const std::vector<Letter>& incoming,
                      int window) {
  assert(window >= 1);
  const int n = b.rank_count();
  std::vector<WindowMessage> messages;
  const auto add = [&](const std::vector<Letter>& letters, bool is_send) {
    for (const Letter& letter : letters) {
      const int distance = ((is_send ? letter.peer - b.self() : b.self() - letter.peer) + n) % n;
      if (distance > 0 && letter.block.size > Bytes(0))
        messages.push_back({(distance - 1) / window, is_send, distance, letter});
    }
  };
  add(incoming, false);
  add(outgoing, true);
  std::stable_sort(messages.begin(), messages.end(), [](const WindowMessage& a, const WindowMessage& b) {
    return std::tie(a.window, a.is_send, a.distance) < std::tie(b.window, b.is_send, b.distance);
  });
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& [own_window, is_send, distance, letter] = messages[i];
    // Messages of different windows have no data in common: only a join keeps one window behind the other.
    if (i > 0 && own_window != messages[i - 1].window) b.join();
    if (is_send) b.send(letter.peer, letter.block);
    else b.recv(letter.peer, letter.block);
  }
  copy_own(b, outgoing, incoming);
}

}  // namespace weft
