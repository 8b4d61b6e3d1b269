# SPDX-License-Identifier: BSD-3-Clause
"""How the arguments of a Fortran procedure become those of the C function, by their kinds in functions.py."""

Conversion = tuple[list[str], str, list[str]]  # lines before the call, the argument, lines after the call


class FortranArguments:
    """A Fortran handle is a number of its own in Open MPI, the C handle itself in MPICH."""

    def __init__(self, is_openmpi: bool) -> None:
        self.is_openmpi = is_openmpi

    def converted(self, kind: str, name: str) -> Conversion:
        convert = getattr(self, "from_" + kind, None)
        return convert(name) if convert else ([], f"*static_cast<MPI_Fint*>({name})", [])

    def handle(self, kind: str, name: str) -> str:
        if self.is_openmpi:
            return f"PMPI_{kind}_f2c(*static_cast<MPI_Fint*>({name}))"
        return f"*static_cast<MPI_{'Datatype' if kind == 'Type' else kind}*>({name})"

    def from_cbuf(self, name: str) -> Conversion:
        return [], f"weft::mpi::from_fortran({name})", []

    from_buf = from_cbuf

    def from_type(self, name: str) -> Conversion:
        return [], self.handle("Type", name), []

    def from_op(self, name: str) -> Conversion:
        return [], self.handle("Op", name), []

    def from_comm(self, name: str) -> Conversion:
        return [], self.handle("Comm", name), []

    def from_info(self, name: str) -> Conversion:
        return [], self.handle("Info", name), []

    def from_group(self, name: str) -> Conversion:
        return [], self.handle("Group", name), []

    def from_window(self, name: str) -> Conversion:
        return [], self.handle("Win", name), []

    def from_aint(self, name: str) -> Conversion:
        return [], f"*static_cast<MPI_Aint*>({name})", []

    def from_counts(self, name: str) -> Conversion:
        return [], f"static_cast<const int*>({name})", []

    from_displs = from_counts

    def from_aints(self, name: str) -> Conversion:
        return [], f"static_cast<const MPI_Aint*>({name})", []

    def from_types(self, name: str, neighborly: str = "false") -> Conversion:
        if not self.is_openmpi:
            return [], f"static_cast<const MPI_Datatype*>({name})", []
        sends = "true" if name == "sendtypes" else "false"
        arguments = f"{name}, {sends}, {neighborly}, sendbuf, {self.handle('Comm', 'comm')}"
        return [f"const weft::mpi::FortranTypes c_{name}({arguments});"], f"c_{name}.data()", []

    def from_neighbor_types(self, name: str) -> Conversion:
        return self.from_types(name, "true")

    def result(self, c_type: str, kind: str, name: str) -> Conversion:
        """A handle that the call changes."""
        if not self.is_openmpi:
            return [], f"static_cast<{c_type}*>({name})", []
        back = f"if (code == MPI_SUCCESS) *static_cast<MPI_Fint*>({name}) = PMPI_{kind}_c2f(c_{name});"
        return [f"{c_type} c_{name} = PMPI_{kind}_f2c(*static_cast<MPI_Fint*>({name}));"], f"&c_{name}", [back]

    def from_request(self, name: str) -> Conversion:
        if self.is_openmpi:  # set by the call, so that nothing of its old value is converted
            back = f"if (code == MPI_SUCCESS) *static_cast<MPI_Fint*>({name}) = PMPI_Request_c2f(c_{name});"
            return [f"MPI_Request c_{name} = MPI_REQUEST_NULL;"], f"&c_{name}", [back]
        return self.result("MPI_Request", "Request", name)

    def from_newcomm(self, name: str) -> Conversion:
        if self.is_openmpi:
            back = f"if (code == MPI_SUCCESS) *static_cast<MPI_Fint*>({name}) = PMPI_Comm_c2f(c_{name});"
            return [f"MPI_Comm c_{name} = MPI_COMM_NULL;"], f"&c_{name}", [back]
        return self.result("MPI_Comm", "Comm", name)

    def from_newwin(self, name: str) -> Conversion:
        if self.is_openmpi:
            back = f"if (code == MPI_SUCCESS) *static_cast<MPI_Fint*>({name}) = PMPI_Win_c2f(c_{name});"
            return [f"MPI_Win c_{name} = MPI_WIN_NULL;"], f"&c_{name}", [back]
        return self.result("MPI_Win", "Win", name)

    def from_inout_window(self, name: str) -> Conversion:
        return self.result("MPI_Win", "Win", name)

    # The rest only for MPICH's mpi_f08, whose handles and statuses lie in memory as C's.

    def from_requests(self, name: str) -> Conversion:
        return [], f"static_cast<MPI_Request*>({name})", []

    def from_message(self, name: str) -> Conversion:
        return [], f"static_cast<MPI_Message*>({name})", []

    def from_status(self, name: str) -> Conversion:
        ignored = f"{name} == MPI_F08_STATUS_IGNORE ? MPI_STATUS_IGNORE : static_cast<MPI_Status*>({name})"
        return [], ignored, []

    def from_statuses(self, name: str) -> Conversion:
        ignored = f"{name} == MPI_F08_STATUSES_IGNORE ? MPI_STATUSES_IGNORE : static_cast<MPI_Status*>({name})"
        return [], ignored, []

    def from_intout(self, name: str) -> Conversion:
        """index, indices: Fortran counts from 1."""
        value = f"static_cast<int*>({name})"
        if name == "index":
            return [], value, [f"if (code == MPI_SUCCESS && *{value} != MPI_UNDEFINED) ++*{value};"]
        if name == "indices":
            limit = "*static_cast<int*>(outcount)"
            known = "const bool has_outcount = code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS;"
            shift = f"for (int i = 0; has_outcount && {limit} != MPI_UNDEFINED && i < {limit}; ++i) ++{value}[i];"
            return [], value, [known, shift]
        return [], value, []
