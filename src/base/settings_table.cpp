// SPDX-License-Identifier: BSD-3-Clause
// Every setting: its name, whose it is, what it means, where it is kept and what it may be.
#include <array>

#include "base/config.hpp"

namespace weft {
namespace {

constexpr Bytes kLine{128};

constexpr std::array kTable = {
    Setting{"WEFT_ENABLE", Scope::kCommunicator, "", "0 leaves every call to the host MPI",
            Flag{[](Settings& s) -> bool& { return s.shared.enabled; }}},
    Setting{"WEFT_REPRODUCIBLE", Scope::kJob, "",
            "1: the order of additions depends on the number of ranks alone",
            Flag{[](Settings& s) -> bool& { return s.shared.reproducible; }}},
    Setting{"WEFT_ROUNDS", Scope::kJob, "",
            "1: round by round, as LibNBC executes schedules; a baseline for comparisons",
            Flag{[](Settings& s) -> bool& { return s.shared.rounds; }}},
    Setting{"WEFT_CHECK", Scope::kJob, "",
            "1: ends the job where ranks do not make the same collective calls in the same order",
            Flag{[](Settings& s) -> bool& { return s.shared.check; }}},
    Setting{"WEFT_WINDOWS", Scope::kJob, "", "0 leaves windows, and all accesses to them, to the host MPI",
            Flag{[](Settings& s) -> bool& { return s.shared.windows; }}},
    Setting{"WEFT_ALGORITHM", Scope::kCommunicator, "",
            "algorithms, and radices, instead of the planner's choice, where they can do the call",
            Algorithms{[](Settings& s) -> NamedAlgorithms& { return s.shared.algorithms; }}},
    Setting{
        "WEFT_HIERARCHY", Scope::kCommunicator, "",
        "levels whose ranks are grouped; those that a communicator's ranks have no place on are left out",
        Text{[](Settings& s) -> std::string& { return s.shared.hierarchy; },
             "flat, or levels from near to far joined by +: node, socket+node, l3+socket+node, node+device"}},
    Setting{"WEFT_DEVICE", Scope::kCommunicator, "",
            "who moves messages between nodes; none: the ranks themselves; agent: a thread of each, while "
            "they compute",
            Word{[](Settings& s) -> std::string& { return s.shared.device; }, "none, agent"}},
    Setting{"WEFT_TOPOLOGY", Scope::kJob, "",
            "pretends that the ranks sit in order on such a machine; counts are per parent",
            Text{[](Settings& s) -> std::string& { return s.shared.topology; },
                 "a machine with a place for every rank: node:2 socket:2 core:2"}},
    Setting{"WEFT_ROUND_TRIP", Scope::kJob, "us",
            "of a message between nodes and its answer; 0: measured in MPI_Init, unless nodes are pretended",
            Number{[](Settings& s) -> int& { return s.shared.round_trip; }, 0, 100'000'000}},
    Setting{
        "WEFT_FAR_FROM", Scope::kJob, "us",
        "from this round trip on short messages between nodes go out several at once, in few rounds; what "
        "is combined in which order does not depend on it",
        Number{[](Settings& s) -> int& { return s.shared.thresholds.far_from; }, 1, 100'000'000}},
    Setting{
        "WEFT_RADIX", Scope::kJob, "",
        "of trees, recursive k-ing and dissemination; where nodes are far, and nothing is combined, at least",
        Number{[](Settings& s) -> int& { return s.shared.thresholds.radix; }, 2, kMostRadix}},
    Setting{
        "WEFT_SHALLOW_RADIX", Scope::kJob, "",
        "of reduce's tree up to WEFT_SHALLOW_TREE_BYTES, and, among more than eight ranks, at least, of what "
        "is short and combines nothing, and of an allreduce up to a quarter of WEFT_SPLIT_BYTES",
        Number{[](Settings& s) -> int& { return s.shared.thresholds.shallow_radix; }, 2, kMostRadix}},
    Setting{
        "WEFT_SHALLOW_TREE_BYTES", Scope::kJob, "bytes",
        "up to this message reduce's tree is shallow, because latency counts more than reducing",
        Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.shallow_tree; }, Bytes(0), kMostBytes}},
    Setting{"WEFT_LONG_PART_BYTES", Scope::kJob, "bytes",
            "from this share of each rank on bytes count more than rounds, and messages travel in parts",
            Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.long_part; }, Bytes(0), kMostBytes}},
    Setting{"WEFT_RING_BLOCK_BYTES", Scope::kJob, "bytes",
            "from this block of each rank on they go around a ring, in more rounds, but to neighbours only",
            Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.ring_block; }, Bytes(0), kMostBytes}},
    Setting{
        "WEFT_COLLECTED_BYTES", Scope::kJob, "bytes",
        "up to this result one rank of each node collects what allgather gets from it, and what allreduce "
        "gathers under WEFT_REPRODUCIBLE=1",
        Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.collected; }, Bytes(0), kMostBytes}},
    Setting{
        "WEFT_BUNDLE_BLOCK_BYTES", Scope::kJob, "bytes",
        "up to this block alltoall sends what is for one node together",
        Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.bundle_block; }, Bytes(0), kMostBytes}},
    Setting{
        "WEFT_SPLIT_BYTES", Scope::kJob, "bytes",
        "among more than eight ranks, not all of one node: from this message on reductions are split among "
        "them, a bcast from four times of it on several ranks of each node; below it trees are shallow",
        Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.split; }, Bytes(0), kMostBytes}},
    Setting{"WEFT_FORWARDED_BLOCK_BYTES", Scope::kJob, "bytes",
            "among so many ranks: up to this block, and up to eight bytes for each rank, alltoall sends "
            "blocks on together, in few rounds",
            Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.forwarded_block; }, Bytes(0),
                 kMostBytes}},
    Setting{"WEFT_NODE", Scope::kJob, "",
            "0: ranks of one node communicate by messages, not through shared memory",
            Flag{[](Settings& s) -> bool& { return s.shared.node.enabled; }}},
    Setting{"WEFT_NODE_WHOLE_BYTES", Scope::kJob, "bytes",
            "up to so much of each rank goes through a node's memory at once",
            Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.node_whole; }, Bytes(0), kMostBytes}},
    Setting{"WEFT_NODE_FRAGMENT_BYTES", Scope::kJob, "bytes",
            "the largest fragment of a longer message, as far as a node's memory has room; half of it where "
            "there is a root; four times of it where the ranks of one node outnumber its cores",
            Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.node_fragment; }, kLine, kMostBytes,
                 kLine}},
    Setting{
        "WEFT_MULTI_LEADER_BYTES", Scope::kJob, "bytes",
        "from this message on several ranks of each node exchange parts of it with those of other nodes",
        Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.multi_leader; }, Bytes(0), kMostBytes}},
    Setting{"WEFT_LEADER_FRAGMENT_BYTES", Scope::kJob, "bytes", "what each of them sends at a time, at least",
            Size{[](Settings& s) -> Bytes& { return s.shared.thresholds.leader_fragment; }, Bytes(1),
                 kMostBytes}},
    Setting{
        "WEFT_NODE_SLOTS", Scope::kJob, "operations",
        "how many operations of a communicator may be under way in shared memory; where this is 64 and ranks "
        "outnumber processors, 256 up to a quarter of what an arena has for rooms",
        Number{[](Settings& s) -> int& { return s.shared.node.slots; }, 1, kMostNodeSlots, true}},
    Setting{
        "WEFT_NODE_RANK_BYTES", Scope::kJob, "bytes",
        "the most shared memory of each rank of a communicator for what does not fit into a cache line; "
        "less, down to 4K, once half of what there is for that is taken",
        Size{[](Settings& s) -> Bytes& { return s.shared.node.rank_bytes; }, Bytes(0), kMostBytes, kLine}},
    Setting{
        "WEFT_NODE_MEMORY", Scope::kJob, "bytes",
        "the most shared memory that all communicators on a node take together, half of it for persistent "
        "operations; half of each for those whose first member on the node is its first rank",
        Size{[](Settings& s) -> Bytes& { return s.shared.node.memory; }, Bytes(0), kMostBytes}},
    Setting{
        "WEFT_NODE_FRAGMENTS", Scope::kJob, "fragments",
        "how many fragments of a broadcast, or of a reduce of two ranks, may be in a node's memory at a time",
        Number{[](Settings& s) -> int& { return s.shared.node.in_flight; }, 2, 64}},
    Setting{
        "WEFT_NODE_COPIES", Scope::kJob, "",
        "who copies long messages within a node; memory: their ranks, through shared memory; kernel: it "
        "alone, "
        "once, from buffer to buffer; measured: memory, unless MPI_Init finds the kernel to be faster, or "
        "agents "
        "copy for two ranks",
        Word{[](Settings& s) -> std::string& { return s.shared.node.copies; }, "measured, memory, kernel"}},
    Setting{
        "WEFT_SINGLE_COPY", Scope::kJob, "bytes",
        "where the kernel copies, and lets ranks reach into one another's memory, from this size on two do; "
        "several in alltoall from four times, in reduce from sixteen times of it; 0: never",
        Size{[](Settings& s) -> Bytes& { return s.shared.node.single_copy; }, Bytes(0), kMostBytes}},
    Setting{"WEFT_TUNING_FILE", Scope::kProcess, "",
            "settings of the job and of communicators, a line `NAME = value` each; rank 0's is read",
            Text{[](Settings& s) -> std::string& { return s.local.tuning_file; }, "a file"}},
    Setting{"WEFT_LOG", Scope::kProcess, "", "where messages go",
            Text{[](Settings& s) -> std::string& { return s.local.log_file; }, "a file"}},
    Setting{"WEFT_VERBOSE", Scope::kProcess, "", "1: messages go to stderr as well",
            Flag{[](Settings& s) -> bool& { return s.local.log_to_stderr; }}},
    Setting{"WEFT_STATS", Scope::kProcess, "", "where rank 0 writes the counters, as JSON, at MPI_Finalize",
            Text{[](Settings& s) -> std::string& { return s.local.statistics_file; }, "a file"}},
    Setting{"WEFT_TIMES", Scope::kProcess, "",
            "1 takes the times that a program can ask for (weft_times in weft.h)",
            Flag{[](Settings& s) -> bool& { return s.local.take_times; }}},
    Setting{
        "WEFT_WIRE", Scope::kJob, "",
        "what carries messages between agents: TCP, or libfabric, by its best provider for a network or by "
        "the one that is named",
        Text{[](Settings& s) -> std::string& { return s.shared.wire; }, "tcp, fabric or fabric:PROVIDER"}},
    Setting{
        "WEFT_WIRE_PROVED", Scope::kJob, "processes",
        "in jobs of up to so many processes all agents meet one another in MPI_Init; in larger ones each "
        "meets those that it most likely needs, and the others when there is something to say; 0: all later",
        Number{[](Settings& s) -> int& { return s.shared.wire_proved; }, 0, 1 << 20}},
    Setting{"WEFT_WIRE_INTERFACE", Scope::kProcess, "",
            "over which network interface agents are connected, or libfabric's device; else over any",
            Text{[](Settings& s) -> std::string& { return s.local.wire_interface; }, "an interface: eth0"}},
    Setting{"WEFT_WIRE_PORTS", Scope::kProcess, "",
            "at which TCP ports agents listen; else at any that is free",
            Text{[](Settings& s) -> std::string& { return s.local.wire_ports; }, "ports: 4000-4100"}},
    Setting{"WEFT_WIRE_SEND_BUFFER", Scope::kProcess, "bytes",
            "the kernel's buffer of each connection between nodes that are near: so much is on its way at a "
            "time, "
            "and stays in caches; between far ones, and with 0, the kernel chooses",
            Size{[](Settings& s) -> Bytes& { return s.local.wire_send_buffer; }, Bytes(0), kMostBytes}},
    Setting{
        "WEFT_WIRE_CONGESTION_CONTROL", Scope::kProcess, "",
        "TCP's congestion control between agents; unless this is given, the system's, but reno in the place "
        "of bbr",
        Text{[](Settings& s) -> std::string& { return s.local.wire_congestion_control; },
             "one of those in /proc/sys/net/ipv4/tcp_allowed_congestion_control: reno"}},
    Setting{
        "WEFT_AGENT_BYTES", Scope::kProcess, "bytes",
        "from this size on that a rank has to copy or combine in a non-blocking operation within a node, its "
        "agent does it; unless this is given, not where the ranks of a node outnumber its cores",
        Size{[](Settings& s) -> Bytes& { return s.local.agent_bytes; }, Bytes(1), kMostBytes}},
    Setting{
        "WEFT_LIST_TASKS", Scope::kProcess, "tasks",
        "the longest task list that agents execute; what is longer becomes several, of which the end of one "
        "begins the next; 0: of any length, and at least 2 are in each",
        Number{[](Settings& s) -> int& { return s.local.list_tasks; }, 0, 1 << 30}},
    Setting{
        "WEFT_LIST_TRIGGER", Scope::kProcess, "",
        "who begins the next list; device: the end of the one before; thread: a further thread, which that "
        "wakes; for comparisons",
        Word{[](Settings& s) -> std::string& { return s.local.list_trigger; }, "device, thread"}},
    Setting{"WEFT_HANDSHAKE_SECONDS", Scope::kProcess, "seconds",
            "how long MPI_Init waits for ranks that do not have Weft",
            Number{[](Settings& s) -> int& { return s.local.handshake_seconds; }, 1, 86400}},
};

}  // namespace

std::span<const Setting> settings_table() { return kTable; }

}  // namespace weft
