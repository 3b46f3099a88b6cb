"""Small files that take long or much memory to decode."""

import struct
import zlib
from pathlib import Path


def progressive_jpeg(width: int, height: int, scans: int) -> bytes:
    """A gray progressive JPEG of so many scans, all sound and all of zeros: a few hundred bytes each, and each goes through every coefficient."""

    def segment(marker: int, body: bytes) -> bytes:
        return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body

    def scan(first: int, last: int, bits: int, data: bytes) -> bytes:
        return segment(0xDA, bytes([1, 1, 0, first, last, bits])) + data.replace(b"\xff", b"\xff\0")

    blocks = -(-width // 8) * -(-height // 8)
    runs = ("0" + "1" * 14) * -(-blocks // (2**15 - 1))  # the code for an end of so many blocks, and how many
    runs += "1" * (-len(runs) % 8)
    zeros = int(runs, 2).to_bytes(len(runs) // 8, "big")
    one_code = bytes([1, *[0] * 15])
    parts = [
        b"\xff\xd8",
        segment(0xDB, b"\0" + bytes([1] * 64)),
        segment(0xC2, struct.pack(">BHHB", 8, height, width, 1) + bytes([1, 0x11, 0])),
        segment(0xC4, b"\x00" + one_code + b"\x00"),  # of the first coefficients: no difference
        segment(0xC4, b"\x10" + one_code + b"\xe0"),  # of the others: the end of up to 2**15 - 1 blocks
        scan(0, 0, 0, bytes(-(-blocks // 8))),
        scan(1, 63, 1, zeros),
        *[scan(1, 63, 0x10, zeros)] * (scans - 2),
        b"\xff\xd9",
    ]
    return b"".join(parts)


def chunk(kind: bytes, body: bytes) -> bytes:
    """A part of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def zeros_png(side: int, bits: int = 16) -> bytes:
    """A gray PNG of zeros, made a row at a time."""
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(1 + side * bits // 8)) for _ in range(side)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, bits, 0, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def changed_decoder(folder: Path, before: str) -> tuple[str, ...]:
    """A command line of the process that decodes foreign images, in which some code runs first."""
    imports = "import os, signal, sys, time\nfrom pathlib import Path\nfrom PIL import ImageFile\n"
    program = folder / "changed_worker.py"
    program.write_text(f"{imports}from likeness.io import decoder_limits, decoder_worker, file_formats\n{before}\ndecoder_worker.main()\n")
    return (str(program),)


def decoder_of_13(folder: Path, instead: str) -> tuple[str, ...]:
    """One that does something else before it decodes images of 13 x 13 pixels."""
    change = f"def changed(image):\n    if image.size == (13, 13):\n        {instead}\n    return load(image)"
    return changed_decoder(folder, f"load = ImageFile.ImageFile.load\n{change}\nImageFile.ImageFile.load = changed")
