"""The compiled inner loops of the renderer. Importing this module loads numba."""

import numpy as np

from likeness.compiled import load_numba

njit = load_numba().njit


@njit(cache=True)
def rasterize(triangles, colors, alpha, image, depth, covered):  # type: ignore[no-untyped-def]
    """Draws triangles into a frame, nearer ones in front.

    A pixel is inside where the three edge functions of the homogeneous corners agree in sign with their determinant, and
    1 / depth is their sum (Olano and Greer, "Triangle scan conversion using 2D homogeneous coordinates", 1997); so a triangle
    that reaches behind the camera needs no clipping.

    Args:
        triangles: (t, 3, 3) corners (u w, v w, w).
        colors: (t, 3) in 0..1.
        alpha: (t) opacity; what is not opaque must come last and leaves the depth as it is.
        image: (h, w, 3) float, changed in place.
        depth: (h, w) of 1 / depth, 0 where empty, changed in place.
        covered: (h, w) bool, set where a triangle is drawn.
    """
    height, width = depth.shape
    edges = np.empty((3, 3))
    for t in range(triangles.shape[0]):
        p = triangles[t]
        u0, u1, v0, v1 = float(width), -1.0, float(height), -1.0
        for i in range(3):
            if p[i, 2] < 1e-3:
                u0, u1, v0, v1 = 0.0, float(width), 0.0, float(height)
                break
            u, v = p[i, 0] / p[i, 2], p[i, 1] / p[i, 2]
            u0, u1, v0, v1 = min(u0, u), max(u1, u), min(v0, v), max(v1, v)
        left, right = max(int(np.floor(u0)), 0), min(int(np.ceil(u1)), width)
        upper, lower = max(int(np.floor(v0)), 0), min(int(np.ceil(v1)), height)
        if left >= right or upper >= lower:
            continue
        for i in range(3):
            a, b = p[(i + 1) % 3], p[(i + 2) % 3]
            edges[i, 0] = a[1] * b[2] - a[2] * b[1]
            edges[i, 1] = a[2] * b[0] - a[0] * b[2]
            edges[i, 2] = a[0] * b[1] - a[1] * b[0]
        det = p[0, 0] * edges[0, 0] + p[0, 1] * edges[0, 1] + p[0, 2] * edges[0, 2]
        if abs(det) < 1e-12:
            continue
        for i in range(3):
            for j in range(3):
                edges[i, j] /= det
        d0, d1, d2 = edges[:, 0].sum(), edges[:, 1].sum(), edges[:, 2].sum()
        opacity = alpha[t]
        for row in range(upper, lower):
            y = row + 0.5
            first, last = float(left), float(right - 1)
            for i in range(3):
                slope, rest = edges[i, 0], edges[i, 1] * y + edges[i, 2]
                if slope > 0.0:
                    first = max(first, np.ceil(-rest / slope - 0.5))
                elif slope < 0.0:
                    last = min(last, np.floor(-rest / slope - 0.5))
                elif rest < 0.0:
                    last = -1.0
            if first > last:
                continue
            for column in range(int(first), int(last) + 1):
                inverse = d0 * (column + 0.5) + d1 * y + d2
                if inverse <= depth[row, column]:
                    continue
                covered[row, column] = True
                if opacity >= 1.0:
                    depth[row, column] = inverse
                    for k in range(3):
                        image[row, column, k] = colors[t, k]
                else:
                    for k in range(3):
                        image[row, column, k] += opacity * (colors[t, k] - image[row, column, k])


@njit(cache=True)
def backdrop(image, color, horizon, pixels, shadow, darkness):  # type: ignore[no-untyped-def]
    """Fills a frame (h, w, 3) with a wall and a ground of one color (3), the ground darker and darker still in the shadow.

    Args:
        horizon: pixel row of the horizon (may lie outside the frame).
        pixels: the frame's height, to scale the gradients.
        shadow: (h, w) bool.
        darkness: brightness of the ground in the shadow, 0..1.
    """
    height, width = shadow.shape
    for row in range(height):
        below = (row + 0.5 - horizon) / pixels
        level = 1.0 + max(0.10 * below, -0.08) if below < 0.0 else 0.93 - min(0.06 * below, 0.07)
        for column in range(width):
            light = level * darkness if shadow[row, column] and below > 0.0 else level
            for k in range(3):
                image[row, column, k] = color[k] * light


@njit(cache=True)
def downsample(image, covered, factor, out, mask):  # type: ignore[no-untyped-def]
    """Means of factor x factor pixels, as bytes (h, w, 3), and a mask (h, w) of where at least half of them are covered."""
    area = factor * factor
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            r = g = b = 0.0
            count = 0
            for i in range(row * factor, (row + 1) * factor):
                for j in range(column * factor, (column + 1) * factor):
                    r += image[i, j, 0]
                    g += image[i, j, 1]
                    b += image[i, j, 2]
                    if covered[i, j]:
                        count += 1
            out[row, column, 0] = np.uint8(255.0 * r / area + 0.5)
            out[row, column, 1] = np.uint8(255.0 * g / area + 0.5)
            out[row, column, 2] = np.uint8(255.0 * b / area + 0.5)
            mask[row, column] = 2 * count >= area
