# SPDX-License-Identifier: BSD-3-Clause
"""A bzip2 block of symbols that a test chooses, so that any bits can be among them.

It has six different bytes, and so eight symbols, whose codes are all three bits long: the symbols are the octal digits
of the bits. 0 and 1 are the digits of a run's length, 2 to 6 the bytes 1 to 5 places from the front of the list of
bytes, 7 ends the block. Any such list decodes to something, if to nothing that a compressor would start from."""

import itertools

BYTES = b"acegik"
END_OF_BLOCK = 7
BLOCK_MAGIC, END_MAGIC = 0x314159265359, 0x177245385090


def crc_of(plain, crc=0xFFFFFFFF):
    for byte in plain:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc >> 31 else 0)) & 0xFFFFFFFF
    return crc ^ 0xFFFFFFFF


def bits_of(value, count):
    return f"{value:0{count}b}"


def last_column_of(symbols):
    """Undoes run lengths and moves to the front."""
    column, front = [], list(BYTES)
    for is_run, group in itertools.groupby(symbols, lambda symbol: symbol < 2):
        if is_run:
            column += [front[0]] * sum((digit + 1) << place for place, digit in enumerate(group))
            continue
        for symbol in group:
            front.insert(0, front.pop(symbol - 1))
            column.append(front[0])
    return column


def plain_of(column, origin):
    """Undoes the sort, and the runs of four to 259 equal bytes."""
    after = sorted(range(len(column)), key=lambda row: column[row])
    row, stretched = after[origin], []
    for _ in column:
        stretched.append(column[row])
        row = after[row]
    plain, equal = bytearray(), 0
    for byte in stretched:
        if equal == 4:
            plain += plain[-1:] * byte
            equal = 0
            continue
        equal = equal + 1 if equal and byte == plain[-1] else 1
        plain.append(byte)
    return bytes(plain)


def block(symbols, origin=0):
    """Its bits, as text, its CRC and what it decodes to."""
    plain = plain_of(last_column_of(symbols), origin)
    crc = crc_of(plain)
    rows = [sum(0x8000 >> byte % 16 for byte in BYTES if byte // 16 == row) for row in range(16)]
    selectors = -(-(len(symbols) + 1) // 50)
    parts = [
        bits_of(BLOCK_MAGIC, 48) + bits_of(crc, 32) + "0" + bits_of(origin, 24),
        "".join("1" if row else "0" for row in rows),
        *(bits_of(row, 16) for row in rows if row),
        bits_of(2, 3) + bits_of(selectors, 15) + "0" * selectors,
        2 * (bits_of(3, 5) + 8 * "0"),
        *(bits_of(symbol, 3) for symbol in [*symbols, END_OF_BLOCK]),
    ]
    return "".join(parts), crc, plain


def stream(blocks, level=9):
    bits, combined = "", 0
    for its_bits, crc, _ in blocks:
        bits += its_bits
        combined = ((combined << 1 | combined >> 31) & 0xFFFFFFFF) ^ crc
    bits += bits_of(END_MAGIC, 48) + bits_of(combined, 32)
    bits += -len(bits) % 8 * "0"
    return f"BZh{level}".encode() + int(bits, 2).to_bytes(len(bits) // 8, "big")


def symbols_with(magic):
    """The octal digits of a magic that has no 7 among them."""
    return [int(digit, 8) for digit in f"{magic:016o}"]
