#!/usr/bin/env python3
"""Compares a catalogue of `cuprite sources` with the list of what `cuprite sky` painted.

    tools/compare_catalogs.py PAINTED.csv FOUND.csv

The two are matched one to one, nearest pairs first, within 3 pixels. Sources that are not found are of two kinds: those
within another source's group of pixels (blended), and others (lost in the noise). Needs only Python.
"""
import csv
import math
import statistics
import sys

REACH = 3.0  # pixels


def table(path):
    with open(path) as f:
        cards = [line for line in f if line.startswith("#")]
    with open(path) as f:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(line for line in f if line[0] != "#")]
    said = {c[2:10].strip(): c[12:].split(" / ")[0].strip() for c in cards}
    return rows, said


def match(painted, found):
    """Pairs (distance, painted, found), nearest first, each once."""
    near = {}
    for i, p in enumerate(painted):
        near.setdefault((int(p["x"] // 8), int(p["y"] // 8)), []).append(i)
    pairs = []
    for j, f in enumerate(found):
        cx, cy = int(f["x"] // 8), int(f["y"] // 8)
        for i in (i for dx in (-1, 0, 1) for dy in (-1, 0, 1) for i in near.get((cx + dx, cy + dy), [])):
            d = math.hypot(painted[i]["x"] - f["x"], painted[i]["y"] - f["y"])
            if d <= REACH:
                pairs.append((d, i, j))
    taken_p, taken_f, matched = set(), set(), []
    for d, i, j in sorted(pairs):
        if i not in taken_p and j not in taken_f:
            taken_p.add(i)
            taken_f.add(j)
            matched.append((d, i, j))
    return matched


def blended(p, found):
    """Is the painted source within the pixels of a group that was found?"""
    return any(math.hypot(p["x"] - f["x"], p["y"] - f["y"]) <= 2 * math.sqrt(f["pixels"] / math.pi) for f in found)


def above(p, threshold):
    """The fraction of a Gaussian's flux in the pixels brighter than the threshold, above the background."""
    return max(0.0, 1 - threshold / p["peak"])


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    painted, _ = table(arguments[0])
    found, said = table(arguments[1])
    threshold = float(said["THRESH"]) - float(said["MEDIAN"])
    matched = match(painted, found)
    missed = [p for i, p in enumerate(painted) if i not in {i for _, i, _ in matched}]
    merged = sum(blended(p, found) for p in missed)
    extra = len(found) - len(matched)
    print(f"painted:    {len(painted)} sources; found: {len(found)}")
    complete = 100 * len(matched) / max(len(painted), 1)
    print(f"matched:    {len(matched)} within {REACH:g} pixels (completeness {complete:.1f} %)")
    print(f"not found:  {len(missed)}: {merged} blended with another source, {len(missed) - merged} faint")
    print(f"false:      {extra} found where nothing was painted")
    if matched:
        ratio = [found[j]["flux"] / painted[i]["sum"] for _, i, j in matched]
        expected = [found[j]["flux"] / (painted[i]["sum"] * above(painted[i], threshold)) for _, i, j in matched
                    if above(painted[i], threshold)]
        print(f"position:   median offset {statistics.median(d for d, _, _ in matched):.3f} pixels")
        print(f"flux:       median {statistics.median(ratio):.3f} of what was painted; "
              f"{statistics.median(expected):.3f} of what of it lies above the threshold")


if __name__ == "__main__":
    main(sys.argv[1:])
