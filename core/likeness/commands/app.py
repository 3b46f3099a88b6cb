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
        bool | None, typer.Option("--shared", help="For others: no local paths, no training, no downloads unless allowed below.")
    ] = None,
    root: Annotated[list[Path] | None, typer.Option(help="On a shared server: a folder of images that others may open; repeatable.")] = None,
    training: Annotated[
        bool | None, typer.Option("--training/--no-training", help="Whether runs can be started; off by default with --shared.")
    ] = None,
    runs: Annotated[bool | None, typer.Option("--runs/--no-runs", help="Whether trained runs can be looked at.")] = None,
    downloads: Annotated[
        bool | None, typer.Option("--downloads/--no-downloads", help="Whether weights are fetched from a hub; off by default with --shared.")
    ] = None,
    settings: Annotated[Path | None, typer.Option(help="All of this and more in a YAML file; see docs/serving.md.")] = None,
    trust_network: Annotated[
        bool | None, typer.Option("--trust-network", help="Serve beyond this machine, although everyone who connects may do whatever you may.")
    ] = None,
    allowed_host: Annotated[
        list[str] | None, typer.Option(help="A further name under which browsers reach the app, such as a reverse proxy's; repeatable.")
    ] = None,
    token: Annotated[
        bool | None, typer.Option("--token/--no-token", help="Whether only the printed link opens the app; others on this machine cannot.")
    ] = None,
    auth: Annotated[Path | None, typer.Option(help="On a shared server: passwords, a file that `likeness admin password` writes.")] = None,
    auth_header: Annotated[str | None, typer.Option(help="On a shared server: the header in which a trusted proxy names the account.")] = None,
    trusted_proxy: Annotated[
        list[str] | None, typer.Option(help="Address or network of a reverse proxy, whose word about who asks is believed; repeatable.")
    ] = None,
    api: Annotated[bool | None, typer.Option("--api/--no-api", help="Whether programs may use it by HTTP, below /api; see docs/api.md.")] = None,
    mcp: Annotated[bool | None, typer.Option("--mcp/--no-mcp", help="Whether agents may use it by the Model Context Protocol, at /mcp.")] = None,
    program_tokens: Annotated[Path | None, typer.Option(help="Tokens of programs, a file that `likeness admin token` writes.")] = None,
) -> None:
    """Serve the app in the browser.

    Examples: `likeness app --port 8600`, `likeness app --shared --root /data/photos --address 0.0.0.0`
    """
    options = dict(locals())
    options |= {several: options.pop(one) or None for one, several in _SEVERAL.items()}
    # the app stands above this package: it checks these itself, in the process that this one becomes
    become_app("serve", json.dumps(options, default=str))
