// SPDX-License-Identifier: BSD-3-Clause
// Chain: an archive from its first byte to its last, as rank 0 sees it: cut into pieces that ranks can decode
// by themselves, and what they say joined up again, without a gap.
//
//   cut     ahead | piece | piece | piece | piece        where pieces seem to be
//   join    behind| sound, ends where the next begins |  where they are: only this counts
//
// Whatever is wrong with the archive is BadInput that names the byte.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decoded_piece.hpp"
#include "decoder.hpp"
#include "window.hpp"

namespace compress {

class Chain {
 public:
  /// What becomes of a piece that a rank has decoded.
  enum class Verdict {
    kTaken,
    kDropped,   ///< it was none: what looked like its beginning is inside another one
    kReplaced,  ///< rank 0 had to decode it once more, with what is behind it
  };

  /// By the archive's first bytes. `wanted`: whether somebody wants what is in it.
  static std::unique_ptr<Chain> of(Window& window, const std::string& name, bool wanted);

  Chain(Window& window, std::string name) : window_(window), name_(std::move(name)) {}
  virtual ~Chain() = default;
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  /// The next piece; its bytes are in the window. False: there is none before go_on() has been asked.
  virtual bool cut(PieceOrder& order) = 0;
  /// For all pieces, in order. `own`: what comes out if it is replaced.
  virtual Verdict join(const PieceOrder& order, const PieceResult& result,
                       std::vector<std::uint8_t>& own) = 0;
  /// When all pieces are joined: what cannot be cut into pieces goes to `sink`. False: this was the end.
  virtual bool go_on(const Sink& sink) = 0;

  Window& window() { return window_; }
  const Decoded& decoded() const { return decoded_; }

 protected:
  [[noreturn]] void refuse(const std::string& what, std::uint64_t byte) const;
  [[noreturn]] void refuse_as_cut_off() const;
  /// So far everything is as it should be.
  void move_to_byte(std::uint64_t byte) {
    decoded_.bytes_in = byte;
    window_.drop_before(byte);
  }

  Window& window_;
  std::string name_;
  Decoded decoded_;
};

}  // namespace compress
