# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of the command line, one module each."""
