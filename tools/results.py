#!/usr/bin/env python3
"""Writes bench/results/README.md from the newest results of each module on each machine: the bars, and what is slower
than a peer.

    tools/results.py            writes it
    tools/results.py --check    exits 1 when it is not up to date
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "bench" / "results"
PAGE = ROOT / "README.md"
HEAD = """# Measured figures

`tools/results.py` writes this page from the JSON files here. `make bench` makes new ones; where a GPU is,
`tools/gpu-check` does.

Times are milliseconds a call, back to back: the median of batches that alternate with the peers' in one run. The
floor is the time that the hardware needs: bytes over bandwidth, or operations over rate (`bench/common.py` has both;
caches can beat them). The bar is how many times faster than a peer we want to be, and `reached` how many times faster
we are.
"""


def ms(v):
    return "" if v is None else v if isinstance(v, str) else f"{v:.3g}"


def threads_text(runs):
    """The recorded thread counts of the libraries; older results do not have them."""
    used = [r["info"].get("threads") for r in runs if r["device"] == "cpu"]
    if not used or None in used:
        return ""
    texts = {", ".join(f"{who} {n}" for who, n in u.items()) for u in used}
    return "; threads: " + "; ".join(sorted(texts))


def table(rows):
    out = ["| work | ours, ms | floor, ms | peers, ms | bar | reached |", "|---|---|---|---|---|---|"]
    for r in rows:
        peers = ", ".join(f"{k} {ms(v)}" for k, v in r["peers_ms"].items())
        bar = f"{r['bar']:g}x" if r.get("bar") else ""
        got = f"{r['reached']:.1f}x" if r.get("reached") else ""
        out.append(f"| {r['name']} | {ms(r['ours_ms'])} | {ms(r['floor_ms'])} | {peers} | {bar} | {got} |")
    return out


def section(path):
    """The lines about one file of results."""
    d = json.loads(path.read_text())
    runs, versions = d["runs"], {}
    for r in runs:
        versions.update(r["versions"])
    out = [f"## {runs[0]['info']['machine']}, {d['date']}, commit {d['commit']}", "",
           f"`{path.name}`: " + ", ".join(f"{k} {v}" for k, v in versions.items()) + threads_text(runs), ""]
    start = ("source_finding", "first_result")
    first = [x for r in runs if r["module"] in start for x in r["rows"] if "ours_ms" in x]
    if first:
        out += ["The source-finding path:", "", *table(first), ""]
    rest = [x for r in runs if r["module"] not in start for x in r["rows"] if "ours_ms" in x]
    slower = [x for x in rest if x["best_peer_over_ours"] and x["best_peer_over_ours"] < 0.97]
    if rest:
        ratios = [x["best_peer_over_ours"] for x in rest if x["best_peer_over_ours"]]
        product = 1.0
        for v in ratios:
            product *= v ** (1 / len(ratios))
        out += [f"All modules: {len(ratios)} cases with a peer, geometric mean of best peer over ours {product:.2f}; "
                f"slower than", f"the best peer by more than 3 %: {len(slower)}.", ""]
    return out + ([*table(slower), ""] if slower else [])


def page():
    return HEAD + "\n" + "\n".join(line for path in sorted(ROOT.glob("*.json")) for line in section(path))


if __name__ == "__main__":
    if "--check" not in sys.argv:
        PAGE.write_text(page())
    elif PAGE.read_text() != page():
        sys.exit("bench/results/README.md: not what the files say; tools/results.py writes it")
