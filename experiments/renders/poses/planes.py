"""The compiled loop that paints walls and floors seen from inside them. Importing this module loads numba."""

import numpy as np

from likeness.compiled import load_numba

njit = load_numba().njit

_CORNER, _CORNER_REACH = 0.24, 0.14  # how much darker corners are, and how many meters from them


@njit(cache=True)
def pattern(kind, s, t, fine):  # type: ignore[no-untyped-def]
    """Share 0..1 of the second color at (s, t), in units of the pattern; `fine` pixels are as wide as a unit.

    Kinds are the indices of `surfaces.PATTERNS`. Where a unit is only a few pixels the pattern fades into its mean.
    """
    a, b = s - np.floor(s), t - np.floor(t)
    if kind == 0:
        return 0.0
    if kind == 1:  # stripes
        value, mean = (1.0 if a < 0.5 else 0.0), 0.5
    elif kind == 2:  # planks
        row = np.floor(t)
        length = s / 6.0 + 0.38 * row
        number = np.floor(length)
        tone = 12.9898 * row + 78.233 * number
        value = 1.0 if b < 0.07 or length - number < 0.012 else 0.45 * (tone * 0.317 - np.floor(tone * 0.317))
        mean = 0.3
    elif kind == 3:  # tiles
        value, mean = (1.0 if a < 0.07 or b < 0.07 else 0.0), 0.13
    elif kind == 4:  # checks
        value, mean = (1.0 if (a < 0.5) == (b < 0.5) else 0.0), 0.5
    elif kind == 5:  # bricks
        shifted = 0.5 * s + 0.5 * (np.floor(t) % 2.0)
        value, mean = (1.0 if b < 0.12 or shifted - np.floor(shifted) < 0.06 else 0.0), 0.17
    else:  # dots
        value, mean = (1.0 if (a - 0.5) ** 2 + (b - 0.5) ** 2 < 0.05 else 0.0), 0.16
    if fine < 6.0:
        keep = max(fine - 2.0, 0.0) / 4.0
        value = mean + keep * (value - mean)
    return value


@njit(cache=True)
def paint_planes(slopes, planes, axes, colors, kinds, lens, eye, lamp, shadow, image):  # type: ignore[no-untyped-def]
    """Fills a frame with the inside of a convex body of planes, lit by a lamp and darker in the corners.

    A ray from the eye along the pixel's direction d meets plane j, where n.x = c, at a distance of 1 / g_j for
    g_j = n.d / (c - n.eye), which is affine in the pixel; inside a convex body the plane that is met first has the largest g_j.

    Args:
        slopes: (k, 3) of g_j = slopes[j] . (column, row, 1).
        planes: (k, 4) outward normal n and offset c, in meters.
        axes: (k, 2, 4) pattern coordinates s and t: three weights of the point and an offset, in units of the pattern.
        colors: (k, 2, 3) in 0..1.
        kinds: (k) patterns.
        lens: (3, 3) takes (column, row, 1) to the ray's direction.
        eye: (3) inside the body.
        lamp: (6) place (3), ambient light, strength, and the distance in meters at which it has halved.
        shadow: (h, w) darkness 0..1 of what falls on plane 0.
        image: (h, w, 3) float, changed in place.
    """
    height, width = shadow.shape
    count = slopes.shape[0]
    point = np.empty(3)
    for row in range(height):
        for column in range(width):
            x, y = column + 0.5, row + 0.5
            first, best = 0, -1e30
            for j in range(count):
                slope = slopes[j, 0] * x + slopes[j, 1] * y + slopes[j, 2]
                if slope > best:
                    first, best = j, slope
            best = max(best, 1e-4)
            cosine, reach, dot = 0.0, 0.0, 0.0
            for i in range(3):
                ray = lens[i, 0] * x + lens[i, 1] * y + lens[i, 2]
                point[i] = eye[i] + ray / best
                cosine += ray * planes[first, i]
                toward = lamp[i] - point[i]
                reach += toward * toward
                dot -= toward * planes[first, i]
            level = lamp[3] + lamp[4] * max(dot, 0.0) / np.sqrt(reach + 1e-9) / (1.0 + reach / (lamp[5] * lamp[5]))
            nearest = 1e9
            for j in range(count):
                if j != first:
                    gap = planes[j, 3] - planes[j, 0] * point[0] - planes[j, 1] * point[1] - planes[j, 2] * point[2]
                    nearest = min(nearest, gap)
            nearest = max(nearest, 0.0) / _CORNER_REACH
            level *= 1.0 - _CORNER / (1.0 + nearest * nearest)
            if first == 0:
                level *= 1.0 - shadow[row, column]
            s = t = 0.0
            share = 0.0
            if kinds[first] > 0:
                s, t = axes[first, 0, 3], axes[first, 1, 3]
                unit = 0.0
                for i in range(3):
                    s += axes[first, 0, i] * point[i]
                    t += axes[first, 1, i] * point[i]
                    unit += axes[first, 1, i] * axes[first, 1, i]
                # pixels per unit: the foreshortened size of one pixel at the point, against the unit's 1 / sqrt(unit) meters
                fine = best * cosine / (lens[0, 0] ** 2 + lens[1, 0] ** 2 + lens[2, 0] ** 2) ** 0.5 / np.sqrt(unit)
                share = pattern(kinds[first], s, t, fine)
            for k in range(3):
                value = (colors[first, 0, k] + share * (colors[first, 1, k] - colors[first, 0, k])) * level
                image[row, column, k] = min(value, 1.0)
