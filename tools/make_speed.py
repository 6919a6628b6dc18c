#!/usr/bin/env python3
"""Writes the tables of speed in README.md and docs/guide/performance.md from the newest results in bench/results.

    tools/make_speed.py            writes them
    tools/make_speed.py --check    exits 1 when they are not up to date

A table stands between `<!-- speed: NAME ... -->` and `<!-- end -->`. Each figure is one of a file in bench/results, of
the newest one that has the row; nothing is computed here. Invariant: a row that no file has is an error, never a gap.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/guide/performance.md"]
# label, row on the CPU, row on a GPU
ROWS = {
    "start": [
        ("sum of 10^7 float32", "sum 1e7 float32", "sum 1e7 float32"),
        ("sort 10^7 float32", "sort 1e7 float32", "sort 1e7 float32"),
        ("mask `x[x > 0.5]`, 10^7 float32",
         "x[x > 0.5] 1e7 float32", "x[x > 0.5] 1e7 float32"),
        ("10^7 standard normal numbers, float64",
         "standard_normal 1e+07 float64", "standard_normal 1e+07 float64"),
        ("matrix product, 2048 x 2048 float32", "matmul float32 2048^2", "matmul float32 2048^2"),
        ("`convolve2d`, 2048 x 2048 by 15 x 15 float32",
         "convolve2d float32 2048^2 by 15^2", "convolve2d float32 2048^2 by 15^2"),
        ("whole script, from start to first result",
         "first result of a fresh process", "first result of a fresh process"),
    ],
    "more": [
        ("median of 10^7 float32", "median_1e7", "median 1e+07 float32"),
        ("`rfft2` of 2048^2 float32", "rfft2 2048^2 float32", "rfft2 2048^2 float32"),
        ("add, 10^7 float32", "add 1e7 float32", "add 1e7 float32"),
        ("exp, 10^7 float32", "exp 1e7 float32", "exp 1e7 float32"),
        ("std, 10^7 float32", "std 1e7 float32", "std 1e7 float32"),
        ("sum of 10 elements", "x.sum() of 10", "x.sum() of 10"),
        ("SVD of 512^2 float64", "svd float64 512^2", "svd float64 512^2"),
        ("SVD of 10,000 8^2", "svd float64 10000 of 8^2", "svd float64 10000 of 8^2"),
        ("eigh of 512^2 float64", "eigh float64 512^2", "eigh float64 512^2"),
        ("solve, 512^2 float64", "solve float64 512^2", "solve float64 512^2"),
        ("fft of 2^20 complex64", "fft 2^20 complex64", "fft 2^20 complex64"),
        ("label 2048^2, 58 % set", "label 58 % set, 2048^2 bool", "label 58 % set, 2048^2 bool"),
    ],
}
CLOSING = "<!-- end -->"


def results():
    """(device, row's name) -> row, file's date, machine, versions: of the newest file that has it."""
    found = {}
    for path in sorted((ROOT / "bench" / "results").glob("*.json")):
        data = json.loads(path.read_text())
        for run in data["runs"]:
            versions = run["versions"] or data["runs"][0]["versions"]
            for row in run["rows"]:
                if "ours_ms" in row:
                    found[run["device"], row["name"]] = row, data["date"], run["info"], versions
    return found


def milliseconds(value):
    if value is None or isinstance(value, str):
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def described(used, peers):
    """The machines, versions and dates of some results."""
    machines = sorted({f"{info['machine']}, {info['cores']} cores" if device == "cpu" else info["machine"]
                       for device, (_, _, info, _) in used})
    versions = {}
    for _, (_, _, _, found) in used:
        versions.update((k, v.partition("+")[0]) for k, v in found.items() if k in peers)
    names = {"numpy": "NumPy", "scipy": "SciPy", "cupy": "CuPy", "torch": "PyTorch"}
    dates = sorted({date for _, (_, date, _, _) in used})
    return f"{'; '.join(machines)}, {', '.join(f'{names[k]} {v}' for k, v in versions.items())}; " + (
        dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}")


def table(name):
    found = results()
    used = []
    lines = ["| milliseconds | CPU: Cuprite | NumPy, SciPy | GPU: Cuprite | CuPy | PyTorch |",
             "|---|---|---|---|---|---|"]
    for label, on_cpu, on_gpu in ROWS[name]:
        cpu, gpu = found["cpu", on_cpu], found["gpu", on_gpu]
        used += [("cpu", cpu), ("gpu", gpu)]
        peers = [cpu[0]["peers_ms"].get(k) for k in ("numpy", "scipy")]
        best = min((p for p in peers if p is not None and not isinstance(p, str)), default=None)
        cells = [cpu[0]["ours_ms"], best, gpu[0]["ours_ms"], *(gpu[0]["peers_ms"].get(k) for k in ("cupy", "torch"))]
        lines.append(f"| {label} | {' | '.join(map(milliseconds, cells))} |")
    cpu, gpu = ([u for u in used if u[0] == device] for device in ("cpu", "gpu"))
    threads = [u[1][2].get("threads", {}) for u in cpu]
    most = max((t.get("ours", 0) for t in threads), default=0)
    return "\n".join([*lines, "",
                      f"CPU: {described(cpu, ('numpy', 'scipy'))}; Cuprite with {most} threads, NumPy with "
                      "its default.",
                      f"GPU: {described(gpu, ('cupy', 'torch'))}.", ""])


def filled(text):
    return re.sub(r"(<!-- speed: (\w+)[^>]*-->\n).*?(?=<!-- end -->)", lambda m: m[1] + table(m[2]), text, flags=re.S)


def main():
    stale = []
    for page in (ROOT / p for p in PAGES):
        if page.exists() and (text := page.read_text()) != filled(text):
            stale.append(page.name)
            if "--check" not in sys.argv:
                page.write_text(filled(text))
    if "--check" in sys.argv and stale:
        sys.exit(f"{', '.join(stale)}: not what bench/results says; tools/make_speed.py writes it")


if __name__ == "__main__":
    main()
