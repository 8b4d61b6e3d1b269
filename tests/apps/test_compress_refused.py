# SPDX-License-Identifier: BSD-3-Clause
"""What compress refuses, damaged archives, bad input, full disks, ends with one clear message and code 2, and leaves
nothing behind."""

import bz2
import os
import subprocess
import time

import pytest
import test_compress
from applications import ALONE, done, environment, run
from test_compress import COMPRESS, FORMATS, SMALL, compress, compress_stream, names_in, packed_bytes, plain_text

pytestmark = test_compress.pytestmark
text = test_compress.text
refused = COMPRESS.assert_refused

# --- archives


@pytest.mark.parametrize("name", FORMATS)
def test_archives_of_others_are_tested_and_unpacked(text, tmp_path, name):
    packed = tmp_path / "packed"
    once = done(run([name, "-c", text])).stdout
    packed.write_bytes(once + once)  # two streams, or frames, are one archive
    result = done(compress("--test", packed))
    assert b"sound" in result.stdout
    assert b"1400000 plain bytes" in result.stdout
    assert result.stdout.endswith(b"s 2\n")
    done(compress("--decompress", packed, "-o", tmp_path / "plain"))
    assert (tmp_path / "plain").read_bytes() == 2 * text.read_bytes()
    assert done(compress("--decompress", ranks=ALONE, given=once)).stdout == text.read_bytes()


@pytest.mark.parametrize("name", FORMATS)
def test_a_truncated_archive_is_refused_with_where_it_ends(text, tmp_path, name):
    whole, path = packed_bytes(text, name), tmp_path / "packed"
    for length in (5, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        refused(compress("--test", path, ranks=ALONE), path, "cut off", f"byte {length} ")
        refused(compress("-d", path, "-o", tmp_path / "plain", ranks=ALONE), path, "cut off", f"byte {length} ")
    assert names_in(tmp_path) == ["packed"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_archive_is_refused_with_where(text, tmp_path, name):
    whole, path = packed_bytes(text, name), tmp_path / "packed"
    for place in (len(whole) // 3, len(whole) // 2, len(whole) - 3):
        damaged = bytearray(whole)
        damaged[place] ^= 4
        path.write_bytes(damaged)
        refused(compress("-d", path, "-o", tmp_path / "plain", ranks=ALONE), path, "damaged", "at byte")
    path.write_bytes(whole + b"more")
    refused(compress("--test", path, ranks=3), path, "something else behind", "at byte")
    assert names_in(tmp_path) == ["packed"]


def test_what_is_no_archive_is_refused(text, tmp_path):
    refused(compress("--test", text, ranks=ALONE), text, "neither bzip2 nor zstd")
    path = tmp_path / "empty"
    path.touch()
    refused(compress("--test", path, ranks=ALONE), path, "empty")


# --- bad input


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bogus"], ["--bogus", "--help"]),
        (["a", "b"], ["'b'", "second"]),
        (["--level", "0"], ["--level", "1 to 9", "'0'"]),
        (["--level", "10"], ["--level", "1 to 9", "'10'"]),
        (["--level", "best"], ["--level", "'best'"]),
        (["--depth", "65"], ["--depth", "1 to 64", "'65'"]),
        (["--block", "0"], ["--block", "'0'"]),
        (["--block", "65M"], ["--block", "67108864", "'65M'"]),
        (["--block", "5x"], ["--block", "'5x'"]),
        (["--block", "-5"], ["--block", "'-5'"]),
        (["--block", "99999999999999999999"], ["--block", "'99999999999999999999'"]),
        (["--format", "gzip"], ["--format", "'gzip'", "zstd"]),
        (["--exchange", "fast"], ["--exchange", "'fast'", "pipelined"]),
        (["--repeat", "none"], ["--repeat", "'none'"]),
        (["--repeat", "2"], ["--repeat", "standard input"]),
        (["-o"], ["-o"]),
        (["--json", "-"], ["--json", "-o"]),
        (["--check"], ["--check", "-o"]),
        (["--test", "a", "-o", "b"], ["--test", "-o"]),
        (["--test", "a", "--json", "b"], ["--test", "--json"]),
        (["--test", "a", "--exchange", "skipped"], ["--exchange skipped", "--test"]),
        (["nowhere"], ["nowhere", "No such file"]),
        (["."], [".", "folder", "tar"]),
        (["-o", "."], [".", "folder"]),
        (["-o", "no/such/folder/out.bz2"], ["no/such/folder/out.bz2", "folder"]),
        (["-o", "x", "--json", "no/such/folder/out.json"], ["no/such/folder/out.json"]),
    ],
)
def test_bad_options_are_named(arguments, words):
    refused(compress(*arguments, ranks=ALONE, given=b""), *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bogus"], ["--bogus"]),
        (["nowhere"], ["nowhere"]),
        (["."], ["folder"]),
        (["-o", "no/such/folder/out.bz2"], ["no/such/folder/out.bz2"]),
    ],
)
def test_several_ranks_end_together(arguments, words):
    refused(compress(*arguments, ranks=3), *words)


