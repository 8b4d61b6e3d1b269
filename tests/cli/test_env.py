# SPDX-License-Identifier: BSD-3-Clause
"""weft env: one line for those who call mpiexec themselves."""

import shutil
from pathlib import Path

import pytest
from command_line import answer, json_answer, refusal

from weft import installation

MPIS = [host.name for host in installation.hosts() if host.library]


@pytest.mark.parametrize("name", MPIS)
def test_it_is_one_line_on_a_narrow_terminal(name, tmp_path):
    library = installation.library_path(name)
    folder = tmp_path.joinpath(*["a long name of a folder".replace(" ", "-")] * 5)
    (folder / name).mkdir(parents=True)
    (folder / name / library.name).symlink_to(library)
    line = answer("env", "--mpi", name, columns=20, WEFT_LIBRARY_DIR=str(folder))
    assert line.count("\n") == 1
    assert line.startswith(f"LD_PRELOAD={folder / name / library.name} ")
    assert all("=" in word for word in line.split())


@pytest.mark.parametrize("name", MPIS)
def test_json_says_the_same_and_how_this_mpiexec_takes_it(name):
    facts = json_answer("env", "--mpi", name)
    words = [f"{variable}={value}" for variable, value in facts["variables"].items()]
    assert answer("env", "--mpi", name).split() == words
    assert facts["mpi"] == name
    assert facts["launcher"] == str(installation.host(name).launcher)
    option = "-x" if installation.host(name).make == installation.OPEN_MPI else "-genv"
    assert facts["mpiexec"].count(option) == len(words)
    assert "LD_PRELOAD" in " ".join(facts["mpiexec"])


@pytest.mark.skipif(not MPIS, reason="no libweft.so")
def test_blanks_in_the_librarys_path_are_gone_around(tmp_path):
    library = installation.library_path(MPIS[0])
    folder = tmp_path / "two words"
    (folder / MPIS[0]).mkdir(parents=True)
    (folder / MPIS[0] / library.name).symlink_to(library)
    variables = {"WEFT_LIBRARY_DIR": str(folder), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    for _ in range(2):  # the link may be there already
        facts = json_answer("env", "--mpi", MPIS[0], **variables)
    preload = facts["variables"]["LD_PRELOAD"]
    assert " " not in preload
    assert (tmp_path / "cache") in Path(preload).parents
    assert Path(preload).samefile(library)


@pytest.mark.skipif("mpich" not in MPIS, reason="needs MPICH")
def test_what_a_shell_would_part_is_refused(tmp_path):
    variables = {"XDG_CACHE_HOME": str(tmp_path / "two words")}
    assert "has a blank in it" in refusal("env", "--mpi", "mpich", **variables)
    assert json_answer("env", "--mpi", "mpich", **variables)["variables"]["LD_LIBRARY_PATH"]


@pytest.mark.skipif(not MPIS, reason="no libweft.so")
def test_what_is_preloaded_already_stays_but_for_weft_itself():
    library = str(installation.library_path(MPIS[0]))
    libm = "libm.so.6"
    facts = json_answer("env", "--mpi", MPIS[0], LD_PRELOAD=f"{library} {libm}")
    assert facts["variables"]["LD_PRELOAD"].split(":") == [library, libm]


def test_what_is_no_mpi_program_is_refused():
    assert "not an MPI program" in refusal("env", shutil.which("ls"))
    assert "Weft knows openmpi" in refusal("env", "--mpi", "lam")


def test_settings_that_the_library_would_not_understand_are_refused():
    assert 'there is no collective "foo"' in refusal("env", "--mpi", "openmpi", WEFT_ALGORITHM="foo=bar")
