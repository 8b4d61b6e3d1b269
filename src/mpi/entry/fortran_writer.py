# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran half of generate.py: which symbols are wrapped, and what stands in them."""

from collections.abc import Callable

from fortran_arguments import FortranArguments
from functions import Function

# Open MPI's mpi_f08 has LOGICAL arguments in these, and calls pmpi_*_ for them.
PAST_THE_REST = {
    "Cart_create", "Cart_sub", "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent", "Intercomm_merge",
}  # fmt: skip

# Wrapped by their PMPI_ names, too: Weft has to know when MPI begins and ends, and how long handles live.
BY_BOTH_NAMES = ("lifetime", "start", "free")


class FortranWriter:
    """What the writer of the C wrappers has, too."""

    is_openmpi: bool
    hookless: bool
    from_fortran: FortranArguments
    fortran: list[str]
    has: Callable[[str], bool]
    prefix: Callable[[Function], str]
    construction: Callable[[Function, str, str, Callable[[str, str], str]], str]
    before_look: Callable[[], list[str]]
    meeting: Callable[[Function, Callable[[str, str], str]], str]
    define: Callable[[list[str], str, str, str, list[str]], None]

    def fortran_wrappers(self, function: Function) -> None:
        if function.role in BY_BOTH_NAMES:  # one of which their libraries call
            return
        lower = function.name.lower()
        extension = "x" if self.prefix(function) == "MPIX_" else ""
        candidates = [f"mpi{extension}_{lower}_", f"ompi{extension}_{lower}_f"]
        if function.name == "Win_allocate":
            candidates.append("mpi_win_allocate_cptr_")
        if function.name in PAST_THE_REST:
            candidates.append(f"mpi_{lower}_f08_")
        if not self.is_openmpi:
            candidates = [f"mpi_{lower}_f08_"]
        for symbol in candidates:
            if self.has(symbol) and (self.hookless or function.role not in ("wait", "blocking")):
                self.fortran_wrapper(function, symbol)

    def fortran_wrapper(self, function: Function, symbol: str) -> None:
        declaration = ", ".join([*(f"void* {name}" for _, name in function.parameters), "MPI_Fint* ierror"])
        converted = function.role in (
            "taken", "persistent", "duplicate", "wait", "blocking", "window", "window_end",
        )  # fmt: skip
        body = self.converted(function) if converted else self.passed_on(function, symbol)
        self.define(self.fortran, symbol, "void", declaration, body)

    def converted(self, function: Function) -> list[str]:
        """Calls the C wrapper with C's forms of the arguments."""
        before, arguments, after = [], [], []
        for kind, name in function.parameters:
            lines, argument, results = self.from_fortran.converted(kind, name)
            before += lines
            arguments.append(argument)
            after += results
        call = f"{self.prefix(function)}{function.name}({', '.join(arguments)})"
        return [*before, f"const int code = {call};", *after,
                "if (ierror != nullptr) *ierror = code;"]  # fmt: skip

    def passed_on(self, function: Function, symbol: str) -> list[str]:
        """The library's own procedure, and what Weft has to do before or after it."""
        count = len(function.parameters) + 1
        pointers = ", ".join(["void*"] * (count - 1) + ["MPI_Fint*"])
        arguments = ", ".join([*(name for _, name in function.parameters), "&code"])
        before: list[str] = []
        after: list[str] = []
        if function.role == "look":
            before = self.before_look()
        elif function.role == "constructor":

            def argument(kind: str, name: str) -> str:
                return self.from_fortran.converted(kind, name)[1]

            made, parent = (self.from_fortran.handle("Comm", n) for n in ("newcomm", function.parameters[0][1]))
            info = self.from_fortran.handle("Info", "info")
            before = [f"const MPI_Comm parent = {parent};",
                      self.construction(function, "parent", info, argument)]  # fmt: skip
            if meeting := self.meeting(function, argument):
                before += [f"if (const int met = {meeting}; met != MPI_SUCCESS) {{",
                           "  if (ierror != nullptr) *ierror = met;", "  return;", "}"]  # fmt: skip
            after = [f"if (code == MPI_SUCCESS) construction.adopt({made});"]
        elif function.role == "window_attribute":
            key = self.from_fortran.converted("int", "keyval")[1]
            result = "static_cast<MPI_Aint*>(value)"
            after = [f"if (code == MPI_SUCCESS) weft::mpi::window::correct_attribute("
                     f"{self.from_fortran.handle('Win', 'win')}, {key}, {result});"]  # fmt: skip
        elif function.role == "hints":
            handles = f"{self.from_fortran.handle('Comm', 'comm')}, {self.from_fortran.handle('Info', 'info')}"
            after = [f"if (code == MPI_SUCCESS) weft::mpi::take_hints({handles});"]
        return [f"static const auto next = reinterpret_cast<void (*)({pointers})>("
                f'weft::mpi::next_symbol("{symbol}"));', "MPI_Fint code = MPI_SUCCESS;", *before,
                f"next({arguments});", *after, "if (ierror != nullptr) *ierror = code;"]  # fmt: skip
