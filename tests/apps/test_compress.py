# SPDX-License-Identifier: BSD-3-Clause
"""compress writes what bzip2 and zstd accept, whoever compresses what, and with Weft as without."""

import bz2
import json
import random
import shutil

import pytest
from applications import ALONE, WAYS, Application, a_pipe, done, run

COMPRESS = Application("compress", "libbz2 and libzstd", text=False)
FORMATS = {"bzip2": "bz2", "zstd": "zst"}
SMALL = ["--level", 1, "--block", 50_000]

pytestmark = COMPRESS.needed
compress = COMPRESS.run


def compress_stream(content, *arguments, ranks=2, **how):
    if ranks == ALONE:
        return compress(*arguments, ranks=ALONE, given=content)
    with a_pipe(content) as pipe:
        return compress(pipe, *arguments, ranks=ranks, **how)


def report(*arguments, ranks=2):
    return COMPRESS.report(*arguments, ranks=ranks)


def plain_text(count):
    """Words, with runs of equal bytes of all lengths that bzip2's first stage treats in its own way."""
    chance = random.Random(count)
    words = [bytes(chance.choices(b"abcdefgh", k=chance.randint(1, 9))) for _ in range(200)]
    text = bytearray()
    while len(text) < count:
        text += b" ".join(chance.choices(words, k=50))
        text += bytes([chance.randrange(256)]) * chance.choice([1, 3, 4, 5, 254, 255, 256, 259, 600])
    return bytes(text[:count])


def packed_bytes(text, name):
    return done(compress(text, "--format", name, *SMALL, ranks=ALONE)).stdout


def unpacked(path, name):
    """By the format's own program, which must have tested it before."""
    done(run([name, "-t", path]))
    return done(run([name, "-d", "-c", path])).stdout


def names_in(folder):
    return [path.name for path in folder.iterdir()]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "text"
    path.write_bytes(plain_text(700_000))
    return path


