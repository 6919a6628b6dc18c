#!/usr/bin/env python3
"""Every kernel of tests/kernels on one device: its tier, how long it takes to compile, how long to run.

    PYTHONPATH=build/python python bench/kernels_all.py --device cpu [-o FILE] [-k NAME] [-r ROUNDS]

Launches are those of tests/python/test_kernel_programs*.py, which are run by pytest with their own checks: what is
timed is right. Of each kernel the launch with most data, and of these with most threads, is repeated ROUNDS times, its
test with it, and the median counts, from an idle device to an idle device; an empty launch counts too. Compilation is
that of a text with this kernel and what it may use alone, as programs have it: once with an empty cache, once more in a
new process. The results are bench/results/kernels/all-MACHINE.json; tools/results.py writes the page of them.
"""
import argparse
import collections
import datetime
import json
import math
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "python"
KERNELS = ROOT / "tests" / "kernels"

Case = collections.namedtuple("Case", "file kernel asked names options cooperative")


# --- a text with one kernel ---

def blanked(text):
    """The text with comments, strings and preprocessor lines blank; a ; ends each of the latter, and lines that are a
    macro alone."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m[0])
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    text = re.sub(r"(?m)^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: blank(m)[:-1] + ";", text)
    return re.sub(r"(?m)^([A-Z][A-Z0-9_]*\([^()\n]*)\)$", r"\1;", text)


def parts(text):
    """Functions, explicit instantiations of kernels and records at the outermost level, in namespaces and extern "C":
    (name, kernel?, first, behind)."""
    plain, found, first, depth, opened = blanked(text), [], 0, 0, []
    for at, c in enumerate(plain):
        if c == "{":
            head = plain[first:at].strip()
            if depth == 0 and (re.fullmatch(r"(inline\s+)?namespace\s*\w*|extern", head)):
                first = at + 1
                continue
            if depth == 0:
                opened = [first, head]
            depth += 1
        elif c == "}" and depth:
            depth -= 1
            if depth == 0:
                first = at + 1
            if depth == 0 and (name := declared(opened[1])):
                end = plain.index(";", at) + 1 if name[1] else at + 1  # `} variable;` belongs to a record
                found.append((name[0], "__global__" in opened[1], opened[0], end))
        elif depth == 0 and c in ";}":
            if instance := re.match(r"\s*(?:extern\s+)?template\s+__global__\s[^<(]*?(\w+)\s*[<(]", plain[first:at]):
                found.append((instance[1], True, first, at + 1))
            first = at + 1
    return found


def declared(head):
    """(name, whether it is a record) of what stands before a {, or None."""
    head = re.sub(r"__launch_bounds__\s*\([^)]*\)|template\s*<[^{;]*?>(?=\s*(?:__|static|inline|struct|class|\w))", "",
                  head)
    if record := re.match(r"\s*(?:struct|class|union)\b(?:\s*__align__\(\d+\))?\s+(\w+)[^(]*$", head):
        return record[1], True
    name = re.search(r"(\w+)\s*(?:<[^()]*>)?\s*\(", head)
    return (name[1], False) if name and "operator" not in head and "enum" not in head else None


def alone(text, kernel, expression=""):
    """The text without other kernels, and without functions and records that neither it nor the expression names."""
    found = parts(text)
    if kernel not in {name for name, *_ in found} and "void " + kernel.rpartition("_")[0] + "_##" not in text:
        raise ValueError(f"{kernel}: no such kernel found")
    gone = {f for f in found if f[1] and f[0] != kernel}

    def kept(without):
        left, end = [], 0
        for f in sorted(without, key=lambda f: f[2]):
            left.append(text[end:f[2]])
            end = f[3]
        return "".join(left) + text[end:]

    while True:
        unused = {f for f in found if f not in gone and not f[1] and not re.search(
            rf"\b{f[0]}\b", kept(gone | {g for g in found if g[0] == f[0]}) + expression)}
        if not unused:
            return kept(gone)
        gone |= unused


# --- launches ---

class Recorder:
    """Times the launches of the kernels that tests ask for, and remembers what they were."""

    def __init__(self, cp, rounds):
        self.cp, self.rounds = cp, rounds
        self.test, self.count = None, 0
        self.times = {}            # (test, kernel, launch's number in the test) -> milliseconds of its rounds
        self.cases = {}            # the same -> Case, grid, block
        self.sizes = {}            # the same -> bytes of its arrays, threads
        self.tiers = {}
        self.chosen = None         # test -> nothing, in the second pass

    def pytest_collection_modifyitems(self, items):
        if self.chosen is not None:
            items[:] = [i for i in items if i.nodeid in self.chosen]

    def pytest_runtest_call(self, item):
        """Before the test's own run, in the second pass, all other rounds of it."""
        self.test = item.nodeid
        for _ in range(self.rounds - 1 if self.chosen is not None else 0):
            self.count = 0
            item.runtest()
        self.count = 0

    def kernel(self, make):
        def kernel(file, name, names=(), options=(), cooperative=False):
            k = make(file, name, names, options, cooperative)
            plain = written_name(file, name)
            self.tiers[file, plain] = k.kernel.tier
            return Launched(self, k, Case(file, plain, name, tuple(names), tuple(options), cooperative))
        return kernel


def written_name(file, asked):
    """The kernel of the file that is asked for by a name, an expression or a mangled name."""
    from kernels import written
    plain = re.split("[<:]+", re.sub(r"<.*", "", asked))[-1]
    names = [name for where, name in written() if where == file]
    return plain if plain in names else max((n for n in names if n in asked), key=len, default=plain)


class Launched:
    """A kernel whose launches are timed."""

    def __init__(self, recorder, kernel, case):
        self._recorder, self._kernel, self._case = recorder, kernel, case

    def __getattr__(self, name):
        return getattr(self._kernel, name)

    def __call__(self, grid, block, arguments=(), *rest, **more):
        r = self._recorder
        device = r.cp.cuda.Device()
        key = r.test, self._case.file, self._case.kernel, r.count
        r.count += 1
        device.synchronize()
        start = time.perf_counter()
        self._kernel(grid, block, arguments, *rest, **more)
        device.synchronize()
        r.times.setdefault(key, []).append(1e3 * (time.perf_counter() - start))
        r.cases[key] = self._case, list(grid), list(block)
        r.sizes[key] = sum(a.nbytes for a in arguments if isinstance(a, r.cp.ndarray)), math.prod(grid + block)


def launches(device, rounds, only):
    """(file, kernel) -> Case, grid, block, milliseconds of the largest launch; the tiers of all."""
    import pytest
    sys.path.insert(0, str(TESTS))
    import cuprite as cp
    import kernels
    recorder = Recorder(cp, rounds)
    kernels.kernel = recorder.kernel(kernels.kernel)
    asked = [*map(str, sorted(TESTS.glob("test_kernel_programs*.py"))), "-q", "-p", "no:cacheprovider", "--device",
             device, "-W", "ignore", "--no-header", *(["-x"] if not only else [])]
    if pytest.main(asked, plugins=[recorder]):
        sys.exit("the tests fail: nothing is timed")
    largest = {}
    for key, size in recorder.sizes.items():
        kernel = key[1:3]
        if only in kernel[1] and (kernel not in largest or size >= recorder.sizes[largest[kernel]]):
            largest[kernel] = key
    recorder.chosen = {key[0] for key in largest.values()}
    recorder.times = {}
    if pytest.main(asked, plugins=[recorder]):
        sys.exit("the tests fail when they are repeated")
    found = {}
    for kernel, key in largest.items():
        found[kernel] = *recorder.cases[key], statistics.median(recorder.times[key])
    return found, recorder.tiers


# --- compilation ---

def compile_all(path):
    """In a process of its own: compiles the cases of a file of JSON, and prints the milliseconds of each."""
    import cuprite as cp
    cases = [Case(*c) for c in json.loads(pathlib.Path(path).read_text())]
    for c in [Case(None, "first", "first", (), (), False), *cases]:  # the first is what a process needs once
        names = [c.asked] if c.asked in c.names else [n for n in c.names if c.kernel in n]
        text = alone((KERNELS / f"{c.file}.cu").read_text(), c.kernel, " ".join(names)) if c.file else (
            'extern "C" __global__ void first(int *x) { x[threadIdx.x] = 1; }')
        start = time.perf_counter(), used()
        m = cp.RawModule(code=text, name_expressions=names or None,
                         options=("--std=c++17", *c.options), enable_cooperative_groups=c.cooperative)
        try:
            m.get_function(c.asked)
        except Exception as e:
            raise RuntimeError(f"{c.file}.cu: {c.kernel} alone does not compile:\n{text}") from e
        print("compiled", 1e3 * (time.perf_counter() - start[0]), 1e3 * (used() - start[1]), flush=True)


def used():
    """Seconds that this process and the compilers that it ran had a processor."""
    return sum(getattr(resource.getrusage(who), t) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
               for t in ("ru_utime", "ru_stime"))


def compilations(cases, device):
    """Of each case (milliseconds by the clock, of processors): with an empty cache, and in a second process."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "cases.json")
        path.write_text(json.dumps(cases))
        environment = {**os.environ, "CUPRITE_CACHE_DIR": folder, "CUPRITE_DEVICE": device}
        found = []
        for _ in range(2):
            out = subprocess.run([sys.executable, __file__, "--compile", str(path)], env=environment, text=True,
                                 stdout=subprocess.PIPE, check=True).stdout
            found.append([list(map(float, line.split()[1:])) for line in out.splitlines()
                          if line.startswith("compiled")][1:])
    return list(zip(*found))


# --- the record ---

def machine(device):
    import cuprite as cp
    if not device.startswith("cpu"):
        with cp.cuda.Device(device):
            name = cp.cuda.runtime.getDeviceProperties(cp.cuda.Device().id)["name"]
        return {"machine": name.decode() if isinstance(name, bytes) else name}
    model = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {"machine": model[1] if model else platform.processor(), "cores": len(os.sched_getaffinity(0))}


def short(info):
    """The name of a machine as a file's."""
    word = re.sub(r"[^a-z0-9]+", "-", re.sub(r"\(R\)|\(TM\)|NVIDIA|Processor|@.*", "", info["machine"]).lower())
    return word.strip("-") + (f"-{info['cores']}-cores" if "cores" in info else "")


def record(kind, asked, load, device, rows):
    """Writes the file of results: JSON, with a line for each row."""
    info = {**machine(device), "python": platform.python_version(), "load": round(load, 1)}
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    head = {"kind": kind, "date": datetime.date.today().isoformat(), "commit": os.environ.get("CUPRITE_COMMIT")
            or commit.stdout.strip(), "note": asked.note, "device": "cpu" if device.startswith("cpu") else "gpu",
            "info": info, "rounds": asked.r}
    path = pathlib.Path(asked.o or ROOT / "bench" / "results" / "kernels" / f"{kind}-{short(info)}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    path.write_text(json.dumps(head, indent=1).removesuffix("\n}") + f',\n "rows": [\n{lines}\n ]\n}}\n')
    print("results in", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda:0, ...")
    parser.add_argument("-k", default="", help="only kernels whose names contain this; prints, and writes no file")
    parser.add_argument("-r", type=int, default=7, help="rounds")
    parser.add_argument("-o", help="the file of results")
    parser.add_argument("--note", default="", help="what the page is to say of this run")
    parser.add_argument("--compile", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.compile:
        return compile_all(asked.compile)
    load = os.getloadavg()[0]
    found, tiers = launches(asked.device, asked.r, asked.k)
    from kernels import written
    missing = [k for k in written() if asked.k in k[1] and k not in found and k not in tiers]
    if missing:
        sys.exit(f"no test launches {missing}")
    order = [k for k in dict.fromkeys(written()) if k in found or (k in tiers and asked.k in k[1])]
    cases = [found[k][0] if k in found else Case(*k, k[1], (), (), False) for k in order]
    rows = []
    for kernel, case, ((first, busy), (cached, _)) in zip(order, cases, compilations(cases, asked.device)):
        _, grid, block, ms = found.get(kernel, (None, None, None, None))
        rows.append({"file": kernel[0], "name": case.asked, "tier": tiers[kernel], "grid": grid, "block": block,
                     "compile_ms": round(first, 1), "compile_busy_ms": round(busy, 1),
                     "cached_ms": round(cached, 2), "run_us": ms and round(1e3 * ms, 2)})
        print(f"{kernel[0]:13}{case.asked:32} {tiers[kernel]:8} {first:9.1f} ms ({busy:.1f} busy), cached "
              f"{cached:6.2f} ms " + (f"{1e3 * ms:10.1f} us" if ms else "         -"), flush=True)
    if asked.k:
        return
    record("all", asked, load, asked.device, rows)


if __name__ == "__main__":
    main()
