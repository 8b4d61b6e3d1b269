# SPDX-License-Identifier: BSD-3-Clause
"""The command line: `weft VERB …`."""

import os
import sys

from weft.bad_input import BadInput
from weft.user_namespace import BeginAgain, begin_again


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done, 1 the answer is no, 2 the question makes no sense."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        return answer(words)
    except BeginAgain:
        begin_again(words)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BadInput as problem:
        from weft.console import error

        error(str(problem))
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def answer(arguments: list[str]) -> int:
    if arguments[:1] == ["run"]:
        from weft import job

        words = job.spell_out(arguments[1:])
        if (options := job.options_of(words)) is not None:
            return job.run(**options)
        arguments = ["run", *words]
    from weft.application import application, chosen_verbs

    application(chosen_verbs(arguments))(args=arguments, prog_name="weft")
    return 0


if __name__ == "__main__":
    sys.exit(main())
