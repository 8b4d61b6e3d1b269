# SPDX-License-Identifier: BSD-3-Clause
"""What compress --test and --decompress say of archives that others made is what the formats' own libraries say, on any
number of ranks: of whole ones, of several streams, of cut and damaged ones, and where a block's magic is in a block."""

import bz2
import random
import shutil

import bzip2_by_hand as by_hand
import pytest
import test_compress
from applications import ALONE, WAYS, done, run
from test_compress import COMPRESS, compress, compress_stream, plain_text

pytestmark = test_compress.pytestmark
refused = COMPRESS.assert_refused
PLAIN = plain_text(300_000)


def read_by_python(archive):
    """The content, or None where something is wrong with it."""
    plain = b""
    while True:
        decompressor = bz2.BZ2Decompressor()
        try:
            plain += decompressor.decompress(archive)
        except OSError:
            return None
        if not decompressor.eof:
            return None
        archive = decompressor.unused_data
        if not archive:
            return plain


def assert_read_as_by_python(path, ranks):
    plain = read_by_python(path.read_bytes())
    result = compress("-d", path, ranks=ranks)
    if plain is None:
        done(result, code=2)
        assert result.stderr.count("compress: ") == 1, str(result)
        assert "cut off" in result.stderr or " at byte " in result.stderr or "neither" in result.stderr, str(result)
    else:
        assert done(result).stdout == plain


ARCHIVES = {
    "one stream": bz2.compress(PLAIN, 1),
    "streams of several levels": bz2.compress(PLAIN, 1) + bz2.compress(PLAIN[:1000], 9) + bz2.compress(PLAIN, 3),
    "empty streams between others": bz2.compress(b"")
    + bz2.compress(PLAIN, 2)
    + 3 * bz2.compress(b"")
    + bz2.compress(b"x"),
    "an empty stream": bz2.compress(b""),
    "many small streams": b"".join(bz2.compress(bytes([byte])) for byte in range(200)),
}


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("what", ARCHIVES)
def test_bzip2_is_read(tmp_path, what, ranks):
    path = tmp_path / "packed"
    path.write_bytes(ARCHIVES[what])
    plain = read_by_python(ARCHIVES[what])
    assert done(compress("-d", path, ranks=ranks)).stdout == plain
    assert f"{len(ARCHIVES[what])} bytes, {len(plain)} plain bytes".encode() in done(compress("--test", path)).stdout


MAKERS = {
    "bzip2": ["bzip2", "-1", "-c"],
    "pbzip2": ["pbzip2", "-1", "-b1", "-c"],
    "lbzip2": ["lbzip2", "-1", "-c"],
    "zstd": ["zstd", "-q", "-c"],
    "pzstd": ["pzstd", "-q", "-p", "4", "-c"],
}


@pytest.mark.parametrize("maker", MAKERS)
def test_whoever_made_it(tmp_path, maker):
    if not shutil.which(maker):
        pytest.skip(f"{maker} is not installed")
    path, packed = tmp_path / "plain", tmp_path / "packed"
    path.write_bytes(5 * PLAIN)
    once = done(run([*MAKERS[maker], path])).stdout
    packed.write_bytes(2 * once)
    for ranks in (ALONE, 3):
        assert done(compress("-d", packed, ranks=ranks)).stdout == 10 * PLAIN
    assert done(compress_stream(once, "-d", ranks=2)).stdout == 5 * PLAIN


@pytest.mark.parametrize("exchange", ["blocking", "pipelined"])
@pytest.mark.parametrize("way", WAYS)
def test_weft_brings_the_same(tmp_path, way, exchange):
    path = tmp_path / "packed"
    path.write_bytes(ARCHIVES["streams of several levels"])
    arguments = ("-d", path, "--exchange", exchange, "--depth", 1)
    done(compress(*arguments, "-o", tmp_path / "plain", ranks=4, way=way))
    assert (tmp_path / "plain").read_bytes() == read_by_python(path.read_bytes())


def test_frames_without_a_length_and_others_take_turns(tmp_path):
    """zstd does not know the length of what it reads from a pipe; so much comes out of one of these frames that rank 0
    keeps it for itself."""
    packed = tmp_path / "packed"
    known = done(compress_stream(PLAIN, "--format", "zstd", "--block", 100_000, ranks=ALONE)).stdout
    unknown = done(run(["zstd", "-q", "-c"], given=PLAIN)).stdout
    much = done(run(["zstd", "-q", "-c"], given=bytes(68_000_000))).stdout
    skippable = bytes.fromhex("522a4d18 03000000 616263")
    packed.write_bytes(skippable + known + unknown + much + skippable + unknown + known + skippable)
    for ranks in (ALONE, 3):
        assert done(compress("-d", packed, ranks=ranks)).stdout == 2 * PLAIN + bytes(68_000_000) + 2 * PLAIN
    result = done(compress("--test", packed))
    assert b"frames 9" in result.stdout
    packed.write_bytes(known + much[:-2])
    refused(compress("--test", packed), "cut off", f"byte {packed.stat().st_size} ")
    packed.write_bytes(known + unknown[:-2])
    refused(compress("--test", packed), "cut off", f"byte {packed.stat().st_size} ")
    packed.write_bytes(known + b"what is this?")
    refused(compress("--test", packed, ranks=ALONE), "something else behind the last frame", f"byte {len(known)}")


def test_a_block_may_become_fifty_times_what_it_was(tmp_path):
    """More comes out of a round than is gathered at once."""
    path, plain = tmp_path / "packed", tmp_path / "plain"
    path.write_bytes(bz2.compress(bytes(150_000_000)))
    done(compress("-d", path, "-o", plain, ranks=3))
    assert plain.read_bytes() == bytes(150_000_000)


