#!/usr/bin/env python3
"""Writes bench/results/README.md from the newest results of each module on each machine: the bars, and what is slower
than a peer."""
import json, pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent / "bench" / "results"


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


out = ["# Measured figures", "",
       "Made by `tools/results.py` from the JSON files here; `make bench` (or `tools/gpu-check` where a GPU is) makes "
       "new",
       "ones. Milliseconds a call, back to back, median of batches that alternate with the peers' in one run. Floors "
       "are",
       "bytes over bandwidth or operations over rate (`bench/common.py` has the ceilings; caches can beat them). "
       "`reached`",
       "is the peer that the bar is about over ours.", ""]
for path in sorted(ROOT.glob("*.json")):
    d = json.load(open(path))
    runs = [r for r in d["runs"]]
    info, versions = runs[0]["info"], {}
    for r in runs:
        versions.update(r["versions"])
    out += [f"## {info['machine']}, {d['date']}, commit {d['commit']}", "",
            f"`{path.name}`: " + ", ".join(f"{k} {v}" for k, v in versions.items()) +
            threads_text(runs), ""]
    first = [x for r in runs if r["module"] in ("source_finding", "first_result") for x in r["rows"] if "ours_ms" in x]
    if first:
        out += ["The source-finding path:", ""] + table(first) + [""]
    rest = [x for r in runs if r["module"] not in ("source_finding",
                                                   "first_result") for x in r["rows"] if "ours_ms" in x]
    slower = [x for x in rest if x["best_peer_over_ours"] and x["best_peer_over_ours"] < 0.97]
    if rest:
        ratios = [x["best_peer_over_ours"] for x in rest if x["best_peer_over_ours"]]
        product = 1.0
        for v in ratios:
            product *= v ** (1 / len(ratios))
        out += [f"All modules: {len(ratios)} cases with a peer, geometric mean of best peer over ours {product:.2f}; "
                f"slower than",
                f"the best peer by more than 3 %: {len(slower)}.", ""]
    if slower:
        out += table(slower) + [""]
(ROOT / "README.md").write_text("\n".join(out))
