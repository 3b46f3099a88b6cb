"""`likeness app`: the app in the browser, for one person or for several."""

import json
from pathlib import Path
from typing import Annotated

import typer

from likeness.io import become_app

_SEVERAL = {"root": "roots", "allowed_host": "allowed_hosts", "trusted_proxy": "trusted_proxies"}  # by the name of the option


def app(
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to serve on; the first free one from 8501 by default.")] = None,
    address: Annotated[str, typer.Option(help="Address to bind to. Beyond this machine only with --shared or --trust-network.")] = "127.0.0.1",
    shared: Annotated[
        bool | None, typer.Option("--shared", help="Serve several people: no local paths, training or downloads unless allowed below.")
    ] = None,
    root: Annotated[list[Path] | None, typer.Option(help="On a shared server: folder of images that visitors may open; may be repeated.")] = None,
    training: Annotated[bool | None, typer.Option("--training/--no-training", help="Allow starting runs; off by default with --shared.")] = None,
    runs: Annotated[bool | None, typer.Option("--runs/--no-runs", help="Allow viewing trained runs.")] = None,
    downloads: Annotated[
        bool | None, typer.Option("--downloads/--no-downloads", help="Allow downloading weights from a hub; off by default with --shared.")
    ] = None,
    settings: Annotated[Path | None, typer.Option(help="YAML file with these and further settings; see docs/serving.md.")] = None,
    trust_network: Annotated[
        bool | None, typer.Option("--trust-network", help="Serve beyond this machine without --shared: everyone who connects gets your permissions.")
    ] = None,
    allowed_host: Annotated[
        list[str] | None, typer.Option(help="Additional host name of the app, such as that of a reverse proxy; may be repeated.")
    ] = None,
    token: Annotated[
        bool | None, typer.Option("--token/--no-token", help="Require the printed link, so that other users of this machine cannot open the app.")
    ] = None,
    auth: Annotated[Path | None, typer.Option(help="On a shared server: password file written by `likeness admin password`.")] = None,
    auth_header: Annotated[str | None, typer.Option(help="On a shared server: HTTP header in which a trusted proxy names the account.")] = None,
    trusted_proxy: Annotated[
        list[str] | None, typer.Option(help="Address or network of a trusted reverse proxy, whose client headers are used; may be repeated.")
    ] = None,
    api: Annotated[bool | None, typer.Option("--api/--no-api", help="Serve the HTTP API at /api; see docs/api.md.")] = None,
    mcp: Annotated[bool | None, typer.Option("--mcp/--no-mcp", help="Serve the Model Context Protocol at /mcp.")] = None,
    program_tokens: Annotated[Path | None, typer.Option(help="Token file written by `likeness admin token`.")] = None,
) -> None:
    """Serve the app in the browser.

    Examples: `likeness app --port 8600`, `likeness app --shared --root /data/photos --address 0.0.0.0`
    """
    options = dict(locals())
    options |= {several: options.pop(one) or None for one, several in _SEVERAL.items()}
    # the app stands above this package: it checks these itself, in the process that this one becomes
    become_app("serve", json.dumps(options, default=str))
