"""Soft shadows on the ground."""

import numpy as np
import numpy.typing as npt

from experiments.renders.cars.render import Camera, cast_on_ground, kernels, project
from experiments.renders.poses.solids import Solid
from likeness.arrays import Float64s


def projected(camera: Camera, triangles: Float64s) -> Float64s:
    """Homogeneous pixels (t, 3, 3) of triangles (t, 3, 3)."""
    # flat, since NumPy multiplies many tiny matrices several times slower than one long one
    return project(camera, triangles.reshape(-1, 3)).reshape(triangles.shape)


def soft_shadow(solid: Solid, camera: Camera, lights: Float64s, darkness: float, pixels: int) -> npt.NDArray[np.float32]:
    """Darkness (pixels, pixels) of the ground z = 0: the mean of the shadows in lights from the directions (k, 3).

    It is `darkness` where no light comes and 0 in full light; where the picture shows no ground the values mean nothing.
    """
    rasterize, _, _ = kernels()
    image, depth = np.empty((pixels, pixels, 3), np.float32), np.empty((pixels, pixels), np.float32)
    shaded, count = np.empty((pixels, pixels), np.bool_), np.zeros((pixels, pixels), np.uint8)
    alpha = np.ones(len(solid.triangles))
    for light in lights:
        depth[:], shaded[:] = 0, False
        rasterize(projected(camera, cast_on_ground(solid.triangles, light)), solid.colors, alpha, image, depth, shaded)
        count += shaded
    return count * np.float32(darkness / len(lights))
