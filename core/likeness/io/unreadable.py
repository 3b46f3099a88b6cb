"""What is raised for images that cannot be read."""

from likeness.errors import InputError
from likeness.io.text import plain_name
from likeness.io.transient import TransientError


class UnreadableImageError(InputError):
    """An image whose content cannot be read, now or later, until the file changes; `reason` leaves out the name."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"The image '{name}' cannot be read: {reason}; replace it or leave it out.")
        self.reason = reason


class RefusedImageError(UnreadableImageError):
    """An image that the process that decodes foreign images refuses; `reason` says why, and what to do."""

    def __init__(self, name: str, reason: str) -> None:
        InputError.__init__(self, f"The image '{plain_name(name)}' {reason}")
        self.reason = reason


class MissingPackageError(TransientError):
    """A file of a format whose package is not installed: it is tried again once it is."""

    def __init__(self, name: str, package: str, extra: str) -> None:
        self.reason = f"needs the package {package}; install it with `pip install 'likeness[{extra}]'`."
        self.package, self.extra = package, extra
        InputError.__init__(self, f"The image '{plain_name(name)}' {self.reason}")
