// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/check.hpp"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "base/fnv1a.hpp"
#include "base/log.hpp"
#include "mpi/arguments/reduction.hpp"
#include "mpi/arguments/signature.hpp"
#include "mpi/call/shape.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/host/host.hpp"

namespace weft::mpi {
namespace {

constexpr Nanoseconds kPatienceWithOthers{10'000'000'000};
MPI_Comm check_comm = MPI_COMM_NULL, block_comm = MPI_COMM_NULL;

template <std::size_t Size>
void copy_text(char (&into)[Size], std::string_view text) {
  const std::size_t length = std::min(text.size(), Size - 1);
  std::memcpy(into, text.data(), length);
  into[length] = '\0';
}

std::string name_of_type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  PMPI_Type_get_name(type, name.data(), &length);
  return length > 0 ? std::string(name.data()) : "a derived datatype";
}

std::string name_of_communicator(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  PMPI_Comm_get_name(comm, name.data(), &length);
  return length > 0 ? std::string(name.data()) : "a communicator without a name";
}

// The elements that all ranks describe alike, maybe in other layouts: a block, the whole message, or all
// blocks of a list.
struct Elements {
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<MPI_Count> of_blocks = {};  // given only if all ranks list them

  bool can_be_compared() const { return type != MPI_DATATYPE_NULL && count >= 0; }
  std::string text() const {
    return of_blocks.empty() ? fmt::format("{} of {}", count, name_of_type(type))
                             : fmt::format("{} of {}", fmt::join(of_blocks, "+"), name_of_type(type));
  }
};

Elements listed_elements(const Arguments& a, int size) {
  Elements all{.type = is_reduction(a.collective) ? a.sendtype : a.recvtype};
  if (a.lists->recvcounts.are_missing()) return {};
  for (int rank = 0; rank < size; ++rank) {
    all.of_blocks.push_back(a.lists->recvcounts[rank]);
    all.count += all.of_blocks.back();
  }
  return all;
}

Elements common_elements(const Arguments& a, bool is_root, int size) {
  if (a.collective == Collective::kReduceScatter || a.collective == Collective::kAllgatherv)
    return listed_elements(a, size);
  if (is_reduction(a.collective)) return {a.sendcount, a.sendtype};
  if (has_parcels(a.collective) || a.collective == Collective::kBarrier) return {};
  const bool sends_it = a.collective == Collective::kGather ? !is_root : scatters(a.collective) && is_root;
  return sends_it ? Elements{a.sendcount, a.sendtype} : Elements{a.recvcount, a.recvtype};
}

CheckedElements described(const Elements& elements) {
  if (elements.count == 0 && elements.of_blocks.empty()) return {.comparable = 1};  // maybe of no type
  const Signature one = signature_of(elements.type), all = elements.count * one;
  Fnv1a counts;
  for (const MPI_Count count : elements.of_blocks) counts.add(static_cast<std::uint64_t>(count) * one.length);
  return {all.hash, all.length, elements.of_blocks.empty() ? 0 : counts.value(), all.is_known ? 1u : 0u};
}

CheckedBlock described(const Block& block) {
  CheckedBlock one;
  one.elements = described(Elements{block.count, block.type});
  copy_text(one.text, block.count == 0 ? "nothing" : Elements{block.count, block.type}.text());
  return one;
}

std::string ordinal(std::uint64_t number) {
  const bool is_teen = number / 10 % 10 == 1;
  const auto* ending = is_teen            ? "th"
                       : number % 10 == 1 ? "st"
                       : number % 10 == 2 ? "nd"
                       : number % 10 == 3 ? "rd"
                                          : "th";
  return fmt::format("{}{}", number, ending);
}

// How the data of two ranks' calls differ, in the words of the standard; empty where they match.
std::string difference(const CheckedElements& a, const CheckedElements& b) {
  if (a.comparable == 0 || b.comparable == 0) return "";
  if (a.counts != b.counts) return "the lists of counts differ";
  if (a.length != b.length) return "the numbers of basic elements differ";
  if (a.signature != b.signature) return "the basic datatypes differ";
  return "";
}
std::string difference(const CheckedCall& a, const CheckedCall& b) {
  if (std::strcmp(a.function, b.function) != 0) return "they call different functions";
  if (a.root != b.root) return "the roots differ";
  if (std::strcmp(a.op, b.op) != 0) return "the operators differ";
  return difference(a.elements, b.elements);
}

template <class List>
void forget_arrived(List& sent) {
  sent.remove_if([](auto& one) {
    int done = 0;
    PMPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

}  // namespace

Checker::Checker(Communicator& communicator) : communicator_(communicator) {
  const int size = communicator.size, rank = communicator.rank;
  left_ = (rank + size - 1) % size;
  left_in_world_ = communicator.world_rank[static_cast<std::size_t>(left_)];
  const auto right = static_cast<std::size_t>((rank + 1) % size);
  right_in_world_ = communicator.world_rank[right];
  id_at_right_ = communicator.ids[right];
  name_ = name_of_communicator(communicator.handle);
}

Checker::~Checker() {
  const auto give_up = [](MPI_Request& receive) {
    if (receive == MPI_REQUEST_NULL) return;
    host::cancel(&receive);
    PMPI_Wait(&receive, MPI_STATUS_IGNORE);
  };
  give_up(receive_);
  for (Expected& block : expected_) give_up(block.request);
  for (auto& sent : sent_) PMPI_Wait(&sent.request, MPI_STATUS_IGNORE);
  for (auto& sent : sent_blocks_) PMPI_Wait(&sent.request, MPI_STATUS_IGNORE);
}

void Checker::tell(const char* function, const Arguments& a) {
  CheckedCall call;
  name_ = name_of_communicator(communicator_.handle);
  copy_text(call.function, function);
  const bool rooted = is_rooted(a.collective), reduces = is_reduction(a.collective);
  if (rooted) call.root = a.root;
  if (reduces) copy_text(call.op, name_of_operator(a.op));
  const Elements elements = common_elements(a, communicator_.rank == a.root, communicator_.size);
  std::string text;
  if (elements.can_be_compared()) {
    call.elements = described(elements);
    text = elements.text();
  }
  compare_with_itself(function, a);
  if (reduces) text += (text.empty() ? "" : ", ") + std::string(call.op);
  if (rooted) text += fmt::format("{}root {}", text.empty() ? "" : ", ", a.root);
  copy_text(call.text, fmt::format("{}({})", function, text));
  tell(call);
  if (has_parcels(a.collective) && !knows_all_blocks(a.collective)) tell_blocks(a);
  progress();
}

// What a rank sends to itself has to be as long as what it receives from itself. Forms whose blocks are told
// to their receivers are compared there as well.
void Checker::compare_with_itself(const char* function, const Arguments& a) const {
  const bool is_even = a.collective == Collective::kAllgather || a.collective == Collective::kAlltoall;
  const bool lists_all = a.collective == Collective::kAllgatherv && !a.lists->recvcounts.are_missing();
  const bool at_root = (a.collective == Collective::kGather || a.collective == Collective::kScatter) &&
                       communicator_.rank == a.root;
  if ((!is_even && !lists_all && !at_root) || a.sendbuf == MPI_IN_PLACE || a.recvbuf == MPI_IN_PLACE) return;
  const Elements sent{a.sendcount, a.sendtype};
  const Elements received{lists_all ? a.lists->recvcounts[communicator_.rank] : a.recvcount, a.recvtype};
  if (!sent.can_be_compared() || !received.can_be_compared()) return;
  if (difference(described(sent), described(received)).empty()) return;
  announce(fmt::format("rank {} of {} calls {} to send {}, but to receive {}, from itself, too",
                       communicator_.rank, name_, function, sent.text(), received.text()));
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

// A call with wrong arguments tells nothing: the host reports it. Messages between two ranks arrive in the
// order in which both list their blocks (the rule of parcels.hpp).
void Checker::tell_blocks(const Arguments& a) {
  static Shape& shape = *new Shape;  // under the lock; its memory is used again
  take_shape(a, communicator_, shape);
  const auto& [outgoing, incoming] = shape.key.parcels;
  const auto in_world = [&](Rank rank) {
    return communicator_.world_rank[static_cast<std::size_t>(rank.value)];
  };
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    Expected& block = expected_.emplace_back();
    block.call = last_;
    block.from = incoming[i].peer.value;
    block.mine = described(shape.output.blocks[i]);
    PMPI_Irecv(&block.theirs, sizeof block.theirs, MPI_BYTE, in_world(incoming[i].peer), communicator_.id(),
               block_comm, &block.request);
  }
  for (std::size_t i = 0; i < outgoing.size(); ++i) {
    auto& sent = sent_blocks_.emplace_back();
    sent.message = described(outgoing_block(shape, communicator_.rank, i));
    sent.message.number = last_.number;
    PMPI_Isend(&sent.message, sizeof sent.message, MPI_BYTE, in_world(outgoing[i].peer),
               communicator_.ids[static_cast<std::size_t>(outgoing[i].peer.value)], block_comm,
               &sent.request);
  }
}

void Checker::tell_end(const char* function) {
  if (std::exchange(has_told_end_, true)) return;
  CheckedCall end;
  copy_text(end.function, function);
  copy_text(end.text, fmt::format("{}, and no more collectives", function));
  tell(end);
  progress();
}

void Checker::tell(const CheckedCall& call) {
  auto& sent = sent_.emplace_back();
  sent.message = call;
  sent.message.number = ++told_;
  PMPI_Isend(&sent.message, sizeof sent.message, MPI_BYTE, right_in_world_, id_at_right_, check_comm,
             &sent.request);
  last_ = sent.message;
  mine_.push_back(last_);
  waiting_since_ = elapsed_time();
}

void Checker::progress() {
  forget_arrived(sent_);
  forget_arrived(sent_blocks_);
  for (int done = 1; done != 0 && !mine_.empty();) {
    if (receive_ == MPI_REQUEST_NULL)
      PMPI_Irecv(&arriving_, sizeof arriving_, MPI_BYTE, left_in_world_, communicator_.id(), check_comm,
                 &receive_);
    PMPI_Test(&receive_, &done, MPI_STATUS_IGNORE);
    if (done == 0) break;
    compare(mine_.front(), arriving_);
    mine_.pop_front();
  }
  expected_.remove_if([this](Expected& block) {
    int done = 0;
    PMPI_Test(&block.request, &done, MPI_STATUS_IGNORE);
    if (done != 0) compare(block);
    return done != 0;
  });
  complain_about_waiting();
}

bool Checker::is_done() const { return mine_.empty() && expected_.empty(); }

void Checker::compare(const CheckedCall& mine, const CheckedCall& theirs) {
  const std::string what = difference(mine, theirs);
  if (what.empty()) return;
  announce(
      fmt::format("ranks {0} and {1} of {2} do not agree about their {3} collective there: {4}\n"
                  "  rank {0}: {5}\n  rank {1}: {6}",
                  left_, communicator_.rank, name_, ordinal(mine.number), what, theirs.text, mine.text));
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

void Checker::compare(const Expected& block) const {
  if (block.theirs.number != block.call.number) return;  // some neighbours' calls differ: they report it
  const std::string what = difference(block.theirs.elements, block.mine.elements);
  if (what.empty()) return;
  announce(fmt::format(
      "ranks {0} and {1} of {2} do not agree about a block in their {3} collective there, {4}: {5}\n"
      "  rank {0} sends rank {1}: {6}\n  rank {1} expects from rank {0}: {7}",
      block.from, communicator_.rank, name_, ordinal(block.call.number), block.call.text, what,
      block.theirs.text, block.mine.text));
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

void Checker::complain_about_waiting() {
  if (is_done() || has_complained_ || elapsed_time() - waiting_since_ < kPatienceWithOthers) return;
  has_complained_ = true;
  const bool waits_for_left = !mine_.empty();
  const CheckedCall& call = waits_for_left ? mine_.front() : expected_.front().call;
  const int other = waits_for_left ? left_ : expected_.front().from;
  announce(
      fmt::format("rank {} of {} is in its {} collective there, {}, and rank {} has not {} for ten seconds",
                  communicator_.rank, name_, ordinal(call.number), call.text, other,
                  waits_for_left ? "come to that one" : "said what it sends there"));
}

void start_checking() {
  make_checks = [](Communicator& communicator) -> std::unique_ptr<CallChecks> {
    return std::make_unique<Checker>(communicator);
  };
  for (MPI_Comm* comm : {&check_comm, &block_comm}) {
    PMPI_Comm_dup(MPI_COMM_WORLD, comm);
    PMPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
  }
}

void stop_checking() {
  for (MPI_Comm* comm : {&check_comm, &block_comm})
    if (*comm != MPI_COMM_NULL) PMPI_Comm_free(comm);
}

}  // namespace weft::mpi
