# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks behind `weft bench`: one module per question, over one way to measure (contest) and to judge
(analysis)."""
