# SPDX-License-Identifier: BSD-3-Clause
"""Virtual hosts as a command line asks for them: how many, and what the network between them is like."""

import contextlib
import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from weft import user_namespace
from weft.bad_input import BadInput
from weft.console import err
from weft.lab import MOST_HOSTS, Lab, Link
from weft.units import parse_durations

MEGABITS = {"K": 1e-3, "M": 1.0, "G": 1e3}
RATE = re.compile(r"(\d+(?:\.\d+)?)([KMG])(?:bit/s)?", re.IGNORECASE)
Percent = float | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class VirtualHosts:
    """Each field is an option."""

    hosts: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_HOSTS, help="Spread the ranks over N virtual hosts, joined by TCP."),
    ] = None
    delay: Annotated[str | None, typer.Option(metavar="200us", help="Between hosts, one way.")] = None
    loss: Annotated[Percent, typer.Option(min=0, max=99, metavar="PERCENT", help="Of the frames between hosts.")] = None
    bandwidth: Annotated[
        str | None, typer.Option(metavar="100M|10G", help="Bits per second of each host's link, in each direction.")
    ] = None
    duplicate: Annotated[
        Percent, typer.Option(min=0, max=99, metavar="PERCENT", help="Of the frames between hosts arrive twice.")
    ] = None
    reorder: Annotated[
        Percent, typer.Option(min=0, max=99, metavar="PERCENT", help="Of the frames are overtaken by later ones.")
    ] = None

    @property
    def takes_long(self) -> bool:
        """Whether messages between hosts take so long that a barrier's skew is their time."""
        return self.delay is not None and max(parse_durations(self.delay, "--delay")) > 0

    @contextlib.contextmanager
    def made(self) -> Iterator[Lab | None]:
        """The lab that they ask for while the block runs, None if they do not."""
        if self.hosts is None:
            if given := [f"--{name}" for name, value in vars(self).items() if value is not None and name in NETWORK]:
                raise BadInput(f"{', '.join(given)}: that is about the network between virtual hosts: add --hosts N.")
            yield None
            return
        with self.all_made([self.link()]) as (lab,):
            yield lab

    @contextlib.contextmanager
    def all_made(self, links: Sequence[Link]) -> Iterator[list[Lab]]:
        """A lab for each of the links, side by side while the block runs."""
        labs = [Lab(self.hosts or 1, link) for link in links]
        if not user_namespace.may_make_hosts():
            user_namespace.require()
        with contextlib.ExitStack() as stack:
            yield [stack.enter_context(lab) for lab in labs]
        if dropped := sum(lab.counters.get("dropped", 0) for lab in labs):
            err.print(f"The switch had no room for {dropped} frames: more were lost than was asked for.")
        if any(lab.counters.get("real_time") is False for lab in labs):
            err.print("The switch could not run as SCHED_FIFO: delays are longer where ranks keep the cores busy.")

    def link(self) -> Link:
        delays = parse_durations(self.delay or "0us", "--delay")
        if len(delays) > 1:
            raise BadInput(f"--delay {self.delay}: a lab has one delay; measure one after the other.")
        return Link(
            delay_us=delays[0],
            loss_percent=self.loss or 0.0,
            duplicate_percent=self.duplicate or 0.0,
            reorder_percent=self.reorder or 0.0,
            megabits=megabits(self.bandwidth) if self.bandwidth else None,
        )


FIELDS = tuple(field.name for field in dataclasses.fields(VirtualHosts))
NETWORK = FIELDS[1:]  # what means nothing without hosts


def megabits(text: str) -> float:
    match = RATE.fullmatch(text.strip())
    rate = float(match[1]) * MEGABITS[match[2].upper()] if match else 0.0
    if rate <= 0:
        raise BadInput(f"--bandwidth {text}: bits per second are a number above 0 with K, M or G, such as 100M or 10G.")
    return rate