def test_a_result_that_is_there_is_replaced_only_by_force(text, tmp_path):
    path = tmp_path / "text.bz2"
    path.write_text("precious")
    refused(compress(text, "-o", path, *SMALL, ranks=ALONE), path, "--force")
    assert path.read_text() == "precious"
    done(compress(text, "-o", path, "--force", *SMALL, ranks=ALONE))
    assert bz2.decompress(path.read_bytes()) == text.read_bytes()
    refused(compress(path, "-o", path, "--force", ranks=ALONE), path, "input itself")
    assert names_in(tmp_path) == ["text.bz2"]


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("exchange", ["blocking", "pipelined"])
def test_a_full_disk_ends_all_ranks(text, exchange, given):
    how = ["-o", "/dev/full", "--exchange", exchange, *SMALL]
    result = compress_stream(text.read_bytes(), *how) if given else compress(text, *how)
    refused(result, "/dev/full", "No space left", "at byte 0")


@pytest.mark.parametrize("name", FORMATS)
def test_a_full_disk_ends_all_ranks_that_unpack(text, tmp_path, name):
    path = tmp_path / "packed"
    path.write_bytes(packed_bytes(text, name))
    refused(compress("-d", path, "-o", "/dev/full", "--depth", 1, ranks=3), "/dev/full", "No space left", "at byte 0")


def test_a_file_system_that_fills_up_keeps_nothing(text, tmp_path):
    if os.geteuid() != 0 or run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path]).returncode != 0:
        pytest.skip("needs the right to mount")
    try:
        refused(compress(text, "-o", tmp_path / "text.bz2", *SMALL, ranks=3), "text.bz2", "No space left")
        assert names_in(tmp_path) == []
        packed = packed_bytes(text, "zstd")
        refused(compress("-d", "-o", tmp_path / "text", given=packed, ranks=ALONE), "No space left")
        assert names_in(tmp_path) == []
    finally:
        run(["umount", tmp_path])


def test_a_file_that_becomes_shorter_is_refused(tmp_path):
    """It is cut while the ranks are at its beginning, and none of them knows before it comes to where it was cut."""
    path = tmp_path / "plain"
    path.write_bytes(plain_text(100_000) * 200)
    command = COMPRESS.command(path, "-o", tmp_path / "packed", "--level", 1)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment())
    wait_for(lambda: list(tmp_path.glob("packed.*")))
    os.truncate(path, 2_000_000)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2, err
    assert err.count("compress: ") == 1
    assert "has 2000000 bytes now, and had 20000000 before" in err
    assert names_in(tmp_path) == ["plain"]


def test_who_is_ended_leaves_nothing_half_written(tmp_path):
    path = tmp_path / "plain"
    path.write_bytes(plain_text(100_000) * 400)
    command = COMPRESS.command(path, "-o", tmp_path / "packed", ranks=ALONE)
    process = subprocess.Popen(command, env=environment())
    wait_for(lambda: list(tmp_path.glob("packed.*")))
    process.terminate()
    assert process.wait(timeout=30) != 0
    assert names_in(tmp_path) == ["plain"]


def wait_for(condition):
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("this never came")