# --- a magic in a block


def blocks_with_a_magic_inside():
    chance = random.Random(7)
    magic = by_hand.symbols_with(by_hand.BLOCK_MAGIC)

    def some():
        return chance.choices(range(7), weights=[1, 1, 9, 9, 9, 9, 9], k=chance.randint(100, 200))

    inside = [by_hand.block([*some(), *magic, *some(), *magic, *some()], origin) for origin in range(5)]
    without = [by_hand.block(some()) for _ in range(4)]
    return [block for pair in zip(inside, [*without, inside[0]], strict=True) for block in pair]


@pytest.mark.parametrize("ranks", [ALONE, 1, 2, 3, 4])
def test_a_magic_inside_a_block_is_no_block(tmp_path, ranks):
    blocks = blocks_with_a_magic_inside()
    assert sum(bits.count(by_hand.bits_of(by_hand.BLOCK_MAGIC, 48)) for bits, _, _ in blocks) == 10 + 2 * 6
    path = tmp_path / "packed"
    path.write_bytes(by_hand.stream(blocks) + bz2.compress(PLAIN, 1) + by_hand.stream(blocks[:1], level=1))
    plain = b"".join(plain for _, _, plain in blocks) + PLAIN + blocks[0][2]
    assert read_by_python(path.read_bytes()) == plain
    assert done(compress("-d", path, "--depth", 1, ranks=ranks)).stdout == plain


@pytest.mark.parametrize("how", [("--exchange", "blocking"), ("--depth", 1), ("--depth", 2)])
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_however_many_magics_are_inside_a_block(tmp_path, count, how):
    chance = random.Random(count)
    magic = by_hand.symbols_with(by_hand.BLOCK_MAGIC)
    some = [chance.choices(range(7), weights=[1, 1, 9, 9, 9, 9, 9], k=150) for _ in range(count + 1)]
    symbols = [symbol for part in some[:-1] for symbol in [*part, *magic]] + some[-1]
    blocks = [by_hand.block(symbols, origin) for origin in range(4)]
    path = tmp_path / "packed"
    path.write_bytes(by_hand.stream(blocks))
    plain = b"".join(plain for _, _, plain in blocks)
    assert read_by_python(path.read_bytes()) == plain
    assert done(compress("-d", path, *how, ranks=ALONE)).stdout == plain


def test_a_damaged_block_with_a_magic_inside_is_refused(tmp_path):
    path = tmp_path / "packed"
    whole = by_hand.stream(blocks_with_a_magic_inside())
    for place in range(20, len(whole), len(whole) // 12):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        assert_read_as_by_python(path, ALONE)


def test_a_frame_that_says_a_wrong_length_is_damaged_before_it_fills_the_memory(tmp_path):
    """RFC 8878: 1,000 bytes it says, of a window of 128 KiB; what comes are blocks of 128 KiB of one byte each."""
    header = bytes([0x28, 0xB5, 0x2F, 0xFD, 0x40, 0x38]) + (1000 - 256).to_bytes(2, "little")
    block = (131072 << 3 | 1 << 1).to_bytes(3, "little") + b"a"
    last = (131072 << 3 | 1 << 1 | 1).to_bytes(3, "little") + b"a"
    path = tmp_path / "packed"
    path.write_bytes(header + 200_000 * block + last)
    refused(compress("-d", path, ranks=ALONE), "is damaged")


# --- what is not whole


TWO_STREAMS = bz2.compress(PLAIN[:150_000], 1) + bz2.compress(PLAIN[:500], 9)
FIRST = len(bz2.compress(PLAIN[:150_000], 1))
PLACES = [1, 2, 3, 4, 7, 10, 12, 14, 20, FIRST // 2, *range(FIRST - 12, FIRST + 18, 2), *range(-13, 0, 3)]


@pytest.mark.parametrize("place", PLACES)
def test_cut_anywhere_it_is_refused_and_cut_between_two_streams_it_is_not(tmp_path, place):
    path = tmp_path / "packed"
    path.write_bytes(TWO_STREAMS[:place])
    assert_read_as_by_python(path, ALONE)
    if place > 3 and place != FIRST:
        refused(compress("--test", path, ranks=ALONE), "cut off", f"byte {path.stat().st_size} ")


@pytest.mark.parametrize("seed", range(24))
def test_a_flipped_bit_is_found_where_python_finds_one(tmp_path, seed):
    """In headers, magics and CRCs, and anywhere; Python goes by libbz2."""
    chance = random.Random(seed)
    special = [*range(16), *range(FIRST - 11, FIRST + 15), *range(len(TWO_STREAMS) - 11, len(TWO_STREAMS))]
    for _ in range(3):
        damaged = bytearray(TWO_STREAMS)
        damaged[chance.choice([chance.choice(special), chance.randrange(len(damaged))])] ^= 1 << chance.randrange(8)
        path = tmp_path / "packed"
        path.write_bytes(damaged)
        assert_read_as_by_python(path, ALONE)


def test_several_ranks_end_together_at_the_first_damage(tmp_path):
    path = tmp_path / "packed"
    whole = bz2.compress(PLAIN, 1)
    for places in ([len(whole) // 3], [len(whole) // 3, len(whole) // 2], [len(whole) - 2]):
        damaged = bytearray(whole)
        for place in places:
            damaged[place] ^= 1
        path.write_bytes(damaged)
        result = compress("-d", path, "-o", tmp_path / "plain", ranks=3)
        refused(result, path, "damaged", "at byte")
        found = int(result.stderr.split("at byte ")[1].split(",")[0])
        assert places[0] <= found <= places[0] + 40_000
    assert test_compress.names_in(tmp_path) == ["packed"]
