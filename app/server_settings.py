"""What a server of the app allows: the settings of `likeness app`, from its options, a YAML file, or the environment."""

import os
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from likeness.errors import InputError
from likeness.io import FrozenConfig, as_path, parse_yaml, validation_message, yaml_content

VARIABLE = "LIKENESS_SERVER"
UPLOADS = "uploads"  # the name by which uploaded folders are reached on a shared server


class ServerSettings(FrozenConfig):
    """The settings of one server. Without `shared` it serves the person who started it, and allows all.

    Attributes:
        shared: other people use it: they reach files below `roots` and what they uploaded themselves, and see no path of the server.
        roots: folders of images, by the name that people write: that of the folder. Empty on a shared server: no path at all.
        urls: addresses below which images are read on a shared server, such as s3://bucket/photos; none: only files.
        training: runs and benchmarks can be started, stopped and resumed; None: where the server is not shared.
        runs: trained runs and benchmarks can be looked at.
        downloads: weights that are not here are fetched from a hub; None: where the server is not shared.
        max_upload_mb: of one file that is uploaded.
        max_upload_images: of one upload, those in ZIP files included.
        max_unpacked_mb: of one upload.
        max_uploads_gb: of all uploads on this server together.
        max_pixels: of one uploaded image.
        datasets_mb: memory for the datasets that were last looked at, by all visitors together; more are opened again.
        fits_mb: memory for the spaces of notions that were last looked at, by all visitors together; more are fitted again when they are asked for.
        trust_network: an address beyond this machine is served although the server is not shared.
    """

    shared: bool = False
    roots: dict[str, Path] = Field(default_factory=dict)
    urls: tuple[str, ...] = ()
    training: bool | None = None
    runs: bool = True
    downloads: bool | None = None
    max_upload_mb: int = Field(default=100, ge=1, le=10_000)
    max_upload_images: int = Field(default=20_000, ge=1)
    max_unpacked_mb: int = Field(default=512, ge=1)
    max_uploads_gb: float = Field(default=20.0, gt=0)
    max_pixels: int = Field(default=64_000_000, ge=10_000)
    datasets_mb: int = Field(default=2_000, ge=1)
    fits_mb: int = Field(default=1_000, ge=1)
    trust_network: bool = False

    @field_validator("roots", mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        """A list of folders, each by its own name, or a mapping of names."""
        if given is None or isinstance(given, Mapping):
            return given or {}
        listed = [given] if isinstance(given, str | Path) else given
        if not isinstance(listed, list | tuple) or not all(isinstance(each, str | Path) for each in listed):
            return given
        folders = [Path(each).expanduser() for each in listed]
        names = [folder.name or folder.resolve().name for folder in folders]
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            raise ValueError(f"two folders are called '{twice}'; name them in a settings file, as in roots: {{photos: /data/photos}}")
        return dict(zip(names, folders, strict=True))

    @field_validator("roots")
    @classmethod
    def _folders(cls, roots: dict[str, Path]) -> dict[str, Path]:
        for name, folder in roots.items():
            if not name or "/" in name or "\\" in name or ":" in name or name in (".", "..", "~", UPLOADS):
                raise ValueError(f"the name '{name}' of a root cannot be told from a path, or is taken; give another")
            if not os.path.isdir(folder.expanduser()):  # false for what is no path at all
                raise ValueError(f"there is no folder '{folder}'")
        return {name: folder.expanduser().resolve() for name, folder in roots.items()}

    @model_validator(mode="after")
    def _roots_are_shared(self) -> "ServerSettings":
        if self.roots and not self.shared:
            raise ValueError("roots limit what others reach on a shared server; add shared: true (--shared)")
        return self

    @property
    def allows_training(self) -> bool:
        """Whether runs can be started."""
        return not self.shared if self.training is None else self.training

    @property
    def allows_downloads(self) -> bool:
        """Whether weights are fetched from a hub."""
        return not self.shared if self.downloads is None else self.downloads

    def as_text(self) -> str:
        """What `server` reads from the environment."""
        return yaml.safe_dump(self.model_dump(mode="json"), default_flow_style=True, width=10_000).strip()


def server() -> ServerSettings:
    """The settings of this process, from the variable LIKENESS_SERVER: a YAML mapping in braces, or the path of a YAML file.

    Processes that it starts inherit them.

    Raises:
        InputError: as `read_settings`.
    """
    return _settings_in(os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=8)
def _settings_in(text: str) -> ServerSettings:
    if not text.strip():
        return ServerSettings()
    if not text.lstrip().startswith("{"):
        return read_settings(Path(text))
    return settings_from(parse_yaml(text, f"The variable {VARIABLE}"), f"The variable {VARIABLE}")


def read_settings(file: Path) -> ServerSettings:
    """The settings of a YAML file.

    Raises:
        InputError: no such file, no YAML, or a key or value that does not fit.
    """
    path = as_path(file)
    if not path.is_file():
        raise InputError(f"There is no file of settings '{file}'; give a YAML file with keys such as shared and roots.")
    return settings_from(yaml_content(path) or {}, f"'{file.name}'")


def settings_from(content: Any, name: str = "The settings") -> ServerSettings:
    """Settings from a dict; raises InputError for a key or value that does not fit."""
    try:
        return ServerSettings.model_validate(content)
    except ValidationError as error:
        verb = "do" if name == "The settings" else "does"
        raise InputError(f"{name} {verb} not fit: {validation_message(error)}.") from error


def check_address(address: str, settings: ServerSettings) -> None:
    """Raises InputError for an address that others can reach, unless the settings say that this is meant."""
    if settings.shared or settings.trust_network or _is_local(address):
        return
    raise InputError(
        f"Serving on {address} would let everyone who reaches this machine read every image and model file that you can read, and start trainings; "
        "add --shared (with --root for folders that others may see), or --trust-network if all who can connect may do all that you may."
    )


def _is_local(address: str) -> bool:
    try:
        return ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return address == "localhost"
