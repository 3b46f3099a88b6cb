"""Count the scans of a JPEG. Each scan traverses the whole image, so a small file with many scans takes long to decode."""

import re

# Ten are usual. Chromium and Android stop at the same number, Firefox at 1,000.
MAX_SCANS = 100
_SCAN, _END = 0xDA, 0xD9
_FIRST_WITH_LENGTH = 0xC0
_ALONE = range(0xD0, 0xDA)  # restarts, begin and end: markers without a segment
# in compressed data a byte 0xFF is followed by 0, and fill bytes repeat it
_MARKER = re.compile(rb"\xff+([^\x00\xff])")


def has_more_scans(content: bytes, most: int = MAX_SCANS) -> bool:
    """True if the content is a JPEG of more than `most` scans."""
    # no scan begins without these two bytes, so that counting them is enough for nearly all files
    return content.startswith(b"\xff\xd8") and content.count(b"\xff\xda") > most and count_scans(content) > most


def count_scans(content: bytes) -> int:
    """Number of scans up to the end marker; images embedded in metadata do not count."""
    count, place = 0, 2
    while (found := _MARKER.search(content, place)) is not None and (marker := found[1][0]) != _END:
        place = found.end()
        count += marker == _SCAN
        # a decoder that lost its way looks into what follows markers below the first, so that these hide nothing
        if marker >= _FIRST_WITH_LENGTH and marker not in _ALONE:
            place += int.from_bytes(content[place : place + 2], "big")
    return count
