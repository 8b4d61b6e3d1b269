# SPDX-License-Identifier: BSD-3-Clause
"""What any part may say of bad input. By itself, because the console takes longer to load than a launch may."""


class BadInput(Exception):  # noqa: N818  (it is the user's input that is bad, not the program)
    """One clear message: what is wrong, where, and what to do. Ends the command with exit code 2."""
