// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/far.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "device/agent.hpp"
#include "mpi/arguments/type_contents.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/host/host.hpp"
#include "mpi/window/far_end.hpp"
#include "mpi/window/orders.hpp"
#include "mpi/window/update.hpp"
#include "mpi/window/window.hpp"

namespace weft::mpi::window {
namespace {

// To write so much to sockets takes longer than to wake the agent for it.
constexpr Bytes kLongToSend{32 << 10};

Data as_bytes(std::byte* at, Bytes size) {
  Data bytes{at, size.value, MPI_BYTE};
  learn_facts({&bytes});
  return bytes;
}

}  // namespace

class FarTransfer final : public Transfer {
 public:
  // Inside MPI: everything that needs the host is done here and, with what is answered, in advance().
  FarTransfer(Window& window, const Access& access) : Transfer(access.target), window_(window) {
    switch (access.kind) {
      case Kind::kPut: prepare_put(access); break;
      case Kind::kGet: prepare_get(access); break;
      case Kind::kAccumulate:
      case Kind::kFetch: prepare_update(access); break;
      case Kind::kCompareAndSwap: prepare_compare_and_swap(access);
    }
    outbox_ = std::make_unique<wire::Outbox>(pieces_.size());
    is_agents_ = true;
    keeps_order_ = access.kind != Kind::kPut && access.kind != Kind::kGet && !pieces_.empty();
    if (!keeps_order_) return;
    const auto lock = agent()->lock();
    window_.far->unsent(target()).push_back(this);
  }
  ~FarTransfer() override {
    const auto lock = agent()->lock();
    if (progress() == Progress::kPending) agent()->withdraw(*this);
    if (keeps_order_) std::erase(window_.far->unsent(target()), this);
    agent()->wire().forget(*outbox_);
    for (const Piece& piece : pieces_)
      if (piece.answer != 0) window_.far->forget_answer(piece.answer);
    if (answer_for_.type != MPI_DATATYPE_NULL && !is_given_by_mpi(answer_for_.type))
      host::free_type(&answer_for_.type);
  }

  Bytes bytes_to_send() const {
    Bytes all(0);
    for (const Piece& piece : pieces_) all = all + piece.size;
    return all;
  }
  bool advance() override {
    if (progress() == Progress::kPending) return false;
    if (progress() == Progress::kFailed && error_ == MPI_SUCCESS) error_ = MPI_ERR_OTHER;
    if (error_ == MPI_SUCCESS && answered_.at != nullptr) error_ = copy(answered_, answer_for_);
    answered_.at = nullptr;
    return true;
  }
  Progress move() override {
    if (error_ != MPI_SUCCESS) return Progress::kDone;
    if (!window_.is_open(target())) return go_on();
    if (!is_sent_ && !send_in_order()) return Progress::kFailed;
    if (is_refused_) return Progress::kFailed;
    std::array<TaskId, 16> done;
    for (int count = 1; count != 0;) {
      count = outbox_->take_completed(done);
      if (count < 0) return Progress::kFailed;
      under_way_ -= count;
    }
    return under_way_ > 0 || to_be_answered_ > 0 ? go_on() : Progress::kDone;
  }

 private:
  struct Piece {
    Saying what;
    std::uint64_t number;
    const std::byte* from;
    Bytes size;
    std::byte* answer_into = nullptr;
    std::int64_t answer_bytes = 0;
    std::uint64_t answer = 0;
  };

  Progress go_on() const { return window_.far->reaches(target()) ? Progress::kPending : Progress::kFailed; }

  // What has to go before it goes now, and what waits behind it as well: the target is open for all of them.
  bool send_in_order() {
    if (!keeps_order_) return send();
    std::deque<FarTransfer*>& unsent = window_.far->unsent(target());
    while (!unsent.empty()) {
      FarTransfer& next = *unsent.front();
      unsent.pop_front();
      next.is_refused_ = !next.send();
    }
    return !is_refused_;
  }
  bool send() {
    is_sent_ = true;
    for (Piece& piece : pieces_) {
      if (piece.answer_into != nullptr) {
        piece.answer = window_.far->expect_answer(piece.answer_into, piece.answer_bytes, to_be_answered_);
        reinterpret_cast<OrderHead*>(const_cast<std::byte*>(piece.from))->answer = piece.answer;
      }
      const Progress progress =
          window_.far->send(target(), piece.what, piece.number, piece.from, piece.size, *outbox_);
      if (progress == Progress::kFailed) return false;
      under_way_ += progress == Progress::kPending;
    }
    return true;
  }

  // As runs of the target's part of the window.
  static std::vector<ByteRun> placed(const Access& access, std::vector<ByteRun> runs) {
    for (ByteRun& run : runs) run.at += access.at;
    return runs;
  }

