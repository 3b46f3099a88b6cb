"""The pictures the shipped CLIP learns from: rendered once, in chunks, and read back from disk."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from PIL import Image

from experiments.clip.recipe import RENDER_SIZE
from experiments.renders.cars import render_scenes, sample_scenes
from experiments.worker_pool import WorkerPool
from likeness.io import mapped_array
from likeness.progress import Progress

Bytes = npt.NDArray[np.uint8]
CHUNK = 2000


@dataclass(frozen=True)
class Renders:
    """Pixels on disk, `chunks` of (CHUNK, size, size, 3), and the attributes of every scene (n rows).

    The pixels are drawn at `RENDER_SIZE` and resized once, with the filter that open_clip uses at inference.
    """

    scenes: pd.DataFrame
    chunks: tuple[Bytes, ...]

    def __len__(self) -> int:
        return len(self.scenes)

    def pixels(self, rows: npt.NDArray[np.intp]) -> Bytes:
        """Pixels (k, size, size, 3) of the given rows (k)."""
        return np.stack([self.chunks[row // CHUNK][row % CHUNK] for row in rows])


def render_fingerprint(seed: int) -> str:
    """Short hash of a few pictures of a seed: it changes whenever the renderer draws anything else."""
    pixels = render_scenes(sample_scenes(4, seed), RENDER_SIZE)
    return hashlib.sha256(pixels.tobytes()).hexdigest()[:10]


def load_renders(n: int, seed: int, size: int, cache: Path, workers: int = 1, progress: Progress | None = None) -> Renders:
    """The first `n` scenes of a seed with their pixels; what is missing in `cache` is rendered and kept there.

    Chunks are written whole or not at all, so an interrupted call loses one chunk per worker at most. `progress(done, n)`
    counts pictures.
    """
    folder = cache / f"renders-{render_fingerprint(seed)}-{size}px"
    folder.mkdir(parents=True, exist_ok=True)
    scenes = sample_scenes(n, seed)
    files = [folder / f"{start // CHUNK:05d}.npy" for start in range(0, n, CHUNK)]
    full = sample_scenes(len(files) * CHUNK, seed)
    missing = [(file, full.iloc[i * CHUNK : (i + 1) * CHUNK], size) for i, file in enumerate(files) if not file.is_file()]
    _render_missing(missing, n, workers, progress)
    return Renders(scenes, tuple(mapped_array(file) for file in files))


def _render_missing(jobs: list[tuple[Path, pd.DataFrame, int]], n: int, workers: int, progress: Progress | None) -> None:
    if not jobs:
        return
    done = n - len(jobs) * CHUNK
    if workers == 1:
        for job in jobs:
            _render_chunk(*job)
            done += CHUNK
            if progress:
                progress(max(done, 0), n, "Rendering")
        return
    with WorkerPool(workers) as pool:
        for _ in pool.map(_render_chunk, *zip(*jobs, strict=True)):
            done += CHUNK
            if progress:
                progress(max(done, 0), n, "Rendering")


def _render_chunk(file: Path, scenes: pd.DataFrame, size: int) -> None:
    temporary = file.with_name(f".{file.stem}.partial.npy")
    np.save(temporary, resized(render_scenes(scenes, RENDER_SIZE), size))
    temporary.replace(file)


def resized(pixels: Bytes, size: int) -> Bytes:
    """Pictures (n, h, h, 3) at (n, size, size, 3), bicubic."""
    if pixels.shape[1] == size:
        return pixels
    return np.stack([np.asarray(Image.fromarray(picture).resize((size, size), Image.Resampling.BICUBIC)) for picture in pixels])
