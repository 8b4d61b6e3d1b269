# SPDX-License-Identifier: BSD-3-Clause
"""What `weft plot` draws: kinds of panels, the panels of each application, and those of the records of `weft bench`."""
