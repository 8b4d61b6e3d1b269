# SPDX-License-Identifier: BSD-3-Clause
"""weft run: recognises programs, passes everything through, and refuses with one clear message and code 2."""

import json
import os
import shutil
import subprocess

import command_line
import pytest

from weft import installation

MPIS = [name for name in installation.NAMES if shutil.which(f"mpicc.{name}") and shutil.which(f"mpiexec.{name}")]
SOURCE = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, size, sum, words = 0, c;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    while ((c = getchar()) != EOF) words += c == ' ';
    printf("%d ranks, sum %d, argument %s, %d blanks, preload %s\\n", size, sum, argc > 1 ? argv[1] : "-", words,
           getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "-");
  }
  MPI_Finalize();
  return argc > 2 ? atoi(argv[2]) : 0;
}
"""


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    (folder / "say.c").write_text(SOURCE)
    for name in MPIS:
        subprocess.run([f"mpicc.{name}", folder / "say.c", "-o", folder / f"say.{name}"], check=True)
    return folder


def weft(*arguments, stdin="", cwd=None, **variables):
    environment = {k: v for k, v in os.environ.items() if k != "WEFT_MPI"} | variables
    return command_line.run(*arguments, stdin=stdin, timeout=100, variables=environment, cwd=cwd)


def refused(*arguments, **variables):
    """The message of a command that must end with code 2."""
    result = weft(*arguments, **variables)
    assert result.returncode == 2, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    return " ".join(result.stderr.split())


@pytest.mark.parametrize("name", MPIS)
def test_a_binary_is_recognised_and_gets_everything(programs, name):
    result = weft("run", "-n", 3, "--", programs / f"say.{name}", "hello there", stdin="a b c")
    assert result.returncode == 0, result.stderr
    assert "3 ranks, sum 3, argument hello there, 2 blanks" in result.stdout
    assert f"{name}/libweft.so" in result.stdout


@pytest.mark.parametrize("name", MPIS)
@pytest.mark.parametrize("option", [[], ["--host-only"]])
def test_the_exit_code_is_the_programs(programs, name, option):
    result = weft("run", "-n", 2, *option, "--", programs / f"say.{name}", "x", 7)
    assert result.returncode == 7


@pytest.mark.parametrize("name", MPIS)
def test_host_only_preloads_nothing(programs, name):
    result = weft("run", "-n", 2, "--host-only", programs / f"say.{name}")
    assert "preload -" in result.stdout


@pytest.mark.parametrize("name", MPIS)
def test_stats_as_a_table_and_as_a_file(programs, name, tmp_path):
    table = weft("run", "-n", 2, "--stats", "--", programs / f"say.{name}")
    assert "MPI_Allreduce" in table.stderr
    assert "ranks together" in table.stderr and "ranks together" not in table.stdout
    file = tmp_path / "stats.json"
    for words in (["--stats", file, "-n", 2], [f"--stats={file}", "-n", 2], ["-n", 2, "--stats", file]):
        file.unlink(missing_ok=True)
        assert weft("run", *words, "--", programs / f"say.{name}").returncode == 0
        said = json.loads(file.read_text())
        taken = said["collectives"]["MPI_Allreduce"]
        assert (taken["weft"], taken["host"], taken["why"]) == (2, 0, {})
        assert 0 < taken["waited_microseconds"] < taken["microseconds"]
        assert said["plans"]["made"] == 2 and said["plans"]["found"] == 0
        assert said["constructors"]["calls"] == 4  # of MPI_COMM_WORLD and MPI_COMM_SELF, on two ranks


@pytest.mark.parametrize("name", MPIS)
def test_files_of_settings_are_found_wherever_the_program_runs(programs, name, tmp_path):
    (tmp_path / "mine.txt").write_text("WEFT_RADIX = 3\n")
    files = {"WEFT_TUNING_FILE": "mine.txt", "WEFT_STATS": "counts.json"}
    result = weft("run", "-n", 2, "--mpiexec-args=-wdir /", "--", programs / f"say.{name}", cwd=tmp_path, **files)
    assert result.returncode == 0 and "steps aside" not in result.stderr
    assert json.loads((tmp_path / "counts.json").read_text())["settings"]["WEFT_RADIX"]["value"] == "3"


@pytest.mark.parametrize("name", MPIS)
def test_scripts_take_the_chosen_mpi(programs, name, tmp_path):
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\nexec {programs}/say.{name} from-script\n")
    for command in ([script], ["sh", script]):
        result = weft("run", "--mpi", name, "-n", 2, "--", *command)
        assert "2 ranks, sum 1, argument from-script" in result.stdout, result.stderr
        assert f"{name}/libweft.so" in result.stdout
    script.chmod(0o755)
    assert "from-script" in weft("run", "--mpi", name, "-n", 2, "--", script).stdout


@pytest.mark.parametrize("name", MPIS)
def test_a_wrapper_before_a_binary_is_looked_through(programs, name):
    result = weft("run", "-n", 2, "--", "env", "A=1", programs / f"say.{name}")
    assert f"{name}/libweft.so" in result.stdout, result.stderr


@pytest.mark.parametrize("name", MPIS)
def test_a_folder_with_a_blank_in_its_name_is_no_obstacle(programs, name, tmp_path):
    folder = tmp_path / "two words"
    (folder / name).mkdir(parents=True)
    (folder / name / "libweft.so").symlink_to(installation.library_path(name))
    result = weft("run", "-n", 2, "--stats", "--", programs / f"say.{name}", WEFT_LIBRARY_DIR=str(folder))
    assert "MPI_Allreduce" in result.stderr, result.stderr


def test_a_sanitized_program_gets_its_run_time_first(programs):
    if "openmpi" not in MPIS:
        pytest.skip("Open MPI is not installed")
    target = programs / "say.asan"
    build = ["mpicc.openmpi", "-fsanitize=address", programs / "say.c", "-o", target]
    if subprocess.run(build, capture_output=True, check=False).returncode != 0:
        pytest.skip("the compiler has no address sanitizer")
    result = weft("run", "-n", 2, "--", target, ASAN_OPTIONS="detect_leaks=0")
    assert result.returncode == 0, result.stderr
    preload = result.stdout.rsplit("preload ", 1)[1]
    assert preload.index("libasan") < preload.index("libweft")


@pytest.mark.skipif(len(MPIS) < 2, reason="needs two MPIs")
def test_a_binary_of_another_mpi_is_refused(programs):
    message = refused("run", "--mpi", "mpich", "-n", 2, programs / "say.openmpi")
    assert "built for Open MPI" in message
    message = refused("run", "--mpi", "openmpi", "-n", 2, programs / "say.mpich")
    assert "built for MPICH" in message


def test_what_is_not_a_program_is_refused(tmp_path):
    (tmp_path / "text.txt").write_text("hello\n")
    assert "no such program" in refused("run", "-n", 2, "no-such-program")
    assert "not an MPI program" in refused("run", "-n", 2, "--", shutil.which("ls"))
    assert "neither a program nor a script" in refused("run", "-n", 2, tmp_path / "text.txt")
    assert "is a folder" in refused("run", "-n", 2, tmp_path)
    assert "no program is given" in refused("run", "-n", 2)


def test_a_static_program_is_told_how_to_be_linked(tmp_path):
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    build = ["cc", "-static", tmp_path / "main.c", "-o", tmp_path / "main"]
    if subprocess.run(build, capture_output=True, check=False).returncode != 0:
        pytest.skip("the compiler cannot link statically")
    message = refused("run", "-n", 2, "--", tmp_path / "main")
    assert "Link it with the MPI's shared library, that is, without -static" in message
    assert "script" not in message


@pytest.mark.skipif(not MPIS, reason="no MPI")
def test_bad_options_are_refused(programs, tmp_path):
    program = programs / f"say.{MPIS[0]}"
    for ranks in ("0", "-1", "two", "1.5"):
        assert "-n" in refused("run", "-n", ranks, "--", program)
    assert "Weft knows openmpi, mpich, openmpi5, mpich5, abi" in refused("run", "--mpi", "lam", "-n", 1, program)
    assert "cannot be written" in refused("run", "--stats", tmp_path / "no" / "s.json", "-n", 1, program)
    refusal = refused("run", "-n", 1, program, WEFT_LOG=str(tmp_path))
    assert f"WEFT_LOG={tmp_path} cannot be written: Is a directory" in refusal
    assert "No closing quotation" in refused("run", "--mpiexec-args", "'", "-n", 1, program)
    assert "nothing for --stats" in refused("run", "--host-only", "--stats", "-n", 1, program)


@pytest.mark.skipif(not MPIS, reason="no MPI")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEFT_ENABLE", "maybe"),
        ("WEFT_VERBOSE", "2"),
        ("WEFT_HANDSHAKE_SECONDS", "0"),
        ("WEFT_ALGORITHM", "ring"),
        ("WEFT_ALGORITHM", "allreduce=no_such"),
        ("WEFT_ALGORITHM", "allreduce=ring:3"),
        ("WEFT_ALGORITHM", "sort=ring"),
        ("WEFT_ALGORITHM", "allreduce=recursive_k_ing:1"),
        ("WEFT_HIERARCHY", "rack+node"),
        ("WEFT_TOPOLOGY", "node:two"),
        ("WEFT_DEVICE", "nic"),
        ("WEFT_WIRE", "pigeons"),
        ("WEFT_WIRE", "fabric:"),
        ("WEFT_RADIX", "1"),
    ],
)
def test_values_of_variables_that_make_no_sense_are_refused(programs, name, value):
    pytest.importorskip("weft._core", reason="the table is in the compiled core, which is not built")
    message = refused("run", "-n", 1, programs / f"say.{MPIS[0]}", **{name: value})
    assert f"{name}={value} is not understood" in message


@pytest.mark.skipif(not MPIS, reason="no MPI")
def test_a_topology_without_a_place_for_every_rank_is_refused(programs):
    pytest.importorskip("weft._core")
    message = refused("run", "-n", 3, programs / f"say.{MPIS[0]}", WEFT_TOPOLOGY="node:2 core:1")
    assert "WEFT_TOPOLOGY=node:2 core:1 is not understood: 3 ranks do not fit" in message
    assert "has 2 places" in message


@pytest.mark.skipif(not MPIS, reason="no MPI")
def test_tuning_files_that_make_no_sense_are_refused_with_file_and_line(programs, tmp_path):
    pytest.importorskip("weft._core")
    program, file = programs / f"say.{MPIS[0]}", tmp_path / "tuning.txt"
    assert f"WEFT_TUNING_FILE={file} cannot be read" in refused("run", program, WEFT_TUNING_FILE=str(file))
    for text, said in {
        "# ours\nWEFT_NODE_SLOTS = 3\n": f"{file}:2: WEFT_NODE_SLOTS=3 is not understood: use a power of two from 1",
        "WEFT_SLOTS = 4\n": f"{file}:1: there is no setting WEFT_SLOTS",
        "WEFT_ALGORITHM = bcast=ring\n": f"{file}:1: WEFT_ALGORITHM=bcast=ring is not understood: bcast has no",
    }.items():
        file.write_text(text)
        assert said in refused("run", program, WEFT_TUNING_FILE=str(file))


@pytest.mark.skipif(not MPIS, reason="no MPI")
def test_a_missing_library_is_said(programs, tmp_path):
    message = refused("run", "-n", 1, programs / f"say.{MPIS[0]}", WEFT_LIBRARY_DIR=str(tmp_path))
    assert "libweft.so is not built for" in message


@pytest.mark.parametrize("name", MPIS)
@pytest.mark.parametrize("others", ["", "libm.so.6"])
def test_mpiexec_itself_is_never_preloaded(programs, name, others, tmp_path):
    """Neither when it is asked for its version nor when it starts ranks; what others preload there stays."""
    seen = tmp_path / "seen"
    launcher = tmp_path / f"mpiexec.{name}"
    real = shutil.which(launcher.name)
    launcher.write_text(f'#!/bin/sh\necho "$1: $LD_PRELOAD" >> {seen}\nexec {real} "$@"\n')
    launcher.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    result = weft("run", "-n", 2, "--", programs / f"say.{name}", PATH=path, LD_PRELOAD=others)
    assert "libweft.so" in result.stdout, result.stderr
    asked = [line.partition(": ") for line in seen.read_text().splitlines()]
    assert {first == "--version" for first, _, _ in asked} == {True, False}
    assert {preloaded for _, _, preloaded in asked} == {others}