  // `answers`: where what the runs hold, one after another, comes back to.
  void order(const OrderHead& head, std::span<const ByteRun> runs, const std::byte* data, std::byte* answers,
             std::span<const std::byte> behind = {}) {
    envelopes_ = envelopes_of(head, runs, data, window_.far->longest(), behind);
    for (const Envelope& envelope : envelopes_) {
      Piece& piece = pieces_.emplace_back(Saying::kOrder, 0, envelope.memory.data(), envelope.size);
      if (answers == nullptr) continue;
      piece.answer_into = answers + envelope.from;
      piece.answer_bytes = envelope.bytes;
      to_be_answered_ += envelope.bytes;
    }
  }
  // What comes back goes to the data's place at once, or is unpacked there in the end.
  std::byte* answers_for(const Data& into, const Data& as_it_comes) {
    if (plain_bytes(into) == into.bytes() && as_it_comes.type == MPI_BYTE) return first_byte(into);
    if (into.type == as_it_comes.type) return into.at;
    answered_ = as_it_comes;
    answered_.at = answer_memory_.get(static_cast<std::size_t>(as_it_comes.count * as_it_comes.facts.extent));
    answer_for_ = into;
    if (!is_given_by_mpi(into.type))
      PMPI_Type_dup(into.type, &answer_for_.type);  // the program may free its own
    return answered_.at;
  }

  void prepare_put(const Access& access) {
    const Bytes bytes = access.origin.bytes();
    if (bytes == Bytes(0)) return;
    const std::byte* from = first_byte(access.origin);
    if (plain_bytes(access.origin) != bytes) {
      std::byte* const packed = packed_.get(static_cast<std::size_t>(bytes.value));
      error_ = copy(access.origin, as_bytes(packed, bytes));
      from = packed;
    }
    if (plain_bytes(access.there) != bytes)
      return order({.does = Does::kScatter}, placed(access, runs_of(access.there)), from, nullptr);
    const std::int64_t begin = access.at + access.there.facts.lower;
    const std::int64_t most = window_.far->longest().value;
    for (std::int64_t at = 0; at < bytes.value; at += most)
      pieces_.emplace_back(Saying::kWrite, static_cast<std::uint64_t>(begin + at), from + at,
                           Bytes(std::min(most, bytes.value - at)));
  }

  void prepare_get(const Access& access) {
    const Bytes bytes = access.there.bytes();
    if (bytes == Bytes(0)) return;
    order({.does = Does::kGather}, placed(access, runs_of(access.there)), nullptr,
          answers_for(access.origin, as_bytes(nullptr, bytes)));
  }

  void prepare_update(const Access& access) {
    const Data basic = one_basic(access.there.type);
    const auto op = number_of_operator(access.op), type = number_of_type(basic.type);
    const MPI_Count extent = basic.facts.extent;
    if (!op || !type) error_ = !op ? MPI_ERR_OP : MPI_ERR_TYPE;
    // A predefined type with padding travels with it.
    const std::vector<ByteRun> runs = placed(access, runs_of_elements(access.there, basic.facts));
    std::int64_t bytes = 0;
    for (const ByteRun& run : runs) bytes += run.bytes;
    if (error_ != MPI_SUCCESS || bytes == 0) return;
    const bool reads_only = access.kind == Kind::kFetch && access.op == MPI_NO_OP;
    Data array = basic;
    array.count = bytes / extent;
    std::byte* const answers = access.kind == Kind::kFetch ? answers_for(access.result, array) : nullptr;
    if (reads_only) array.at = packed_.get(static_cast<std::size_t>(bytes));
    array_.emplace(reads_only ? array : access.origin, basic);
    error_ = array_->code();
    order({.does = access.kind == Kind::kFetch ? Does::kFetch : Does::kUpdate,
           .op = *op,
           .type = *type,
           .element_bytes = static_cast<std::uint32_t>(extent)},
          runs, array_->array().at, answers);
  }

  void prepare_compare_and_swap(const Access& access) {
    const Bytes bytes = access.there.bytes();
    const std::vector<ByteRun> runs{{access.at, bytes.value}};
    order({.does = Does::kCompareAndSwap}, runs, static_cast<const std::byte*>(access.compared),
          access.result.at, std::span(access.origin.at, static_cast<std::size_t>(bytes.value)));
  }

  Window& window_;
  std::vector<Piece> pieces_;
  std::vector<Envelope> envelopes_;
  PlainMemory packed_, answer_memory_;
  std::optional<AsArray> array_;
  Data answered_, answer_for_;  // the first is copied to the second in the end, if it is anywhere
  std::unique_ptr<wire::Outbox> outbox_;
  std::int64_t under_way_ = 0, to_be_answered_ = 0;
  bool is_sent_ = false, is_refused_ = false;
  bool keeps_order_ = false;  // with the other updates of the target's memory
};

// The rank sends what is short by itself, if its target is open; the agent the rest, as soon as it is.
int access_far(Window& window, const Access& access) {
  auto transfer = std::make_unique<FarTransfer>(window, access);
  if (transfer->bytes_to_send() >= kLongToSend) {
    agent()->hand_over(*transfer);
  } else {
    const auto lock = agent()->lock();
    const Progress progress = transfer->move();
    if (progress == Progress::kDone) return transfer->error();
    if (progress == Progress::kFailed) return MPI_ERR_OTHER;
    agent()->begin(*transfer);
    agent()->expect_to_be_left();
    agent()->watch();
  }
  const InEngine inside;
  window.transfers.push_back(std::move(transfer));
  return MPI_SUCCESS;
}

}  // namespace weft::mpi::window
