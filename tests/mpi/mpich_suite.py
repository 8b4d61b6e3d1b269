# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's own tests, from Debian's source package, end under Weft as without it: on MPICH, and on Open MPI as far as
they can be compiled there. `make mpich-suite` gets, compiles and runs them, for an hour and more; `make test` does
not."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import kept
import pytest

pytestmark = pytest.mark.takes_long
FOLDERS = ["attr", "basic", "coll", "comm", "datatype", "errhan", "errors", "f08", "f77", "f90", "group", "info"]
FOLDERS += ["init", "io", "part", "pt2pt", "rma", "spawn", "threads", "topo"]
LISTS = ("testlist", "testlist.dtp")
LONGEST = 60  # seconds of one test, times what tests are patient; theirs have up to 600
TRIES = 3  # of a test that does not always end in the same way
DIFFERENT = {
    # A rank whose buffers the host refuses takes part all the same (decision 8), and does so again when it calls again.
    "errors/coll/noalias",
    "errors/coll/nb_noalias",
    # The leaders meet before the host looks at where the new communicator is to be.
    "errors/comm/intercomm_create_nullarg",
}


@dataclass
class Listed:
    """A line of a testlist."""

    folder: Path  # relative to the suite's
    name: str
    ranks: int
    arguments: list[str]
    variables: dict[str, str]
    seconds: int
    must_fail: bool

    def __str__(self):
        return " ".join([str(self.folder / self.name), *self.arguments, f"on {self.ranks} ranks"])


@pytest.fixture(scope="session")
def suite():
    """The folder with the sources; downloaded once."""
    with kept.alone("MPICH's tests"):
        downloads = kept.BUILD / "downloads"
        archives = downloads.glob("mpich_*.orig.tar.[gx]z")
        archive = next(archives, None) or download(downloads)
        folder = downloads / archive.name.split(".orig")[0].replace("_", "-") / "test" / "mpi"
        if not (folder / "configure").is_file():
            shutil.unpack_archive(archive, downloads)
        return folder


