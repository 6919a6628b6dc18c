#!/usr/bin/env python3
"""Writes bench/results/README.md from the newest results of each module on each machine: the bars, and what is slower
than a peer. Writes bench/results/kernels.md from those of kernels_all.py and kernels_cpu.py.

    tools/results.py            writes them
    tools/results.py --check    exits 1 when they are not up to date
"""
import json
import math
import pathlib
import statistics
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent / "bench" / "results"
PAGE = ROOT / "README.md"
HEAD = """# Measured figures

Kernels of the user's have [a page of their own](kernels.md).

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


COMPANIONS = {"filters": "`scipy.ndimage`'s filters and morphology", "geometry": "`scipy.ndimage`'s interpolation and "
              "distances", "lfilter": "`scipy.signal`", "sparse": "`scipy.sparse`",
              "spatial": "`scipy.spatial` and `scipy.stats`", "splines": "`scipy.interpolate`",
              "special": "`scipy.special`, 4,000,000 elements of float64",
              "special_series": "`scipy.special`, series of 2,000 elements"}


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
    out += [*table(slower), ""] if slower else []
    for r in runs:  # SciPy's companions: all rows, since each has its bar
        if r["module"] in COMPANIONS:
            rows = [x for x in r["rows"] if "ours_ms" in x]
            reached = [x["reached"] for x in rows if x.get("reached")]
            mean = math.exp(sum(map(math.log, reached)) / len(reached)) if reached else 0
            out += [f"{COMPANIONS[r['module']]}, geometric mean {mean:.1f}x:", "", *table(rows), ""]
    return out


def page():
    return HEAD + "\n" + "\n".join(line for path in sorted(ROOT.glob("*.json")) for line in section(path))


# --- the user's kernels ---

KERNELS_HEAD = """# Kernels of the user's: measured figures

`tools/results.py` writes this page from the files in `kernels`; `make bench-kernels` makes those of a machine, and
`bench/kernels_all.py --device cuda:0` those of a GPU. [How kernels run on the
CPU](../../src/compiler/kernel/README.md) says what a tier is.
"""
NATIVE_TEXT = """
The same work as a kernel and as plain loops in C++ (g++ -O3 -march=native), one thread against one, the least CPU time
of several turns. The bars are a ratio of 1.2 for loops and of 2 where a kernel has barriers. Behind it the time by the
clock with all threads, of ours and of Numba's `njit(parallel=True)`, and seconds of Numba's simulator of CUDA (one
block, times the blocks; it has no shuffles).
"""
ALL_TEXT = """
The kernels of tests/kernels with the launches of their tests, which check the results: of each the one with most data.
Times are medians from an idle device to an idle device, so an empty launch counts too. A kernel is compiled as a text
of its own, once without a cache and once, in a new process, with it.
"""


def figure(value, unit=1.0):
    return "-" if value is None else f"{value * unit:.3g}" if value * unit < 1000 else f"{value * unit:,.0f}"


def newest(kind):
    """device -> the newest file of this kind."""
    found = {}
    for path in sorted((ROOT / "kernels").glob("*.json")):
        d = json.loads(path.read_text())
        if d["kind"] == kind and (d["device"] not in found or d["date"] >= found[d["device"]]["date"]):
            found[d["device"]] = d
    return found


def measured(d):
    info = d["info"]
    where = info["machine"] + (f", {info['cores']} cores" if "cores" in info else "")
    return f"{where}, {d['date']}, commit {d['commit']}" + (f"; {d['note']}" if d["note"] else "") + "."


def native_section(d):
    ratios = {}
    out = [f"## {len(d['rows'])} kernels against C++ and Numba", NATIVE_TEXT, measured(d), "",
           "| kernel | tier | ours, ms | C++, ms | ratio | all threads, ms | Numba, ms | simulator, s |",
           "|---|---|---|---|---|---|---|---|"]
    for r in d["rows"]:
        ratio = r["ours_ms"] / r["native_ms"]
        ratios.setdefault(r["tier"], []).append(ratio)
        out.append(f"| {r['name']} | {r['tier']} | {figure(r['ours_ms'])} | {figure(r['native_ms'])} | {ratio:.2f} | "
                   f"{figure(r.get('ours_threads_ms'))} | {figure(r.get('numba_ms'))} | "
                   f"{figure(r.get('simulator_ms'), 1e-3)} |")
    means = ", ".join(f"{tier} {math.exp(statistics.mean(map(math.log, v))):.2f} ({len(v)} kernels)"
                      for tier, v in ratios.items())
    over = sum(x > (1.2 if tier == "loop" else 2) for tier, v in ratios.items() for x in v)
    return [*out, "", f"Geometric means of the ratio: {means}. Over their bar: {over}.", ""]


def all_summary(d):
    rows = d["rows"]
    tiers = {}
    for r in rows:
        tiers[r["tier"]] = tiers.get(r["tier"], 0) + 1
    busy = [r["compile_busy_ms"] for r in rows]
    cached = [r["cached_ms"] for r in rows]
    return (f"{measured(d)} {len(rows)} kernels: {', '.join(f'{n} {tier}' for tier, n in tiers.items())}. First "
            f"compilation: {statistics.median(r['compile_ms'] for r in rows):.0f} ms by the clock in the median, "
            f"{statistics.median(busy):.0f} ms of a processor (at most 90 ms: {sum(t <= 90 for t in busy)}). From the "
            f"cache: {statistics.median(cached):.2f} ms (below 2 ms: {sum(t < 2 for t in cached)}).")


def all_section(found):
    devices = [x for x in ("cpu", "gpu") if x in found]
    names = {"cpu": "CPU", "gpu": "GPU"}
    out = ["## Every kernel of tests/kernels", ALL_TEXT]
    for x in devices:
        out += [*textwrap.wrap(f"{names[x]}: {all_summary(found[x])}", 120), ""]
    out.append("| file | kernel | tier | " + " | ".join(
        f"{names[x]}: compile, ms | cached, ms | run, us" for x in devices) + " |")
    out.append("|---" * (3 + 3 * len(devices)) + "|")
    rows = [{(r["file"], r["name"].partition("<")[0]): r for r in found[x]["rows"]} for x in devices]
    for key, r in rows[0].items():
        cells = []
        for other in (o.get(key, {}) for o in rows):
            cells += [figure(other.get(k)) for k in ("compile_ms", "cached_ms", "run_us")]
        out.append(f"| {r['file']} | `{r['name']}` | {r['tier']} | {' | '.join(cells)} |")
    return [*out, ""]


def kernels_page():
    native, every = newest("native"), newest("all")
    return "\n".join([KERNELS_HEAD, *(native_section(native["cpu"]) if native else []),
                      *(all_section(every) if every else [])])


PAGES = {PAGE: page, ROOT / "kernels.md": kernels_page}


if __name__ == "__main__":
    for path, made in PAGES.items():
        if "--check" not in sys.argv:
            path.write_text(made())
        elif path.read_text() != made():
            sys.exit(f"bench/results/{path.name}: not what the files say; tools/results.py writes it")