# --- the result


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 8])
def test_the_formats_own_programs_find_in_it_what_came_in(text, tmp_path, ranks, name):
    path = tmp_path / f"text.{FORMATS[name]}"
    got = report(text, "-o", path, "--format", name, *SMALL, ranks=ranks)
    assert unpacked(path, name) == text.read_bytes()
    assert got["ranks"] == ranks
    assert got["right"] is True
    assert got["bytes_in"] == got["plain_bytes_back"] == 700_000
    assert got["bytes_out"] == path.stat().st_size
    assert got["rounds"] == -(-14 // ranks)
    assert got["blocks"] >= 14


@pytest.mark.parametrize("name", FORMATS)
def test_the_result_does_not_depend_on_who_makes_it_and_how(text, tmp_path, name):
    ways = [
        (1, "file", "pipelined", 2),
        (3, "file", "pipelined", 1),
        (2, "stream", "pipelined", 1),
        (4, "stream", "pipelined", 5),
        (2, "file", "blocking", 2),
        (3, "stream", "blocking", 1),
    ]
    results = set()
    for number, (ranks, source, exchange, depth) in enumerate(ways):
        path = tmp_path / str(number)
        how = ["--exchange", exchange, "--depth", depth, "--format", name, *SMALL]
        if source == "file":
            done(compress(text, "-o", path, *how, ranks=ranks))
            results.add(path.read_bytes())
        else:
            results.add(done(compress_stream(text.read_bytes(), *how, ranks=ranks)).stdout)
    assert len(results) == 1


@pytest.mark.parametrize("tester", ["bzip2", "pbzip2", "lbzip2"])
def test_every_bzip2_accepts_the_stream(text, tmp_path, tester):
    if not shutil.which(tester):
        pytest.skip(f"{tester} is not installed")
    path = tmp_path / "text.bz2"
    done(compress(text, "-o", path, *SMALL, ranks=3))
    assert unpacked(path, tester) == text.read_bytes()


def test_bzip2s_result_is_one_stream(text, tmp_path):
    path = tmp_path / "text.bz2"
    done(compress(text, "-o", path, *SMALL, ranks=4))
    decompressor = bz2.BZ2Decompressor()
    assert decompressor.decompress(path.read_bytes()) == text.read_bytes()
    assert decompressor.eof
    assert decompressor.unused_data == b""


def test_blocks_as_long_as_bzip2s_own_are_the_same_blocks(tmp_path):
    """Without runs that its first stage would lengthen, bzip2 cuts at the same places: the files are equal."""
    plain = bytes(random.Random(1).choices(range(0, 256, 3), k=350_000))
    plain = b"".join(plain[i : i + 1] + bytes([i % 2]) for i in range(len(plain)))  # no two neighbours are equal
    plain = bytes(b if b > 1 else 200 + i % 50 for i, b in enumerate(plain))
    path = tmp_path / "plain"
    path.write_bytes(plain)
    done(compress(path, "-o", tmp_path / "ours", "--level", 1, ranks=3))
    assert (tmp_path / "ours").read_bytes() == done(run(["bzip2", "-1", "-c", path])).stdout


INPUTS = {
    "empty": b"",
    "one byte": b"x",
    "one block": bytes(random.Random(2).choices(b"ab", k=99_981)),
    "one block and a byte": bytes(random.Random(3).choices(b"ab", k=99_982)),
    "one run": bytes(1_000_000),
    "runs of four, which bzip2 lengthens": b"".join(bytes([i % 251]) * 4 for i in range(75_000)),
    "random": random.Random(4).randbytes(300_000),
    "the magics themselves": bytes.fromhex("314159265359177245385090") * 20_000,
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("what", INPUTS)
def test_inputs_of_every_kind(tmp_path, what, name):
    plain, path, packed = INPUTS[what], tmp_path / "plain", tmp_path / "packed"
    path.write_bytes(plain)
    done(compress(path, "-o", packed, "--format", name, "--level", 1, "--check", ranks=2))
    done(compress(packed, "--test", ranks=ALONE))
    assert done(run([name, "-d", "-c"], given=packed.read_bytes())).stdout == plain
    given = done(compress("-", "--format", name, "--level", 1, ranks=ALONE, given=plain))
    assert given.stdout == packed.read_bytes()


@pytest.mark.parametrize("block", [1, 7, 99_981, 250_000, "1M"])
def test_blocks_of_every_length(tmp_path, block):
    plain = plain_text(400 if block in (1, 7) else 600_000)
    path, packed = tmp_path / "plain", tmp_path / "packed"
    path.write_bytes(plain)
    got = report(path, "-o", packed, "--block", block, "--level", 1, ranks=3)
    assert got["right"] is True
    assert bz2.decompress(packed.read_bytes()) == plain


@pytest.mark.parametrize("level", range(1, 10))
def test_levels(text, tmp_path, level):
    for name in FORMATS:
        path = tmp_path / name
        done(compress(text, "-o", path, "--format", name, "--level", level, "--check", ranks=ALONE))
        assert unpacked(path, name) == text.read_bytes()


# --- what is reported


def test_what_is_skipped_is_neither_written_nor_called_right(text, tmp_path):
    path = tmp_path / "text.bz2"
    got = report(text, "-o", path, "--exchange", "skipped", *SMALL)
    assert got["right"] is None
    assert got["answer"] == "not checked"
    assert got["bytes_out"] is None
    assert got["waiting_seconds"] < got["seconds"]
    assert not path.exists()


def test_the_median_of_the_repetitions_is_reported(text, tmp_path):
    got = report(text, "-o", tmp_path / "text.bz2", "--repeat", 5, *SMALL)
    assert len(got["seconds_all"]) == 5
    assert got["seconds"] == sorted(got["seconds_all"])[2]
    assert got["right"] is True
    assert bz2.decompress((tmp_path / "text.bz2").read_bytes()) == text.read_bytes()


def test_the_table_and_the_json_file(text, tmp_path):
    result = done(compress(text, "-o", tmp_path / "text.bz2", "--json", tmp_path / "json", *SMALL))
    assert "answer                                 right" in result.stdout.decode()
    got = json.loads((tmp_path / "json").read_text())
    assert got["ratio"] == pytest.approx(got["bytes_in"] / got["bytes_out"])
    assert got["megabytes_per_second"] == pytest.approx(got["bytes_in"] / got["seconds"] / 1e6)


def test_without_a_name_only_the_result_goes_to_standard_output(text):
    assert bz2.decompress(done(compress(text, *SMALL)).stdout) == text.read_bytes()


def test_help_names_every_option():
    result = done(compress("--help", ranks=ALONE))
    options = "-o --force --format --level --check --block --depth --exchange --repeat --test --decompress --json"
    assert all(f"  {option} " in result.stdout.decode() for option in options.split())


# --- with Weft


@pytest.mark.parametrize("exchange", ["blocking", "pipelined"])
@pytest.mark.parametrize("way", WAYS)
def test_weft_brings_the_same(text, tmp_path, exchange, way):
    expected = packed_bytes(text, "bzip2")
    path = tmp_path / "text.bz2"
    arguments = ["--exchange", exchange, *SMALL]
    done(compress(text, "-o", path, "--json", tmp_path / "json", *arguments, ranks=4, way=way))
    assert path.read_bytes() == expected
    assert json.loads((tmp_path / "json").read_text())["right"] is True
    assert done(compress_stream(text.read_bytes(), *arguments, ranks=4, way=way)).stdout == expected
