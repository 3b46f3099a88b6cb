"""Small files in the formats that are decoded in a process of their own."""

import base64
import io
import struct
from pathlib import Path

import numpy as np
from PIL import Image

LEFT, RIGHT = (0, 0, 250), (250, 0, 0)
# 64 x 48 pixels, red, the upper left quarter blue, EXIF data behind the pixels; as libheif and x265 wrote it, which nothing here brings
HEIC = base64.b85decode(
    "0000SW^{RQXk}?*00000ZE0pPXk}?*ZE0a<0005LZDn*}000000000XXk=`10000000000aA{+700000000000000000000G-"
    "+&aV*mgE07O6l0ssL300001;s5~v00000003P80ssI200KV%0RR9100000asU7TIB98aW&i*H00062000$fZf0cy000000RRAKc4ILB0000LX>Mj^0ssI300IC2MR;ju000004sdC7Z2"
    "$lO00031008}IaB^?}007--aAR)(004Gqc4I>U18@KU0FVFx0000U@BsY%`1k+-4+CHT0RR|40Sp2E{{wIU00RJ!0009300RIXx&lC90096hLID8-"
    "Z~y=U0FVFx0{{R603M(qfd!W8<fgf}2xu@M00096AOHXZ03l)k0RRR>0l{;?i2wiq6Ju{|a&BX6cmM$a4FCp!0000KX>)L8000000000$0000$0000eV{Bn?0000$000010000m00001"
    "0000000002|NsB+000020000GaA|mH000000|*ER0000OX>e^}0000000001009Mo0s{qv0000QX>w&|000000000EV`Ot<00IC3009610M~6~VRQfh09hyjuL<BIH7)=5CjR&5`TzJS"
    "k<+`sQiW}SrvHDIZ|VuP_vt3QBHVxbE{^}&5#IkuXC;W2&(v+$h%cA%j!l-"
    "OOReU4V<aGsItnj1$~JuguCMj2Zz%8p000I>cxh$;08LE*DgXcg2mk{C4*&uH000I6001%p5C8%I000UA0020LX#fNO00031002S&0000%aBys80BKNYZ*FBEF*N`H0gwX#0ssI26aWA"
    "KQ~&?~05UK#G&(RfIxsUJF*G_dGCDCZ00"
)


def picture(size: tuple[int, int] = (64, 48)) -> Image.Image:
    """Red, the upper left quarter blue."""
    image = Image.new("RGB", size, RIGHT)
    image.paste(LEFT, (0, 0, size[0] // 2, size[1] // 2))
    return image


def exif(taken: str = "2024:05:03 14:22:10", place: bool = False) -> Image.Exif:
    """Of a camera, with a time and perhaps a place: 47.51 degrees north, 8.25 west."""
    data = Image.Exif()
    data[0x010F], data[0x0110] = "Apple", "iPhone 15"
    data.get_ifd(0x8769)[0x9003] = taken
    if place:
        data.get_ifd(0x8825).update({1: "N", 2: (47.0, 30.0, 36.0), 3: "W", 4: (8.0, 15.0, 0.0)})
    return data


def jpeg(**options) -> bytes:
    buffer = io.BytesIO()
    picture().save(buffer, "JPEG", quality=95, **options)
    return buffer.getvalue()


def dng(orientation: int = 1, preview: bytes | None = None) -> bytes:
    """A raw file: a JPEG as its preview, without an orientation of its own, and 32 x 32 values of the sensor."""
    shown, sensor = jpeg() if preview is None else preview, bytes(32 * 32 * 2)
    names = {"taken": b"2024:05:03 14:22:10\0", "make": b"Apple\0", "model": b"iPhone 15\0", "unique": b"iPhone 15 raw\0"}

    def layout(places: dict[str, int]) -> bytes:
        first = [
            *((0xFE, 4, 1, 1), (0x100, 4, 1, 64), (0x101, 4, 1, 48), (0x102, 3, 1, 8), (0x103, 3, 1, 7), (0x106, 3, 1, 6)),
            *((0x10F, 2, len(names["make"]), places["make"]), (0x110, 2, len(names["model"]), places["model"])),
            *((0x111, 4, 1, places["preview"]), (0x112, 3, 1, orientation), (0x115, 3, 1, 3), (0x116, 4, 1, 48), (0x117, 4, 1, len(shown))),
            *(
                (0x14A, 4, 1, places["raw"]),
                (0x8769, 4, 1, places["exif"]),
                (0xC612, 1, 4, 0x0401),
                (0xC614, 2, len(names["unique"]), places["unique"]),
            ),
        ]
        raw = [
            *((0xFE, 4, 1, 0), (0x100, 4, 1, 32), (0x101, 4, 1, 32), (0x102, 3, 1, 16), (0x103, 3, 1, 1), (0x106, 3, 1, 32803)),
            *((0x111, 4, 1, places["sensor"]), (0x115, 3, 1, 1), (0x116, 4, 1, 32), (0x117, 4, 1, len(sensor))),
            *((0x828D, 3, 2, 2 | 2 << 16), (0x828E, 1, 4, 0x02010100)),
        ]
        taken = directory([(0x9003, 2, 20, places["taken"])])
        parts = {"first": directory(first), "raw": directory(raw), "exif": taken, "preview": shown, "sensor": sensor, **names}
        content = b"II*\0" + struct.pack("<I", 8)
        for name, part in parts.items():
            places[name] = len(content)
            content += part + bytes(len(part) % 2)
        return content

    def directory(entries: list[tuple[int, int, int, int]]) -> bytes:
        return struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries) + bytes(4)

    places = dict.fromkeys((*names, "preview", "raw", "exif", "sensor"), 0)
    layout(places)  # fills in the places
    return layout(places)


def write_pdf(path: Path, sizes: tuple[tuple[int, int], ...] = ((64, 48), (40, 80))) -> Path:
    first, *others = map(picture, sizes)
    first.save(path, "PDF", save_all=True, append_images=others)
    return path


def pdf_of(parts: list[bytes]) -> bytes:
    """A PDF of these objects, the first of which is the catalog."""
    content, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    begin, size = len(content), len(parts) + 1
    content += b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\n" % (size, table, size)
    return content + b"startxref\n%d\n%%%%EOF\n" % begin


def empty_pdf(width: int = 100, height: int = 100, pages: int = 1) -> bytes:
    """A PDF with one empty page, in points, which says that it has so many."""
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]>>" % (width, height)
    return pdf_of([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count %d>>" % pages, page])


def write_video(path: Path, shades: tuple[int, ...] = (0, 120, 240), rate: int = 5, codec: str = "mp4v") -> Path:
    """A second of each shade of gray."""
    import cv2

    video = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*codec), rate, (64, 48))
    for shade in shades:
        for _ in range(rate):
            video.write(np.full((48, 64, 3), shade, np.uint8))
    video.release()
    return path
