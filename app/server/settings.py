"""The server's settings, from the options of `likeness app`, a YAML file, or the environment."""

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, Field, IPvAnyNetwork, ValidationError, ValidationInfo, field_validator, model_validator

from likeness.errors import InputError
from likeness.io import MAX_UPLOAD_MB, FrozenConfig, as_path, parse_yaml, validation_message, yaml_content

VARIABLE = "LIKENESS_SERVER"
# By default uvicorn puts what X-Forwarded-For says in place of the address that is connected, by which a trusted proxy is told.
FORWARDED = "FORWARDED_ALLOW_IPS"
UPLOADS = "uploads"  # the name by which uploaded folders are reached on a shared server
Role = Literal["view", "edit", "train"]  # each may do what those before it may
_HOST_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|[0-9a-f:.]*:[0-9a-f:.]*")
_Account = Annotated[str, AfterValidator(lambda name: name.strip().casefold())]
_Count, _Amount = Annotated[int, Field(ge=1)], Annotated[float, Field(gt=0)]


def _host_name(given: str) -> str:
    host = given.strip().strip("[]").rstrip(".").lower()
    if not _HOST_NAME.fullmatch(host):
        raise ValueError(f"'{given}' is not a host name; leave out scheme, port and path, as in lab.example.org")
    return host


_Host = Annotated[str, AfterValidator(_host_name)]


