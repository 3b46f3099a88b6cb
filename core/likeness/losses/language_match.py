"""Language matching: trains similarities of images to follow those of their class names (language guidance, ELG and PLG)."""

from typing import TYPE_CHECKING, Any

from likeness.errors import InputError, check_known

if TYPE_CHECKING:
    import torch

DIRECTIONS = ("image||language", "language||image")
MATCHINGS = ("rows", "row-l2", "full")


def language_match(
    image_sims: Any,
    language_sims: Any,
    labels: Any = None,
    shift: float = 1.0,
    direction: str = "image||language",
    *,
    matching: str = "rows",
    temperature: float = 1.0,
    mask_language: bool = False,
    stop_gradient: bool = True,
) -> Any:
    """L_match (Roth et al., CVPR 2022, Eq. 2): divergence of the rows of image similarities from those of language similarities.

    With X = `image_sims` under Eq. 3's mask and L = `language_sims` + shift, the mean over rows i of KL(softmax(X_i) || softmax(L_i)). Rows include
    the diagonal. A softmax ignores a constant, so the shift matters in the mask only.

    Args:
        image_sims: (n, n) cosine similarities S^img of the images of a batch, NumPy or torch; it gets a gradient.
        language_sims: (n, n) similarities S^lang of their class names, or the mean over pseudolabels (Eq. 5).
        labels: (n,) class numbers: on the image side, entries of the same class, diagonal included, are set to 1 + shift (Eq. 3), since names say
            nothing about differences within a class. None: no mask, as for pseudolabels of single images.
        shift: gamma_lang.
        direction: "image||language" is Eq. 2 and the authors' command line; "language||image" is the default of their class.
        matching: "rows" is Eq. 2; "row-l2" the mean Euclidean distance between the rows X_i and L_i, "full" one divergence over all
            n * n entries (the ablations of Table 4, b).
        temperature: T; divides the similarities, and T squared multiplies the divergence. In the authors' code only.
        mask_language: masks the language side as well, as the authors' code. This changes nothing if language similarities are 1 within a class, as
            for class names. For dense pseudolabels of classes, which are below 1, only both masks make the loss ignore pairs within a class; for
            pseudolabels of single images the mask hides their differences there.
        stop_gradient: `language_sims` gets no gradient. False is the ablation "no stop grad." of Table 4.

    Returns:
        A scalar tensor for tensors, a float for arrays. At least 0; 0 if both sides have the same softmax.

    Raises:
        InputError: matrices that are not square and of one shape, labels that do not fit, a temperature that is not above 0, unknown
            names.
    """
    import torch

    image, language = _tensor(image_sims, None), _tensor(language_sims, image_sims)
    _check(image, language, direction, matching, temperature)
    same = None if labels is None else _same_class(labels, image)
    language = (language.detach() if stop_gradient else language) + shift
    if same is not None:
        image = image.masked_fill(same, 1 + shift)
        if mask_language:
            language = language.masked_fill(same, 1 + shift)
    loss = _distance(image / temperature, language / temperature, direction, matching) * temperature**2
    return loss if isinstance(image_sims, torch.Tensor) else float(loss.detach())


def _distance(image: "torch.Tensor", language: "torch.Tensor", direction: str, matching: str) -> "torch.Tensor":
    import torch

    if matching == "row-l2":
        lengths: torch.Tensor = torch.linalg.vector_norm(image - language, dim=1)
        return lengths.mean()
    # one row of n * n entries, so that the softmaxes below run over all of them
    if matching == "full":
        image, language = image.reshape(1, -1), language.reshape(1, -1)
    ours, theirs = (image, language) if direction == DIRECTIONS[0] else (language, image)
    logarithms, others = ours.log_softmax(dim=1), theirs.log_softmax(dim=1)
    divergence: torch.Tensor = (logarithms.exp() * (logarithms - others)).sum(dim=1).mean()
    return divergence


def _tensor(values: Any, like: Any) -> "torch.Tensor":
    import torch

    if isinstance(values, torch.Tensor):
        return values
    return torch.as_tensor(values).to(like) if isinstance(like, torch.Tensor) else torch.as_tensor(values)


def _same_class(labels: Any, image: "torch.Tensor") -> "torch.Tensor":
    import torch

    numbers = torch.as_tensor(labels, device=image.device)
    if numbers.shape != (len(image),):
        raise InputError(f"Labels of shape {tuple(numbers.shape)} do not fit {len(image)} images; pass one class number per image.")
    return numbers[:, None] == numbers[None, :]


def _check(image: "torch.Tensor", language: "torch.Tensor", direction: str, matching: str, temperature: float) -> None:
    if image.ndim != 2 or image.shape[0] != image.shape[1] or image.shape != language.shape or not len(image):
        raise InputError(
            f"The similarities have shapes {tuple(image.shape)} and {tuple(language.shape)}; pass two square matrices (n, n) of the same batch."
        )
    check_known("direction", direction, DIRECTIONS)
    check_known("matching", matching, MATCHINGS)
    if not 0 < temperature < float("inf"):
        raise InputError(f"temperature is {temperature}, but it must be above 0; 1 is the paper's loss.")
