# SPDX-License-Identifier: BSD-3-Clause
"""The papers' figures again: studies (studies/NAME.toml), the programs that they simulate, and what came of it."""
