"""scikit-learn's contract of an estimator, without importing scikit-learn before it asks."""

from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Self

from likeness.arrays import Floats, like, to_numpy
from likeness.errors import InputError
from likeness.notions.prompt_rows import check_width, fitted_width, image_rows

if TYPE_CHECKING:
    import torch


class NotionEstimator:
    """Base of the estimators: `get_params`, `set_params`, `clone`, `fit_transform` and pipelines, as scikit-learn defines them (Buitinck et al., API
    design for machine learning software, 2013). Constructors only store their arguments; `fit` sets `U` (r, dim). `_map` maps unit rows (m, r), and
    `_map_tensor` does the same with gradients.

    Example:
        >>> from sklearn.base import clone
        >>> from likeness.notions import InDiReCT
        >>> clone(InDiReCT(dim=2)).set_params(solver="faded")
        InDiReCT(dim=2, solver='faded', seed=0)
    """

    U: Any
    normalize: bool = True  # images are scaled to unit length first
    fit: Any
    _learns: ClassVar[bool] = True  # from the rows of `fit`
    _needs_labels: ClassVar[bool] = False

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments by name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Changes arguments of the constructor, and returns itself; raises InputError for one that it does not have."""
        for name, value in params.items():
            if name not in self.get_params():
                raise InputError(f"{type(self).__name__} has no parameter '{name}'; it has {', '.join(self.get_params()) or 'none'}.")
            setattr(self, name, value)
        return self

    def transform(self, images: Any) -> Any:
        """Images in the notion's space: (m, r) -> (m, dim), of the input's type.

        InputError before `fit`, and on rows that are not finite or (normalize) all zero, or of another width than the prompts.
        """
        return like(images)(self._map(image_rows(images, fitted_width(self), self.normalize)))

    def transform_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        """Like `transform` for unit rows (m, r), with gradients: they flow back to `rows`."""
        check_width(rows, fitted_width(self))
        return self._map_tensor(rows)

    def _map(self, rows: Floats) -> Floats:
        raise NotImplementedError

    def _map_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        raise NotImplementedError

    def fit_transform(self, text: Any, y: Any = None) -> Any:
        """The rows (n, r) that it learns from, transformed; `y` as for `fit`."""
        fitted: Any = self.fit(text, y)
        return fitted.transform(text)

    @property
    def n_features_in_(self) -> int:
        """Dimensions r of the encoder that it was fitted for."""
        return len(self.U)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags, TransformerTags

        return Tags(
            None, TargetTags(self._needs_labels), TransformerTags(["float64", "float32"]), requires_fit=self._learns, no_validation=not self._learns
        )


def tensors_like(rows: "torch.Tensor", *learned: Any) -> "list[torch.Tensor]":
    """Learned arrays as tensors of the type and device of the rows."""
    import torch

    return [torch.as_tensor(to_numpy(value)).to(rows) for value in learned]
