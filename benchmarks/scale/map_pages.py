"""Pages that show the same points in the app's own map and in peers, without a server's work around them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

APP = Path(__file__).resolve().parents[2] / "app"
sys.path.insert(0, str(APP))

PEERS = {"regl-scatterplot": ["regl-scatterplot"], "deck.gl": ["@deck.gl/core", "@deck.gl/layers"]}
PALETTE = ["#2559b0", "#df911a", "#2b9667", "#de50fc", "#d00600", "#58e3dc", "#8c352a", "#aade70", "#c598e7", "#793974", "#f0d507", "#6715e1"]
_STYLE = "body{margin:0}#map{position:relative;width:900px;height:620px}"
_PAGE = f'<!doctype html><link rel="icon" href="data:,"><style>{_STYLE}</style><div id=map></div>'
_LOAD = """
const n = Number(new URLSearchParams(location.search).get("n"));
const load = async (name) => (await fetch(`/${name}-${n}.bin`)).arrayBuffer();
const xy = new Float32Array(await load("xy")), codes = new Uint8Array(await load("codes"));
const element = document.getElementById("map"), begun = performance.now();
const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => (window.drawn = performance.now() - begun)));
"""
_OWN = """
element.attachShadow({ mode: "open" }).innerHTML = `<style>.lm{position:relative;width:900px;height:620px}${CSS}</style>${HTML}`;
const part = (name, array, type) => ({ id: name, type, url: URL.createObjectURL(new Blob([array])) });
const data = { n, identity: "", noun: "points", seen: null, renderer: RENDERER, thumbnails: "", info: null, selected: null, dimmed: null,
  query: null, neighbors: null, panels: [{ title: "", caption: "", home: [0, 0, 1.1, 1.1], positions: part("xy", xy, "float32") }],
  coloring: { kind: "category", label: "class", codes: part("codes", codes, "uint8"), colors: COLORS, names: COLORS,
    counts: COLORS.map(() => 0), legend: [] } };
showMap({ parentElement: element.shadowRoot, data, setTriggerValue() {} });
const wait = () => (element.shadowRoot.querySelector(".lm").dataset.drawn === "true" ? drawn() : requestAnimationFrame(wait));
wait();
"""
_REGL = """
import createScatterplot from "regl-scatterplot";
LOAD
const canvas = element.appendChild(document.createElement("canvas"));
const look = { pointSize: 2, opacity: 0.3, colorBy: "valueA", pointColor: COLORS };
const scatter = createScatterplot({ canvas, width: 900, height: 620, aspectRatio: 1, ...look });
const x = new Float32Array(n), y = new Float32Array(n);
for (let i = 0; i < n; i++) [x[i], y[i]] = [xy[2 * i], xy[2 * i + 1]];
scatter.draw({ x, y, valueA: Array.from(codes) }).then(() => { scatter.get("regl")?.read?.({ x: 0, y: 0, width: 1, height: 1 }); drawn(); });
"""
_DECK = """
import { Deck, OrthographicView } from "@deck.gl/core";
import { ScatterplotLayer } from "@deck.gl/layers";
LOAD
const rgb = COLORS.map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
const colors = new Uint8Array(4 * n);
for (let i = 0; i < n; i++) colors.set([...rgb[codes[i]], 80], 4 * i);
const attributes = { getPosition: { value: xy, size: 2 }, getFillColor: { value: colors, size: 4 } };
let first = true;
new Deck({ parent: element, width: 900, height: 620, views: new OrthographicView(), controller: true, useDevicePixels: 1,
  initialViewState: { target: [0, 0, 0], zoom: 8 },
  onAfterRender({ gl }) {
    if (!first) return;
    first = false;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    drawn();
  },
  layers: [new ScatterplotLayer({ id: "points", data: { length: n, attributes }, radiusUnits: "pixels", getRadius: 1 })] });
"""


def write_points(folder: Path, n: int) -> None:
    """Sixty round clusters, each of one of twelve classes, as raw bytes."""
    rng, of = np.random.default_rng(0), np.arange(n) % 60
    centers = 0.9 * np.sqrt(np.arange(60) / 60)[:, None] * np.stack([np.cos(2.4 * np.arange(60)), np.sin(2.4 * np.arange(60))], axis=1)
    (folder / f"xy-{n}.bin").write_bytes((centers[of] + 0.06 * rng.standard_normal((n, 2))).astype(np.float32).tobytes())
    (folder / f"codes-{n}.bin").write_bytes((of % 12).astype(np.uint8).tobytes())


def write_own(folder: Path, renderer: str) -> int:
    """The page of the app's own map as own-{renderer}.html; returns the bytes of its script, as served."""
    from likeness.plots.linked_map import SCRIPTS, read_script, read_text

    script = read_script(*SCRIPTS)
    page = _OWN.replace("RENDERER", json.dumps(renderer)).replace("COLORS", json.dumps(PALETTE))
    page = page.replace("${CSS}", read_text("linked_map.css")).replace("${HTML}", read_text("linked_map.html"))
    (folder / f"own-{renderer}.html").write_text(f"{_PAGE}<script type=module>{script}\n{_LOAD}{page}</script>")
    return len(script.encode())


def write_peers(folder: Path) -> dict[str, int]:
    """A page {name}.html for each peer that npm gives, and the bytes of its bundle; none without npm."""
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not here: no peers")
        return {}
    packages = [package for names in PEERS.values() for package in names]
    got = subprocess.run([npm, "install", "--no-audit", "--no-fund", "--silent", "esbuild", *packages], cwd=folder, capture_output=True, text=True)
    if got.returncode:
        print(f"npm could not fetch the peers, so there are none: {got.stderr.strip()[-200:]}")
        return {}
    return {name: _bundle(folder, name, source) for name, source in (("regl-scatterplot", _REGL), ("deck.gl", _DECK))}


def _bundle(folder: Path, name: str, source: str) -> int:
    (folder / f"{name}.js").write_text(source.replace("LOAD", _LOAD).replace("COLORS", json.dumps(PALETTE)))
    out = folder / f"{name}.min.js"
    esbuild = folder / "node_modules/.bin/esbuild"
    subprocess.run([esbuild, f"{name}.js", "--bundle", "--minify", "--format=esm", f"--outfile={out}"], cwd=folder, check=True, capture_output=True)
    (folder / f"{name}.html").write_text(f'{_PAGE}<script type=module src="{out.name}"></script>')
    return out.stat().st_size
