# SPDX-License-Identifier: BSD-3-Clause
"""Folders of launches: whoever was killed leaves one, and only that is taken away."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from weft import scratch

OWNER = "from weft import scratch\nwith scratch.folder() as folder:\n    print(folder, flush=True)\n    input()\n"


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def an_owner():
    """Another process with a folder of its own, and that folder."""
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return owner, Path(owner.stdout.readline().strip())


def test_a_killed_owners_folder_is_taken_away_and_a_living_ones_is_not():
    killed, left = an_owner()
    living, kept = an_owner()
    try:
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        assert left.is_dir()
        with scratch.folder() as mine:
            assert mine.is_dir()
            assert not left.exists()
            assert kept.is_dir()
        assert not mine.exists()
    finally:
        living.communicate("\n")
    assert not kept.exists()


def test_what_is_not_surely_abandoned_stays(temporary):
    (temporary / "weft-run-mine").mkdir()  # no lock in it, as in one that is just being made
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / scratch.LOCK).touch()
    (temporary / "weft-run-link").symlink_to(elsewhere)
    (temporary / "weft-project").mkdir()
    (temporary / "weft-project" / scratch.LOCK).touch()
    (temporary / "weft-run-file").touch()
    before = sorted(temporary.rglob("*"))
    with scratch.folder():
        pass
    assert sorted(temporary.rglob("*")) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_other_users_folders_stay(temporary):
    theirs = temporary / "weft-run-theirs"
    theirs.mkdir()
    (theirs / scratch.LOCK).touch()
    os.chown(theirs, 12345, 12345)
    with scratch.folder():
        pass
    assert theirs.is_dir()