def download(target):
    """By apt, with lists of its own: systems seldom have those of sources."""
    if not shutil.which("apt-get"):
        pytest.skip(f"no apt-get: put Debian's mpich_VERSION.orig.tar.xz into {target}")
    own = target / "apt"
    (own / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    sources = own / "sources.list"
    apt = ["apt-get", "-q"]
    for option in (
        f"Dir::State::lists={own}/lists",
        f"Dir::Cache={own}",
        f"Dir::Etc::sourcelist={sources}",
        "Dir::Etc::sourceparts=/dev/null",
    ):
        apt += ["-o", option]

    def run(*command):
        return subprocess.run(command, cwd=target, capture_output=True, text=True, timeout=300, check=False)

    known = run(
        "apt-get", "indextargets", "--format", "deb-src $(SITE) $(CODENAME) $(COMPONENT)", "Created-By: Packages"
    )
    sources.write_text(known.stdout)
    run(*apt, "update")
    done = run(*apt, "source", "--download-only", "mpich")
    archive = next(target.glob("mpich_*.orig.tar.[gx]z"), None)
    if not archive:
        pytest.skip(f"MPICH's source package cannot be downloaded: {done.stderr.strip()[-300:]}")
    return archive


def compiled(mpi, suite, folder):
    """Where the programs of a folder are; those that this MPI has no functions for are not there."""
    target = kept.BUILD / "mpich_suite" / mpi.name
    with kept.alone(f"MPICH's tests for {mpi.name}"):
        log = target / "make.log"
        if not (target / "util" / "mtest.o").is_file():
            configure(mpi, suite, target)
            for library in ("dtpools", "util"):
                make(target / library, log)
        if (target / folder / "Makefile").is_file():
            make(target / folder, log)
    return target


def configure(mpi, suite, target):
    tools = target / "tools" / "bin"
    tools.mkdir(parents=True, exist_ok=True)
    for name in ("mpicc", "mpicxx", "mpif77", "mpif90", "mpifort", "mpiexec"):
        if (tool := mpi.tool(name)) and not (tools / name).exists():
            (tools / name).symlink_to(tool)
    # Of MPI 1, which Open MPI's header no longer declares unless asked, its library has the functions.
    flags = {name: "-fallow-argument-mismatch" for name in ("FFLAGS", "FCFLAGS")}
    flags |= {"CC": tools / "mpicc", "CPPFLAGS": "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0"}
    command = [
        suite / "configure",
        f"--with-mpi={target / 'tools'}",
        *(f"{key}={value}" for key, value in flags.items()),
    ]
    done = subprocess.run(command, cwd=target, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def make(folder, log):
    with log.open("a") as file:
        subprocess.run(["make", "-k", "-C", folder], stdout=file, stderr=file, timeout=1800, check=False)


def listed(suite, built, folder):
    """What the lists of a folder name, and those of the folders that they name."""
    tests = []
    for name in LISTS:
        file = next((one / folder / name for one in (built, suite) if (one / folder / name).is_file()), None)
        for line in file.read_text().splitlines() if file else []:
            words = line.split("#")[0].split()
            if len(words) == 1 and (suite / folder / words[0]).is_dir():
                tests += listed(suite, built, folder / words[0])
            elif len(words) > 1 and words[1].isdigit():
                tests.append(parsed(folder, words))
    return tests


def parsed(folder, words):
    name, ranks, *others = words
    options = [re.fullmatch("(arg|env|timeLimit|resultTest)=(.*)", word) for word in others]
    of = {
        key: [one[2] for one in options if one and one[1] == key] for key in ("arg", "env", "timeLimit", "resultTest")
    }
    return Listed(
        folder=folder,
        name=name,
        ranks=int(ranks),
        arguments=of["arg"],
        variables=dict(one.split("=", 1) for one in of["env"]),
        seconds=min([LONGEST, *map(int, of["timeLimit"])]),
        must_fail="TestErrFatal" in of["resultTest"],
    )


def passes(mpi, built, test, weft):
    try:
        result = mpi.run(
            built / test.folder / test.name,
            *test.arguments,
            ranks=test.ranks,
            weft=weft,
            variables=test.variables,
            timeout=test.seconds,
            code=None,
            cwd=built / test.folder,
        )
    except pytest.fail.Exception:  # not in time
        return False
    if test.must_fail:
        return result.code != 0
    return result.code == 0 and "no errors" in result.out.lower()


@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize("folder", FOLDERS)
def test_mpichs_own_tests_end_as_without_weft(mpi, suite, folder):
    built = compiled(mpi, suite, folder)
    tests = [test for test in listed(suite, built, Path(folder)) if (built / test.folder / test.name).is_file()]
    if not tests:
        pytest.skip(f"{mpi.title} has nothing that these need")
    failed = [test for test in tests if not passes(mpi, built, test, weft=True)]
    worse = [str(test) for test in failed if fails_under_weft_alone(mpi, built, test)]
    print(f"{mpi.title}, {folder}: {len(tests) - len(failed)} of {len(tests)} pass under Weft")
    assert not worse, "\n".join(worse)


def fails_under_weft_alone(mpi, built, test):
    """Whether a test that has failed once does so under Weft and not on the host. Most fail there as well; some come
    and go on both, so that one further failure of three is printed, and two are too many."""
    if str(test.folder / test.name) in DIFFERENT:
        print(f"{test}: fails under Weft, as DIFFERENT says")
        return False
    if not passes(mpi, built, test, weft=False):
        print(f"{test}: fails, with Weft and without")
        return False
    again = [(passes(mpi, built, test, weft=False), passes(mpi, built, test, weft=True)) for _ in range(TRIES)]
    host, weft = (sum(column) for column in zip(*again, strict=True))
    print(f"{test}: failed under Weft; then the host passed {host}, Weft {weft} times of {TRIES}")
    return host == TRIES and weft < TRIES - 1
