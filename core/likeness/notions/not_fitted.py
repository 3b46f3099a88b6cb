"""The error of an estimator that is not fitted, in its own file, since scikit-learn is imported only when it is raised."""

from sklearn.exceptions import NotFittedError

from likeness.errors import InputError


class NotFittedInputError(InputError, NotFittedError):  # type: ignore[misc]
    """An `InputError` that is also scikit-learn's NotFittedError."""
