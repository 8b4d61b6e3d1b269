// SPDX-License-Identifier: BSD-3-Clause
// Operation: one execution of a schedule by the host. start(), then progress() until it says that it is over;
// any number of operations may be in flight over one transport.
//
// Made once per plan and used again and again: after its first start nothing is allocated.
// One thread at a time drives an operation; whoever owns it sees to that.
//
// A schedule whose tasks form a chain and stay within the node, as the short ones do, needs no ready set: a
// place in it is enough. So it is run, unless somebody measures its parts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "executor/processor/kernels.hpp"
#include "executor/ready_set.hpp"
#include "observe/milestones.hpp"
#include "observe/times.hpp"
#include "transport/transport.hpp"

namespace weft {

// into = left (+) into, on `bytes` bytes of whole elements: by a kernel, or as `apply` does it.
struct Combine {
  void (*apply)(const void* left, void* into, Bytes bytes, const void* context) = nullptr;
  const void* context = nullptr;
  Kernel kernel = nullptr;

  void operator()(const void* left, void* into, Bytes bytes) const {
    kernel != nullptr ? kernel(left, into, into, bytes) : apply(left, into, bytes, context);
  }
};

// A buffer whose bytes do not lie in memory as the schedule sees them, packed: `size` of them from `at` on
// are copied to and from where they lie.
struct PackedView {
  void (*pack)(const void* context, Bytes at, Bytes size, std::byte* into) = nullptr;
  void (*unpack)(const void* context, Bytes at, Bytes size, const std::byte* from) = nullptr;
  const void* context = nullptr;
  bool in_long_runs = false;  // of neighbouring bytes: almost as fast to read and write as one run
};

// What a start binds the schedule's names to.
struct Binding {
  const void* input = nullptr;
  void* output = nullptr;
  // Given instead of the two addresses, if not null, where the schedule does nothing with the buffer but copy
  // (see only_copies).
  const PackedView* input_view = nullptr;
  const PackedView* output_view = nullptr;
  Combine combine;
  Channel channel = 0;
  std::span<std::byte* const> shared;  // one address per shared buffer, in their order
  std::byte* scratch = nullptr;        // Operation::scratch_bytes() of them, aligned; null: it has its own
};

// Where the buffers are that a binding names, and the scratch ones.
class BufferAddresses {
 public:
  explicit BufferAddresses(std::span<const Buffer> buffers) : addresses_(buffers.size()) {
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      if (buffers[b].role != BufferRole::kScratch) continue;
      scratch_places_.emplace_back(b, scratch_bytes_);
      scratch_bytes_ += padded(buffers[b].size);
    }
  }

  std::size_t scratch_bytes() const { return scratch_bytes_; }
  std::byte*& operator[](std::size_t buffer) { return addresses_[buffer]; }
  std::byte* operator[](std::size_t buffer) const { return addresses_[buffer]; }

  // All but shared ones. Allocates scratch memory of its own, once, where the binding has none.
  void bind(const Binding& binding) {
    addresses_[kInput.value] = static_cast<std::byte*>(const_cast<void*>(binding.input));  // never written
    addresses_[kOutput.value] = static_cast<std::byte*>(binding.output);
    if (scratch_bytes_ > 0) place_scratch(binding.scratch);
  }

 private:
  static constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector

