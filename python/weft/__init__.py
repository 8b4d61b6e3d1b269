# SPDX-License-Identifier: BSD-3-Clause
"""Weft's command line and its view of the compiled core."""

__version__ = "0.1.0"
