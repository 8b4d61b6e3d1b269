# SPDX-License-Identifier: BSD-3-Clause
"""The one list of MPI functions that Weft's front door knows, and what it does with each.

A parameter is written "kind name". Kinds: cbuf, buf (choice buffers); count (int, MPI_Count in the _c form);
counts, displs (arrays of them); aints; type, types (one per rank), neighbor_types, op, comm, int, ints, info,
group; window, newwin, unit (of displacements);
request, status, newcomm, message (results); inout_request, inout_requests (requests that stay). Everything
else about the wrappers is worked out by generate.py.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    name: str  # without "MPI_"
    # taken | persistent | constructor | duplicate | hints | wait | blocking | look | window | start | free | lifetime
    role: str
    parameters: tuple[tuple[str, str], ...]
    starts: str = ""  # the non-blocking form that a blocking function is started with where the host has no hook
    large: bool = False  # MPI-4 hosts have a _c form
    does: str = ""  # what of Weft's answers a call on a window

    @property
    def kind(self) -> str:
        """Of a constructor: which Construction::Kind it is."""
        if self.name in MADE_BY_SOME:
            return "kOfSome"
        if self.name == "Comm_split":
            return "kSplit"
        return "kDuplicate" if self.name.startswith("Comm_dup") else "kOfAll"


def parse(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(tuple(p.split()) for p in text.split(", ")) if text else ()  # type: ignore[misc]


# The collectives that Weft executes, as parameters of the blocking form.
TAKEN = {
    "Barrier": "comm comm",
    "Bcast": "buf buffer, count count, type datatype, int root, comm comm",
    "Reduce": "cbuf sendbuf, buf recvbuf, count count, type datatype, op op, int root, comm comm",
    "Allreduce": "cbuf sendbuf, buf recvbuf, count count, type datatype, op op, comm comm",
    "Allgather": "cbuf sendbuf, count sendcount, type sendtype, buf recvbuf, count recvcount, type recvtype, comm comm",
    "Alltoall": "cbuf sendbuf, count sendcount, type sendtype, buf recvbuf, count recvcount, type recvtype, comm comm",
    "Gather": "cbuf sendbuf, count sendcount, type sendtype, buf recvbuf, count recvcount, type recvtype, "
    "int root, comm comm",
    "Gatherv": "cbuf sendbuf, count sendcount, type sendtype, buf recvbuf, counts recvcounts, displs displs, "
    "type recvtype, int root, comm comm",
    "Scatter": "cbuf sendbuf, count sendcount, type sendtype, buf recvbuf, count recvcount, type recvtype, "
    "int root, comm comm",
    "Scatterv": "cbuf sendbuf, counts sendcounts, displs displs, type sendtype, buf recvbuf, count recvcount, "
    "type recvtype, int root, comm comm",
    "Allgatherv": "cbuf sendbuf, count sendcount, type sendtype, buf recvbuf, counts recvcounts, displs displs, "
    "type recvtype, comm comm",
    "Alltoallv": "cbuf sendbuf, counts sendcounts, displs sdispls, type sendtype, buf recvbuf, "
    "counts recvcounts, displs rdispls, type recvtype, comm comm",
    "Alltoallw": "cbuf sendbuf, counts sendcounts, displs sdispls, types sendtypes, buf recvbuf, "
    "counts recvcounts, displs rdispls, types recvtypes, comm comm",
    "Reduce_scatter": "cbuf sendbuf, buf recvbuf, counts recvcounts, type datatype, op op, comm comm",
    "Reduce_scatter_block": "cbuf sendbuf, buf recvbuf, count recvcount, type datatype, op op, comm comm",
    "Scan": "cbuf sendbuf, buf recvbuf, count count, type datatype, op op, comm comm",
    "Exscan": "cbuf sendbuf, buf recvbuf, count count, type datatype, op op, comm comm",
    "Neighbor_allgather": "cbuf sendbuf, count sendcount, type sendtype, buf recvbuf, count recvcount, "
    "type recvtype, comm comm",
    "Neighbor_allgatherv": "cbuf sendbuf, count sendcount, type sendtype, buf recvbuf, counts recvcounts, "
    "displs displs, type recvtype, comm comm",
    "Neighbor_alltoall": "cbuf sendbuf, count sendcount, type sendtype, buf recvbuf, count recvcount, "
    "type recvtype, comm comm",
    "Neighbor_alltoallv": "cbuf sendbuf, counts sendcounts, displs sdispls, type sendtype, buf recvbuf, "
    "counts recvcounts, displs rdispls, type recvtype, comm comm",
    "Neighbor_alltoallw": "cbuf sendbuf, counts sendcounts, aints sdispls, neighbor_types sendtypes, buf recvbuf, "
    "counts recvcounts, aints rdispls, neighbor_types recvtypes, comm comm",
}

# Blocking and collective calls that give birth to a communicator: Weft's members agree inside them.
CONSTRUCTORS = {
    "Comm_dup": "comm comm, newcomm newcomm",
    "Comm_dup_with_info": "comm comm, info info, newcomm newcomm",
    "Comm_split": "comm comm, int color, int key, newcomm newcomm",
    "Comm_split_type": "comm comm, int split_type, int key, info info, newcomm newcomm",
    "Comm_create": "comm comm, group group, newcomm newcomm",
    "Comm_create_group": "comm comm, group group, int tag, newcomm newcomm",
    "Intercomm_create": "comm local_comm, int local_leader, comm peer_comm, int remote_leader, int tag, "
    "newcomm newcomm",
    "Intercomm_merge": "comm intercomm, int high, newcomm newcomm",
    "Cart_create": "comm comm, int ndims, ints dims, ints periods, int reorder, newcomm newcomm",
    "Cart_sub": "comm comm, ints remain_dims, newcomm newcomm",
    "Graph_create": "comm comm, int nnodes, ints index, ints edges, int reorder, newcomm newcomm",
    "Dist_graph_create": "comm comm, int n, ints sources, ints degrees, ints destinations, ints weights, "
    "info info, int reorder, newcomm newcomm",
    "Dist_graph_create_adjacent": "comm comm, int indegree, ints sources, ints sourceweights, int outdegree, "
    "ints destinations, ints destweights, info info, int reorder, newcomm newcomm",
}

# Those in which not all members of their first argument, an intra-communicator, take part.
MADE_BY_SOME = ("Comm_create_group", "Intercomm_create")

# Calls that make a communicator without blocking: the introductions go on until their requests are complete.
DUPLICATES = {
    "Comm_idup": "comm comm, newcomm newcomm, request request",
    "Comm_idup_with_info": "comm comm, info info, newcomm newcomm, request request",
}

# Calls that may block, and so must move Weft's operations on a host that cannot do it itself (drop_in rule 1).
BLOCKING = {
    "Send": ("Isend", "cbuf buf, count count, type datatype, int dest, int tag, comm comm", True),
    "Ssend": ("Issend", "cbuf buf, count count, type datatype, int dest, int tag, comm comm", True),
    "Rsend": ("Irsend", "cbuf buf, count count, type datatype, int dest, int tag, comm comm", True),
    "Recv": ("Irecv", "buf buf, count count, type datatype, int source, int tag, comm comm, status status", True),
    "Sendrecv": (
        "Isend and Irecv",
        "cbuf sendbuf, count sendcount, type sendtype, int dest, int sendtag, buf recvbuf, count recvcount, "
        "type recvtype, int source, int recvtag, comm comm, status status",
        True,
    ),
    "Sendrecv_replace": (
        "Isend and Irecv",
        "buf buf, count count, type datatype, int dest, int sendtag, int source, int recvtag, comm comm, status status",
        True,
    ),
    "Mrecv": ("Imrecv", "buf buf, count count, type datatype, message message, status status", True),
    "Probe": ("Iprobe", "int source, int tag, comm comm, status status", False),
    "Mprobe": ("Improbe", "int source, int tag, comm comm, message message, status status", False),
    "Waitall": ("Testsome", "int count, requests requests, statuses statuses", False),
    "Waitany": ("Testany", "int count, requests requests, intout index, status status", False),
    "Waitsome": (
        "Testsome",
        "int incount, requests requests, intout outcount, intout indices, statuses statuses",
        False,
    ),
}

# Calls that return at once and say what has arrived. While a program polls with them, other ranks may need its part of
# a collective.
LOOKS = {
    "Test": "request request, intout flag, status status",
    "Testall": "int count, requests requests, intout flag, statuses statuses",
    "Testany": "int count, requests requests, intout index, intout flag, status status",
    "Testsome": "int incount, requests requests, intout outcount, intout indices, statuses statuses",
    "Iprobe": "int source, int tag, comm comm, intout flag, status status",
    "Improbe": "int source, int tag, comm comm, intout flag, message message, status status",
    "Request_get_status": "handle_request request, intout flag, status status",
    "Request_get_status_all": "int count, handle_requests requests, intout flag, statuses statuses",
    "Request_get_status_any": "int count, handle_requests requests, intout index, intout flag, status status",
    "Request_get_status_some": "int incount, handle_requests requests, intout outcount, intout indices, "
    "statuses statuses",
    "Parrived": "handle_request request, int partition, intout flag",
}

# Calls on windows that Weft has made: what of it answers them, and whether MPI-4 hosts have a _c form.
WINDOWS = {
    "Win_allocate": (
        "allocate",
        "aint size, unit disp_unit, info info, comm comm, buf baseptr, newwin win",
        True,
    ),
    "Win_post": ("post", "group group, int assertion, window win", False),
    "Win_start": ("start", "group group, int assertion, window win", False),
    "Win_complete": ("complete", "window win", False),
    "Win_wait": ("wait", "window win", False),
    "Win_test": ("test", "window win, intout flag", False),
    "Put": (
        "put",
        "cbuf origin_addr, count origin_count, type origin_datatype, int target_rank, aint target_disp, "
        "count target_count, type target_datatype, window win",
        True,
    ),
    "Get": (
        "get",
        "buf origin_addr, count origin_count, type origin_datatype, int target_rank, aint target_disp, "
        "count target_count, type target_datatype, window win",
        True,
    ),
    "Accumulate": (
        "accumulate",
        "cbuf origin_addr, count origin_count, type origin_datatype, int target_rank, aint target_disp, "
        "count target_count, type target_datatype, op op, window win",
        True,
    ),
    "Get_accumulate": (
        "get_accumulate",
        "cbuf origin_addr, count origin_count, type origin_datatype, buf result_addr, count result_count, "
        "type result_datatype, int target_rank, aint target_disp, count target_count, type target_datatype, "
        "op op, window win",
        True,
    ),
    "Fetch_and_op": (
        "fetch_and_op",
        "cbuf origin_addr, buf result_addr, type datatype, int target_rank, aint target_disp, op op, window win",
        False,
    ),
    "Compare_and_swap": (
        "compare_and_swap",
        "cbuf origin_addr, cbuf compare_addr, buf result_addr, type datatype, int target_rank, "
        "aint target_disp, window win",
        False,
    ),
}

# For each call that completes requests: when it has, which requests these are, and the further arguments of
# errors_of_completed. Without further arguments there is one request, and error_of_completed is asked.
COMPLETED = {
    "Wait": ("request != nullptr", "*request", ""),
    "Test": ("*flag != 0", "*request", ""),
    "Waitany": ("*index != MPI_UNDEFINED", "requests[*index]", ""),
    "Testany": ("*flag != 0 && *index != MPI_UNDEFINED", "requests[*index]", ""),
    "Waitall": ("true", "count, requests", ", statuses"),
    "Testall": ("*flag != 0", "count, requests", ", statuses"),
    "Waitsome": ("*outcount != MPI_UNDEFINED", "*outcount, requests", ", statuses, indices"),
    "Testsome": ("*outcount != MPI_UNDEFINED", "*outcount, requests", ", statuses, indices"),
}


def nonblocking(name: str) -> str:
    return "I" + name[0].lower() + name[1:]


def functions() -> list[Function]:
    """The whole list, in a fixed order: counters of all ranks line up by it."""
    listed: list[Function] = []
    for name, text in TAKEN.items():
        large = name != "Barrier"
        start = parse(text + ", request request")
        once = parse(text + ", info info, request request")
        listed.append(Function(name, "taken", parse(text), nonblocking(name), large))
        listed.append(Function(nonblocking(name), "taken", start, "", large))
        listed.append(Function(name + "_init", "persistent", once, "", large))
    listed += [Function(name, "constructor", parse(text)) for name, text in CONSTRUCTORS.items()]
    listed += [Function(name, "duplicate", parse(text)) for name, text in DUPLICATES.items()]
    listed.append(Function("Comm_set_info", "hints", parse("comm comm, info info")))
    listed.append(Function("Wait", "wait", parse("request request, status status"), "Test"))
    listed += [
        Function(name, "blocking", parse(text), starts, large) for name, (starts, text, large) in BLOCKING.items()
    ]
    listed += [Function(name, "look", parse(text)) for name, text in LOOKS.items()]
    listed += [
        Function(name, "window", parse(text), large=large, does=does) for name, (does, text, large) in WINDOWS.items()
    ]
    listed += [
        Function("Win_free", "window_end", parse("inout_window win")),
        Function("Win_get_attr", "window_attribute", parse("window win, int keyval, buf value, intout flag")),
        Function("Start", "start", parse("inout_request request")),
        Function("Startall", "start", parse("int count, inout_requests requests")),
        Function("Cancel", "start", parse("inout_request request")),
        Function("Request_free", "start", parse("inout_request request")),
        Function("Type_free", "free", parse("inout_type datatype")),
        Function("Op_free", "free", parse("inout_op op")),
    ]
    listed += [
        Function("Init", "lifetime", parse("argc argc, argv argv")),
        Function("Init_thread", "lifetime", parse("argc argc, argv argv, int required, intout provided")),
        Function("Finalize", "lifetime", ()),
    ]
    return listed
