# SPDX-License-Identifier: BSD-3-Clause
"""An installed Weft is complete: a CMake project finds it, and the Python package carries its libraries."""

import importlib.machinery
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WEFT_BUILD_DIR", ROOT / "build/release"))


def run(*command, **options):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    assert result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


def libraries():
    return sorted(BUILD.glob("lib/*/libweft*.so"))


def test_a_cmake_project_uses_the_installed_core(prefix, tmp_path):
    consumer = ROOT / "tests/install/consumer"
    run("cmake", "-S", consumer, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", tmp_path)
    assert " / " in run(tmp_path / "consumer")


def test_the_installed_headers_stand_alone(prefix, tmp_path):
    headers = sorted((prefix / "include/weft").glob("*.h"))
    assert headers, "no public header was installed"
    for header in headers:
        for name, compiler in (("header.c", "gcc"), ("header.cpp", "g++")):
            source = tmp_path / name
            source.write_text(f"#include <weft/{header.name}>\n")
            run(compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{prefix / 'include'}", source)


def test_the_installed_files_do_not_mention_the_build_tree(prefix):
    for file in prefix.rglob("*.cmake"):
        assert str(ROOT) not in file.read_text(), f"{file} points back to where Weft was built"


@pytest.mark.parametrize("library", libraries(), ids=lambda path: path.parent.name)
def test_the_front_door_needs_nothing_but_its_mpi_and_libc(library):
    table = run("readelf", "-d", library)
    needed = [line.split("[")[1].rstrip("]") for line in table.splitlines() if "(NEEDED)" in line]
    mpi = [name for name in needed if re.fullmatch(r"lib(mpi|mpich|mpi_abi)\.so\.\d+", name)]
    strangers = [name for name in needed if name not in mpi and not name.startswith(("libc.so", "libm.so", "ld-linux"))]
    assert not strangers, f"{library} needs {strangers}"
    assert len(mpi) == 1, f"{library} is not linked to its MPI"


@pytest.mark.parametrize("library", libraries(), ids=lambda path: path.parent.name)
def test_the_front_door_exports_only_its_own_and_its_hosts_symbols(library):
    table = run("nm", "-D", "--defined-only", "--format=posix", library)
    exported = {line.split()[0].split("@")[0] for line in table.splitlines()}
    host = library.parent.name
    known = set((BUILD / f"generated/{host}/symbols.txt").read_text().split())
    strangers = sorted(name for name in exported if not name.startswith("weft_") and name not in known)
    assert not strangers, f"{host} does not export {strangers}"
    assert "MPI_Init" in exported


def test_the_python_package_carries_its_libraries(tmp_path):
    run("cmake", "--install", BUILD, "--prefix", tmp_path, "--component", "python")
    package = tmp_path / "weft"
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    module = package / f"_core{suffix}"
    assert module.exists(), f"the compiled core is not in the package: {sorted(package.rglob('*'))}"
    run(sys.executable, "-c", "import _core", env=os.environ | {"PYTHONPATH": str(package)})
    for built in libraries():
        library = package / built.relative_to(BUILD)
        code = f"import ctypes; ctypes.CDLL({str(library)!r})"
        run(sys.executable, "-c", code)


@pytest.mark.skipif("WEFT_TEST_WHEEL" not in os.environ, reason="compiles everything again; WEFT_TEST_WHEEL=1 runs it")
def test_pip_installs_a_package_that_works(tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ROOT, timeout=1200)
    assert "run" in run(tmp_path / "venv/bin/weft", "--help", cwd=tmp_path)
    where = run(python, "-c", "import weft, weft._core; print(weft.__path__[0])", cwd=tmp_path).strip()
    for built in libraries():
        assert (Path(where) / built.relative_to(BUILD)).exists()
