"""A map of one space, or linked maps of two, in a notebook."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from likeness.plots.linked_map.placement import MapSpace
    from likeness.plots.linked_map.widget import LinkedMapWidget


def show_map(
    space: "MapSpace | Any", color: Any = None, method: str = "umap", *, positions: Any = None, height: int = 520, **parameters: Any
) -> "LinkedMapWidget":
    """The map of a space as a Jupyter widget.

    Args:
        space: with `name`, `table` and `vectors` (n, d); or your own positions (n, 2).
        color: an attribute of the table, or a value for each row.
        method: "umap", "tsne", "pacmap", "trimap" or "pca". A layout is computed once and then cached.
        positions: (n, 2), used instead of a layout.
        height: in px.
        parameters: of the method, such as `seed`, or `perplexity` of t-SNE.

    Returns:
        The widget: `.selected` holds the rows of the lasso, `.query` the clicked one, `.update(space)` moves the points to those of a refit.

    Raises:
        InputError: neither space nor positions, or an unknown attribute, method or parameter.
        LayoutFailed: the layout could not be computed.

    Example:
        >>> import numpy as np
        >>> show_map(np.random.default_rng(0).random((20, 2)), color=["cat", "dog"] * 10)
        LinkedMapWidget(positions, 20 rows, 0 selected)
    """
    from likeness.plots.linked_map.widget import LinkedMapWidget

    return LinkedMapWidget([space], color, method, positions=None if positions is None else [positions], height=height, **parameters)


def show_maps(
    a: "MapSpace | Any",
    b: "MapSpace | Any",
    color: Any = None,
    method: str = "umap",
    *,
    positions: tuple[Any, Any] | None = None,
    height: int = 520,
    **parameters: Any,
) -> "LinkedMapWidget":
    """The linked maps of two spaces of the same images; the second is aligned to the first.

    Arguments and errors as for `show_map`, with a pair of `positions`.

    Example:
        >>> import numpy as np
        >>> a, b = np.random.default_rng(0).random((2, 20, 2))
        >>> show_maps(a, b)
        LinkedMapWidget(positions, 20 rows, 0 selected)
    """
    from likeness.plots.linked_map.widget import LinkedMapWidget

    return LinkedMapWidget([a, b], color, method, positions=positions, height=height, **parameters)
