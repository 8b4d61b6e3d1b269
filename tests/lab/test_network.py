# SPDX-License-Identifier: BSD-3-Clause
"""The network between virtual hosts is as slow and as bad as asked for, and a host that is killed is silent."""

import math
import subprocess
import sys

import pytest
from lab_programs import CALL, DRAIN, HEAR, NEEDS_SWITCH, SERVE, SHOUT, SINK, STREAM, listening, pings, python_on

from weft.bad_input import BadInput
from weft.lab import Lab, Link


@NEEDS_SWITCH
def test_a_frame_takes_the_delay_each_way():
    with Lab(2, Link(delay_us=500)) as slow:
        assert min(pings(slow, 10)) >= 1000
    assert (slow.counters["frames"], slow.counters["forwarded"]) == (20, 20)
    assert slow.counters["late_us_max"] >= slow.counters["late_us_mean"] >= 0


@NEEDS_SWITCH
def test_a_link_with_a_rate_sends_one_frame_after_the_other():
    bits, links, ways, megabits = 8 * (14 + 20 + 8 + len("ping")), 2, 2, 0.1
    with Lab(2, Link(megabits=megabits)) as narrow:
        assert min(pings(narrow, 3)) >= bits * links * ways / megabits


def streamed(size, link):
    """Seconds that a stream from h0 to h1 takes, and what the switch counts."""
    with Lab(2, link) as made, listening(made, DRAIN):
        seconds, is_right = python_on(made, 0, STREAM, size).split()
    assert is_right == "True"
    return float(seconds), made.counters


@NEEDS_SWITCH
@pytest.mark.parametrize("link", [Link(delay_us=100), Link(delay_us=100, megabits=1000)])
def test_a_stream_crosses_in_long_frames_that_take_a_link_as_long_as_short_ones(link):
    seconds, counted = streamed(8_000_000, link)
    most = 14 + 20 + 20 + 12 + 1448 * link.frames_at_once  # headers, with the time stamps of TCP
    assert 8_000_000 / most < counted["frames"] < 8_000_000 / 1448
    assert seconds >= 8 * 8_000_000 / 1e6 / (link.megabits or math.inf)


@NEEDS_SWITCH
def test_frames_that_may_be_lost_are_no_longer_than_their_mtu():
    _, counted = streamed(1_000_000, Link(delay_us=100, loss_percent=0.5))
    assert counted["frames"] > 1_000_000 / 1448


def shouted(count, size, link=Link(), links=None, seed=1):
    """What the switch counts while h0 sends so many frames to h1."""
    with Lab(3, link, links, seed) as made, listening(made, SINK):
        python_on(made, 0, SHOUT, count, size)
    assert made.counters["dropped"] == 0
    return made.counters


@NEEDS_SWITCH
def test_what_a_link_cannot_send_waits_in_a_queue_that_has_an_end():
    counted = shouted(3000, 1400, Link(megabits=1))
    assert 0 < counted["overflowed"] < 3000 - 1000
    assert counted["forwarded"] < 1000


@NEEDS_SWITCH
@pytest.mark.parametrize(("seed", "lost"), [(1, 102), (3, 100)])
def test_what_is_lost_follows_from_the_seed(seed, lost):
    counted = shouted(1000, 10, Link(loss_percent=10), seed=seed)
    assert (counted["lost"], counted["forwarded"]) == (lost, 1000 - lost)


@NEEDS_SWITCH
def test_what_arrives_twice_follows_from_the_seed():
    counted = shouted(1000, 10, Link(duplicate_percent=10))
    assert (counted["duplicated"], counted["forwarded"]) == (97, 1097)


@NEEDS_SWITCH
def test_a_link_of_its_own_is_that_of_one_host_alone():
    bad = Link(loss_percent=10)
    assert shouted(1000, 10, links={2: bad})["lost"] == 0
    assert shouted(1000, 10, links={1: bad})["lost"] == shouted(1000, 10, links={0: bad})["lost"] == 102
    with Lab(2, links={1: Link(delay_us=500)}) as uneven:
        assert min(pings(uneven, 3)) >= 1000


@NEEDS_SWITCH
def test_frames_overtake_one_another():
    words = [sys.executable, "-c", HEAR]
    with (
        Lab(2, Link(reorder_percent=10)) as mixed,
        subprocess.Popen(mixed.command_on(1, words), stdout=subprocess.PIPE, text=True) as listener,
    ):
        assert listener.stdout.readline().strip() == "ready"
        python_on(mixed, 0, SHOUT, 100, 10)
        numbers = [int(listener.stdout.readline()) for _ in range(100)]
        listener.kill()
    assert sorted(numbers) == list(range(100)) != numbers
    assert mixed.counters["reordered"] == 13


@pytest.mark.parametrize("link", [Link(), pytest.param(Link(delay_us=100), marks=NEEDS_SWITCH)])
def test_a_host_that_is_killed_says_nothing_any_more(link):
    with Lab(2, link) as two, listening(two, SERVE):
        words = two.command_on(0, [sys.executable, "-c", CALL])
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as caller:
            assert caller.stdout.readline().strip() == "connected"
            two.kill_host(1)
            assert caller.stdout.read().strip() == "silence"


def test_who_started_something_on_a_host_that_is_killed_does_not_notice(tmp_path):
    with Lab(2) as two:
        words = [two.agent(tmp_path), "-x", "h1", "echo", "started;", "exec", "sleep", "100"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as waiting:
            assert waiting.stdout.readline() == "started\n"
            two.kill_host(1)
            with pytest.raises(subprocess.TimeoutExpired):
                waiting.wait(timeout=1)
            waiting.kill()


def test_only_a_host_of_the_lab_can_be_killed_or_have_a_link():
    with Lab(2) as two, pytest.raises(BadInput, match="h0 to h1"):
        two.kill_host(2)
    with pytest.raises(BadInput, match="h2: this lab has"):
        Lab(2, links={2: Link(delay_us=1)})
