# SPDX-License-Identifier: BSD-3-Clause
"""Nodes whose ranks share an adapter, also to talk to one another over its loop-back."""

import re


def with_shared_adapters(machine: str, ranks_per_node: int) -> str:
    """The machine with an adapter for each rank that needs as many times as long for a message and a byte as ranks
    share one: what is left for each of those that communicate at once. In a program without a topology a neighbour on
    the node is as far as any other, so that all goes over adapters."""

    def slower(found: re.Match[str]) -> str:
        return f"{found['key']}={float(found['value']) * ranks_per_node:g}"

    network, *levels = machine.replace("nic=node", "nic=rank").split(";")
    return ";".join([re.sub(r"\b(?P<key>[gG])=(?P<value>[\d.]+)", slower, network), *levels])
