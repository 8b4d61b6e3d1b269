# SPDX-License-Identifier: BSD-3-Clause
"""Timelines of simulations that people can follow by hand: what is drawn today is what was drawn when somebody looked
at it and found it right. UPDATE_GOLDEN=1 rewrites them; the difference then shows in version control."""

import json
import os
import re
from pathlib import Path

from weft.simulation import Collective, Conditions, Goal, MovedBy, Noise, Simulated, blocking, overlapped, simulate
from weft.timeline import draw

EXPECTED = Path(__file__).parent / "expected"
NETWORK = "loggops:L=1000,o=200,g=100,G=1,post=100,poll=50,task=100,calc=200,loop=300,gamma=2,wake=500,test=50"
ALLREDUCE = Collective(collective="allreduce", ranks=4, bytes=100, algorithm="recursive_k_ing")


def expect_golden(name: str, text: str) -> None:
    file = EXPECTED / f"{name}.txt"
    if "UPDATE_GOLDEN" in os.environ:
        file.write_text(text)
    assert file.is_file(), f"{file} cannot be read: run the test once with UPDATE_GOLDEN=1"
    assert text == file.read_text(), "if the new text is right, run the test once with UPDATE_GOLDEN=1"


def timeline(call: Collective = ALLREDUCE, *, machine: str = NETWORK, compute_us: float = 4, **given) -> Simulated:
    return simulate([call], overlapped(compute_us=compute_us), machine=machine, traced_ranks=call.ranks, **given)


# The second message of each rank waits for its test after 2 us.
def test_a_host_moves_its_operation_when_it_tests():
    under = Conditions(test_every_us=2)
    expect_golden("timeline_moved_by_host", draw(timeline(conditions=under), ".txt"))


def test_an_agent_wakes_up_and_moves_it_while_its_rank_computes():
    expect_golden("timeline_moved_by_agent", draw(timeline(conditions=Conditions(moved_by=MovedBy.agent)), ".txt"))


def test_an_adapter_moves_it_by_task_lists():
    expect_golden("timeline_moved_by_adapter", draw(timeline(conditions=Conditions(moved_by=MovedBy.adapter)), ".txt"))


def test_noise_makes_computations_and_those_who_wait_for_them_longer():
    under = Conditions(noise=Noise(trace=((0, 1), (5, 2)), length_us=10), seed=3)
    expect_golden("timeline_with_noise", draw(timeline(conditions=under), ".txt"))


def test_four_ranks_take_turns_on_two_cores():
    shared = {"topology": "node:1 core:4", "cores": 2}
    expect_golden("timeline_on_two_cores", draw(timeline(**shared), ".txt"))


def test_a_long_message_is_requested_and_steps_of_a_group_are_met():
    bcast = Collective(
        collective="bcast", ranks=4, bytes=400, algorithm="hierarchical", hierarchy="node", options={"leader": "fixed"}
    )
    machine = NETWORK + ",S=300,l=100,c=0.5"
    expect_golden("timeline_of_two_nodes", draw(timeline(bcast, machine=machine, topology="node:2 core:2"), ".txt"))


EXCHANGE = """num_ranks 2
rank 0 {
  inner: calc 4000 cpu 1
  border: calc 1000
  out: send 1000b to 1
  out requires border
}
rank 1 {
  inner: calc 4000 cpu 1
  in: recv 1000b from 0
  use: calc 600 cpu 10
  use requires in
  use requires inner
}
"""


# Rank 0's second processor is at work from the beginning, rank 1's eleventh once its second is through.
def test_every_processor_of_a_rank_has_a_row(tmp_path: Path):
    file = tmp_path / "exchange.goal"
    file.write_text(EXCHANGE)
    traced = simulate([Goal(file=file)], blocking(), machine="loggops:L=1000,o=200,g=100,G=1", traced_ranks=2)
    expect_golden("timeline_of_processors", draw(traced, ".txt"))
    rows = re.findall(r'text-anchor="end">(\w[^<]*)</text>', draw(traced, ".svg"))
    assert rows[:-1] == ["0", "cpu 1", "1", "cpu 1", "cpu 10"]
    events = json.loads(draw(traced, ".json"))["traceEvents"]
    threads = {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one["name"] == "thread_name"}
    assert threads == {(0, 0): "rank", (0, 3): "cpu 1", (1, 0): "rank", (1, 3): "cpu 1", (1, 12): "cpu 10"}


def test_chrome_gets_a_thread_for_the_rank_and_one_for_its_agent():
    two = Collective(collective="allreduce", ranks=2, bytes=100, algorithm="recursive_k_ing")
    traced = draw(timeline(two, conditions=Conditions(moved_by=MovedBy.agent)), ".json")
    expect_golden("timeline_for_chrome", json.dumps(json.loads(traced), indent=1) + "\n")