  std::byte* own_scratch() {
    if (!own_scratch_)
      own_scratch_ = std::make_unique_for_overwrite<std::byte[]>(scratch_bytes_ + kAlignment);
    const auto start = reinterpret_cast<std::uintptr_t>(own_scratch_.get());
    return own_scratch_.get() + (kAlignment - start % kAlignment) % kAlignment;
  }
  void place_scratch(std::byte* given) {
    std::byte* const at = given != nullptr ? given : own_scratch();
    if (at == std::exchange(scratch_, at)) return;
    for (const auto& [buffer, offset] : scratch_places_) addresses_[buffer] = at + offset;
  }
  static std::size_t padded(Bytes size) {
    return (static_cast<std::size_t>(size.value) + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::vector<std::byte*> addresses_;  // per buffer
  std::unique_ptr<std::byte[]> own_scratch_;
  std::byte* scratch_ = nullptr;                                     // where its buffers lie
  std::vector<std::pair<std::size_t, std::size_t>> scratch_places_;  // buffers, and where in it
  std::size_t scratch_bytes_ = 0;
};

// Of bytes that lie in memory; they may overlap.
inline void copy_bytes(const std::byte* from, std::byte* into, Bytes size) {
  if (size == Bytes(sizeof(std::uint64_t))) {  // one number, most of the time
    std::uint64_t number = 0;
    std::memcpy(&number, from, sizeof number);
    std::memcpy(into, &number, sizeof number);
  } else {
    copy_block(from, into, size);
  }
}

template <Transport T>
class Operation {
 public:
  explicit Operation(const Schedule& schedule)
      : ready_(schedule),
        pending_(schedule),
        addresses_(schedule.buffers),
        shared_(shared_buffers(schedule)),
        is_last_on_(schedule.buffers.size(), true),
        own_exposed_(own_exposed(schedule)),
        reaches_others_(reaches_others(schedule)),
        is_chain_(StepTransport<T> && own_exposed_.empty() && !reaches_others_ && is_chain(schedule)) {
    done_.resize(std::max<std::size_t>(1, started_count(schedule)));
  }

  const Schedule& schedule() const { return ready_.schedule(); }
  std::size_t tasks_left() const { return in_chain_ ? schedule().tasks.size() - next_ : ready_.remaining(); }
  bool finished() const { return tasks_left() == 0; }
  const typename T::Pending& pending() const { return pending_; }
  typename T::Pending& pending() { return pending_; }

  std::size_t scratch_bytes() const { return addresses_.scratch_bytes(); }

  // Whoever starts an operation fills this in before.
  Binding& binding() { return binding_; }

  // Runs all that can run without waiting. kDone if that was everything.
  Progress start(T& transport) {
    addresses_.bind(binding_);
    for (std::size_t place = 0; place < shared_.size(); ++place)
      addresses_[shared_[place].value] = binding_.shared[place];
    milestones_.start();
    pending_.restart();
    if constexpr (NodeTransport<T>)
      for (const BufferId buffer : own_exposed_) expose(transport, buffer);
    in_chain_ = is_chain_ && !Timed::is_wanted() && !Milestones::are_wanted();
    if (in_chain_) {
      next_ = 0;
      return run_chain(transport);
    }
    ready_.restart();
    return run_ready(transport);
  }
  Progress start(T& transport, const Binding& binding) {
    binding_ = binding;
    return start(transport);
  }

  // Asks the transport once and runs what has become possible.
  Progress progress(T& transport) {
    if (in_chain_) return go_on_in_chain(transport);
    const int count = poll(transport);
    if (count < 0) return Progress::kFailed;
    if (count == 0) return finished() ? Progress::kDone : Progress::kPending;
    const auto done = std::span(done_).first(static_cast<std::size_t>(count));
    if (Milestones::are_wanted()) note_first_data(done);
    for (const TaskId task : done) ready_.complete(task);
    return run_ready(transport);
  }

 private:
  // Tasks that the transport completes.
  static std::size_t started_count(const Schedule& schedule) {
    return static_cast<std::size_t>(
        std::count_if(schedule.tasks.begin(), schedule.tasks.end(),
                      [](const Task& t) { return is_message(t.kind) || is_node_level(t.kind); }));
  }

  Progress run_ready(T& transport) {
    while (ready_.has_ready()) {
      const TaskId task = ready_.take();
      const Progress progress = Timed::is_wanted() ? run_timed(transport, task) : run(transport, task);
      if (progress == Progress::kFailed) return progress;
      if (progress != Progress::kPending) ready_.complete(task);
    }
    if (!finished()) return Progress::kPending;
    milestones_.end();
    return Progress::kDone;
  }

  // Each task waits for the one before it, whatever other edges there are, and for nobody's message.
  static bool is_chain(const Schedule& schedule) {
    for (std::uint32_t id = 0; id < schedule.tasks.size(); ++id) {
      const Task& task = schedule.tasks[id];
      const auto next = schedule.successors_of(TaskId(id));
      if (is_message(task.kind) || task.is_errand() || (is_node_level(task.kind) && task.peer == kLast))
        return false;
      if (id + 1 < schedule.tasks.size() && std::find(next.begin(), next.end(), TaskId(id + 1)) == next.end())
        return false;
    }
    return true;
  }

  Progress run_chain(T& transport) {
    const std::span<const Task> tasks = schedule().tasks;
    for (; next_ < tasks.size(); ++next_) {
      const Task& task = tasks[next_];
      if (is_node_level(task.kind)) {
        if constexpr (StepTransport<T>) {
          const Progress progress = transport.take_step(pending_, TaskId(next_));
          if (progress != Progress::kDone) return progress;
        }
        continue;
      }
      const std::byte* from = addresses_[task.source.value] + task.source_offset.value;
      std::byte* into = addresses_[task.target.value] + task.target_offset.value;
      if (task.kind == TaskKind::kReduce) {
        reduce(from, into, task.size);
      } else if (task.kind == TaskKind::kCopy) {
        if (binding_.combine.kernel != nullptr && is_first_of_fold(TaskId(next_)))
          fold_two(schedule().tasks[++next_], from);
        else copy(task, from, into);
      }
    }
    return Progress::kDone;
  }
  Progress go_on_in_chain(T& transport) {
    if (finished()) return Progress::kDone;
    if constexpr (StepTransport<T>) {
      const Progress progress = transport.look(pending_);
      if (progress != Progress::kDone) return progress;
    }
    ++next_;
    return run_chain(transport);
  }

  void copy(const Task& task, const std::byte* from, std::byte* into) {
    if (binding_.input_view != nullptr || binding_.output_view != nullptr) [[unlikely]]
      return copy_by_views(task, from, into);
    copy_bytes(from, into, task.size);
  }
  const PackedView* view_of(BufferId buffer) const {
    if (buffer == kInput) return binding_.input_view;
    return buffer == kOutput ? binding_.output_view : nullptr;
  }
  [[gnu::noinline]] void copy_by_views(const Task& task, const std::byte* from, std::byte* into) {
    if (task.size == Bytes(0)) return;  // a view may have nothing at all
    const PackedView* const source = view_of(task.source);
    const PackedView* const target = view_of(task.target);
    if (source == nullptr && target == nullptr) return copy_bytes(from, into, task.size);
    if (target == nullptr && source->in_long_runs)
      return source->pack(source->context, task.source_offset, task.size, into);
    if (source == nullptr && target->in_long_runs)
      return target->unpack(target->context, task.target_offset, task.size, from);
    // Copies by pieces that stay in the nearest cache: memory that another core has just used is better read
    // and written in one go than in short runs.
    std::array<std::byte, 4096> piece;
    for (Bytes done; done < task.size; done += Bytes(piece.size())) {
      const Bytes now = std::min(Bytes(piece.size()), task.size - done);
      if (source != nullptr) source->pack(source->context, task.source_offset + done, now, piece.data());
      else copy_bytes(from + done.value, piece.data(), now);
      if (target != nullptr) target->unpack(target->context, task.target_offset + done, now, piece.data());
      else copy_bytes(piece.data(), into + done.value, now);
    }
  }
  void reduce(const std::byte* left, std::byte* into, Bytes size) {
    if (size > Bytes(0)) binding_.combine(left, into, size);
  }

  int poll(T& transport) {
    const Timed timed(Activity::kTesting);
    return transport.poll(pending_, done_);
  }

  void note_first_data(std::span<const TaskId> done) {
    for (const TaskId task : done)
      if (schedule().tasks[task.value].kind != TaskKind::kSend) milestones_.data();
  }

  static constexpr Activity part_of(TaskKind kind) {
    switch (kind) {
      case TaskKind::kCopy: return Activity::kCopies;
      case TaskKind::kReduce: return Activity::kReductions;
      case TaskKind::kJoin: return Activity::kRest;
      default: return Activity::kPosting;
    }
  }

  // A function of its own, which costs the calls nothing where nobody measures.
  [[gnu::noinline]] Progress run_timed(T& transport, TaskId id) {
    const Timed timed(part_of(schedule().tasks[id.value].kind));
    return run(transport, id);
  }

  void expose(T& transport, BufferId id) {
    const Buffer& buffer = schedule().buffers[id.value];
    transport.expose(pending_, binding_.channel, id, addresses_[buffer.of.value] + buffer.offset.value);
  }

  bool is_others(BufferId buffer) const {
    return schedule().buffers[buffer.value].role == BufferRole::kExposed;
  }
  Progress copy_between_ranks(T& transport, const Task& task) {
    bool copied = false;
    if constexpr (NodeTransport<T>) {
      if (is_others(task.source))
        copied = transport.pull(pending_, binding_.channel, task.source_range(),
                                addresses_[task.target.value] + task.target_offset.value);
      else
        copied =
            transport.push(pending_, binding_.channel,
                           addresses_[task.source.value] + task.source_offset.value, task.target_range());
    }
    return copied ? Progress::kDone : Progress::kFailed;
  }

  Progress run(T& transport, TaskId id) {
    const Task& task = schedule().tasks[id.value];
    if (task.is_errand() && !is_last_on_[task.errand.value]) return left_to_others(task);
    if (reaches_others_ && task.kind == TaskKind::kCopy && (is_others(task.source) || is_others(task.target)))
      return copy_between_ranks(transport, task);
    const std::byte* from = addresses_[task.source.value] + task.source_offset.value;
    std::byte* into = addresses_[task.target.value] + task.target_offset.value;
    switch (task.kind) {
      case TaskKind::kSend: return transport.send(pending_, id, binding_.channel, task, from);
      case TaskKind::kRecv: return transport.recv(pending_, id, binding_.channel, task, into);
      case TaskKind::kCopy: copy(task, from, into); return Progress::kDone;
      case TaskKind::kReduce: reduce(from, into, task.size); return Progress::kDone;
      case TaskKind::kJoin: return Progress::kDone;
      case TaskKind::kExchange:
      case TaskKind::kDeliver:
      case TaskKind::kPrefix:
      case TaskKind::kFanIn:
      case TaskKind::kFanOut:
        if constexpr (NodeTransport<T>) return node_level(transport, id, task);
        return Progress::kFailed;
    }
    return Progress::kFailed;
  }

  Progress node_level(T& transport, TaskId id, const Task& task) {
    const Progress progress = transport.node_level(pending_, id, binding_.channel, task);
    if (task.peer == kLast) is_last_on_[task.source.value] = progress != Progress::kNotLast;
    return progress;
  }
  // Another rank does this errand. If it is a node-level step, that rank does what would follow from it, too.
  Progress left_to_others(const Task& errand) {
    if (is_node_level(errand.kind)) is_last_on_[errand.source.value] = false;
    return Progress::kDone;
  }

  // copy x -> t; reduce y -> t: one pass over memory makes t = y (+) x.
  bool is_first_of_fold(TaskId copy) const {
    const auto& tasks = schedule().tasks;
    const std::size_t next = copy.value + 1u;
    return next < tasks.size() && tasks[next].kind == TaskKind::kReduce &&
           tasks[next].target_range() == tasks[copy.value].target_range();
  }
  void fold_two(const Task& reduce, const std::byte* right) {
    const std::byte* left = addresses_[reduce.source.value] + reduce.source_offset.value;
    binding_.combine.kernel(left, right, addresses_[reduce.target.value] + reduce.target_offset.value,
                            reduce.size);
  }

  ReadySet ready_;
  typename T::Pending pending_;
  BufferAddresses addresses_;
  const std::vector<BufferId> shared_;
  std::vector<TaskId> done_;
  Milestones milestones_;
  std::vector<char> is_last_on_;  // per buffer, of lines: of the fan_in there that nobody leads
  const std::vector<BufferId> own_exposed_;
  const bool reaches_others_;
  const bool is_chain_;
  bool in_chain_ = false;
  std::uint32_t next_ = 0;  // in the chain: the task that runs, or waits
  Binding binding_;
};

}  // namespace weft