class ServerSettings(FrozenConfig):
    """The settings of one server; docs/serving.md explains them. Without `shared` it serves the person who started it, and allows all.

    Limits named `visitor_...` apply to each visitor, those named `max_...` to all together.
    """

    shared: bool = False  # others use it: they reach files below `roots` and what they uploaded themselves, and see no path of the server
    roots: dict[str, Path] = Field(default_factory=dict)  # folders of images, by the name that people write; empty: no path at all
    training: bool | None = None  # runs and benchmarks can be started, stopped and resumed; None: where the server is not shared
    runs: bool = True  # and looked at
    downloads: bool | None = None  # weights that are not here are fetched from a hub; None: where the server is not shared
    max_upload_mb: int = Field(default=MAX_UPLOAD_MB, ge=1, le=10_000)  # of one file
    max_upload_images: _Count = 20_000  # of one upload, those in ZIP files included
    max_unpacked_mb: _Count = 512  # of one upload
    max_uploads_gb: _Amount = 20.0  # of all uploads; and as much of all exports that wait to be downloaded
    visitor_uploads_gb: _Amount = 2.0
    visitor_files: _Count = 300  # drafts, those written last; and as many notions and splits
    max_prompts: _Count = 2_000  # of one notion
    max_jobs: _Count = 4  # embeddings, comparisons and other long work at once; more wait for their turn
    visitor_jobs: _Count = 2
    visitor_scripts: _Count = 1  # pages that are computed at once; the others wait for their turn
    max_trainings: _Count = 2  # runs and benchmarks at once
    visitor_trainings: _Count = 1
    max_sockets: _Count = 400  # pages that are open
    visitor_sockets: _Count = 16
    visitor_requests: _Count = 64  # that are answered at once
    max_waiting_mb: _Count = 2_000  # files in memory that browsers have sent and no page has taken yet
    visitor_waiting_mb: _Count = 200
    request_seconds: _Amount = 20.0  # until a request must have come in, and between two parts of what it sends
    max_cache_gb: _Amount = 20.0  # of what can be computed again; of more, what was not used for longest goes
    keep_days: float | None = Field(default=None, gt=0)  # after which the things of a visitor who stays away are removed; None: never
    max_pixels: int = Field(default=64_000_000, ge=10_000)  # of one uploaded image
    datasets_mb: _Count = 2_000  # memory for the datasets that were last looked at, by all together
    fits_mb: _Count = 1_000  # memory for the spaces of notions that were last looked at, by all together
    trust_network: bool = False  # an address beyond this machine is served although the server is not shared
    allowed_hosts: tuple[_Host, ...] = ()  # further names under which browsers reach the server, such as that of a reverse proxy
    token: bool = True  # a server that is not shared is opened by the link that it prints, and closed to everyone else on this machine
    auth: Path | None = None  # password file of `likeness admin password`; only those in it may use the server
    auth_header: str | None = Field(default=None, pattern="^[A-Za-z0-9-]+$")  # in which a reverse proxy names the account
    trusted_proxies: tuple[IPvAnyNetwork, ...] = ()  # addresses or networks whose `auth_header` and X-Forwarded-For are trusted
    roles: dict[_Account, Role] = Field(default_factory=dict)  # by account, where a proxy names it; `auth` has its own
    default_role: Role = "view"  # of accounts that are not in `roles`
    session_hours: _Amount = 168.0  # after which people sign in again
    api: bool = False  # programs use the server by HTTP, below /api
    mcp: bool = False  # and by the Model Context Protocol, at /mcp
    program_tokens: Path | None = None  # file of `likeness admin token`; where there are accounts, a token acts for the one of its name
    api_requests: float | None = Field(default=None, gt=0, le=10_000)  # a second, of one program; None: 10 on a shared server, 200 elsewhere

    @field_validator("roots", mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        """Names folders given as a list; a mapping stays as it is."""
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
                raise ValueError(f"the name '{name}' of a root is reserved or looks like a path; choose another")
            if not os.path.isdir(folder.expanduser()):  # false for what is no path at all
                raise ValueError(f"there is no folder '{folder}'")
        return {name: folder.expanduser().resolve() for name, folder in roots.items()}

    @field_validator("auth", "program_tokens")
    @classmethod
    def _file(cls, file: Path | None, field: ValidationInfo) -> Path | None:
        what, command = ("password file", "password") if field.field_name == "auth" else ("file of tokens", "token")
        if file is not None and not file.expanduser().is_file():
            raise ValueError(f"there is no {what} '{file}'; create it with: likeness admin {command} {file} NAME")
        return None if file is None else file.expanduser().resolve()

    @model_validator(mode="after")
    def _together(self) -> "ServerSettings":
        if self.roots and not self.shared:
            raise ValueError("roots limit what visitors of a shared server can read; add shared: true (--shared)")
        if self.has_accounts and not self.shared:
            raise ValueError("accounts are for a shared server; add shared: true (--shared)")
        if self.auth_header and not self.trusted_proxies:
            raise ValueError("auth_header needs a trusted proxy; add trusted_proxies (--trusted-proxy 127.0.0.1)")
        if self.auth and self.auth_header:
            raise ValueError("auth and auth_header exclude each other; choose one")
        if self.program_tokens and self.shared and not self.has_accounts:
            raise ValueError("program_tokens act for accounts on a shared server; add auth (--auth) or auth_header, or remove program_tokens")
        if self.mcp and find_spec("mcp") is None:
            raise ValueError("the MCP tools need the package mcp, which is not installed; install it: pip install 'likeness[mcp]'")
        return self

    @property
    def has_accounts(self) -> bool:
        """Whether people sign in, here or at a proxy."""
        return self.auth is not None or self.auth_header is not None

    @property
    def allows_training(self) -> bool:
        """Whether trainings can be started."""
        return not self.shared if self.training is None else self.training

    @property
    def allows_downloads(self) -> bool:
        """Whether weights are downloaded from a hub."""
        return not self.shared if self.downloads is None else self.downloads

    @property
    def requests_per_second(self) -> float:
        """Requests per second of one program, on average."""
        return self.api_requests if self.api_requests is not None else 10.0 if self.shared else 200.0

    def as_text(self) -> str:
        """The settings of `server`, read from the environment."""
        return yaml.safe_dump(self.model_dump(mode="json"), default_flow_style=True, width=10_000).strip()


def server() -> ServerSettings:
    """The settings of this process, from the variable LIKENESS_SERVER: a YAML mapping in braces, or the path of a YAML file.

    Child processes inherit them.

    Raises:
        InputError: as `read_settings`.
    """
    return _settings_in(os.environ.get(VARIABLE, "").strip() or "{}")


@lru_cache(maxsize=8)
def _settings_in(text: str) -> ServerSettings:
    if not text.startswith("{"):
        return read_settings(Path(text))
    return settings_from(parse_yaml(text, f"The variable {VARIABLE}"), f"The variable {VARIABLE}")


def read_settings(file: Path) -> ServerSettings:
    """Reads the settings from a YAML file. Raises InputError: no such file, no YAML, or an invalid key or value."""
    return settings_from(yaml_content(as_path(file)) or {}, f"'{file.name}'")


def settings_from(content: Any, name: str = "The settings") -> ServerSettings:
    """Settings from a dict; raises InputError for an invalid key or value."""
    try:
        return ServerSettings.model_validate(content)
    except (ValidationError, UnicodeEncodeError) as error:
        verb = "do" if name == "The settings" else "does"
        reason = validation_message(error) if isinstance(error, ValidationError) else "a value is not text; write it in UTF-8"
        raise InputError(f"{name} {verb} not fit: {reason}.") from error


def check_address(address: str, settings: ServerSettings) -> None:
    """Raises InputError for an address that others can reach, unless the settings allow it."""
    if settings.shared or settings.trust_network or is_local(address):
        return
    raise InputError(
        f"Serving on {address} lets everyone who can reach this machine read all your images and model files and start trainings; "
        "add --shared (with --root for folders that others may see), or --trust-network if you trust everyone who can connect."
    )


def is_local(address: str) -> bool:
    """Whether an address is reached from this machine alone."""
    try:
        return ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return address == "localhost"
