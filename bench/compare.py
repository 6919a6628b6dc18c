#!/usr/bin/env python3
"""Compares two builds row by row: bench/compare.py NOW BASE [--device cpu|gpu] [--only MODULE,...] [--match REGEX]
[--rows FILE [--marked]] [--skip FILE] [--rounds N] [--budget SECONDS] [--seconds N] [--alone] [--above RATIO]
[--output FILE.json]

NOW and BASE are checkouts with a build in build/. Each has two processes, made in the order now, base, base, now:
a process's memory layout changes times by some per cent, and of two successive processes the first was slower. All four
are measured in turn, so that a busy machine slows all of them; the cases are those of this folder. A row's ratios are
now / base: of the shortest times, and of the medians. Rows with both above --above are marked.

Noise: compare.py NOW NOW of the 288 rows of `index` on a busy machine of two processors (one thread, taskset,
--budget 0.4) gave a geometric mean of 0.998; nine of ten rows were between 0.98 and 1.025, all between 0.96 and 1.06,
and one was marked. A row that is marked once is to be measured again, alone: --match, or --rows with this program's
output (lines "MODULE NAME" do too), of which --marked takes the marked rows; without --only, of the modules that it
names. --skip leaves out the rows of such a file. No row begins after --seconds. --alone imports neither PyTorch nor
CuPy, which are only needed where CUDA's libraries come with them: half of a module's start.
"""
import argparse, datetime, importlib, json, math, os, pathlib, re, statistics, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


class Peer:
    """A stub for a peer's library and its arrays: the peers' cases are made, never called."""
    def itself(self, *args, **options):
        return self

    __call__ = __getattr__ = __getitem__ = __lt__ = __gt__ = __add__ = __radd__ = __sub__ = __mul__ = itself


ROW = re.compile(r"(\w+)\s+(.*?)(\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+[\d.]+( <--)?)?\s*$")


def rows_of(file, marked=False):
    """(module, name) of the rows of an output of this program, or of lines "MODULE NAME"."""
    modules = {f.stem[6:] for f in HERE.glob("bench_*.py")}
    found = [ROW.match(line) for line in pathlib.Path(file).read_text().splitlines()]
    return {(m[1], m[2]) for m in found if m and m[1] in modules and (m[4] or not marked)}


def worker(device, subjects, match, alone):
    """Answers requests, one a line: "next" with the next case's name or null, "find NAME" with null where there is no
    such case, a number with the milliseconds of a call, from that many calls."""
    import common
    common.Bench.theirs = common.Bench.tensor = lambda self, a: Peer()
    answers, sys.stdout = sys.stdout, sys.stderr
    absent = ("torch", "cupy") if alone else ()
    sys.modules.update(dict.fromkeys(absent))
    b = common.Bench(device)
    for name in absent:
        del sys.modules[name]
    b.cupy = b.torch = Peer()
    b.wait = lambda who: b.cp.cuda.Device(0).synchronize() if b.gpu else None

    def cases():
        for module in subjects:
            for case in importlib.import_module(f"bench_{module}").cases(b):
                if re.search(match, case.name):
                    yield case

    rest, passed, case = cases(), {}, None

    def find(name):
        while name not in passed and (c := next(rest, None)):
            passed[c.name] = c
        return passed.pop(name, None)

    for line in sys.stdin:
        try:
            if line.strip() == "next":
                case = next(rest, None)
                answer = case and case.name
            elif line.startswith("find "):
                case = find(line[5:].strip())
                answer = case and case.name
            else:
                n = int(line)
                if n > 1:  # the processes between have emptied the caches
                    case.ours()
                b.wait("ours")
                start = time.perf_counter()
                for _ in range(n):
                    case.ours()
                b.wait("ours")
                answer = (time.perf_counter() - start) / n * 1e3
        except Exception as e:
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), file=answers, flush=True)


class Worker:
    def __init__(self, tree, a):
        tree = pathlib.Path(tree).resolve()
        path = os.pathsep.join([str(tree / "build/python"), str(HERE)])
        libraries = os.pathsep.join([str(tree / "build/lib"), str(tree / "build/deps")])
        env = {**os.environ, "PYTHONPATH": path, "CUPRITE_BUILD": str(tree / "build"), "LD_LIBRARY_PATH":
               os.pathsep.join(filter(None, [libraries, os.environ.get("LD_LIBRARY_PATH")]))}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--worker", str(tree), str(tree), "--device", a.device, "--only", a.only,
             "--match", a.match] + ["--alone"] * a.alone, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)

    def ask(self, what):
        print(what, file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline() or '{"error": "the process ended"}')
        if isinstance(answer, dict):
            raise RuntimeError(answer["error"])
        return answer


# Of the processes now, base, base, now: base follows now as often as now base, and none itself, whose caches were warm.
ORDERS = (0, 1, 2, 3), (1, 0, 3, 2)


def compare(workers, a):
    """The row of the current case of all processes. The first two calls of each are not counted."""
    for w in workers + workers:
        w.ask(1)
    once = max(w.ask(1) for w in workers)
    calls = max(1, min(1000, int(a.budget * 1e3 / len(workers) / a.rounds / max(once, 1e-3))))
    times = [[] for _ in workers]
    for turn in range(a.rounds):
        for w in ORDERS[turn % 2]:
            times[w].append(workers[w].ask(calls))
    now, base = times[0] + times[3], times[1] + times[2]
    return {"now_ms": min(now), "base_ms": min(base), "ratio": min(now) / min(base),
            "median_ratio": statistics.median(now) / statistics.median(base)}


def commit(tree):
    r = subprocess.run(["git", "-C", tree, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return r.stdout.strip() or None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("now")
    p.add_argument("base")
    p.add_argument("--device", default="cpu")
    p.add_argument("--only", default="")
    p.add_argument("--match", default="")
    p.add_argument("--rows", default="")
    p.add_argument("--marked", action="store_true")
    p.add_argument("--skip", default="")
    p.add_argument("--seconds", type=float, default=math.inf)
    p.add_argument("--alone", action="store_true")
    p.add_argument("--rounds", type=int, default=8)
    p.add_argument("--budget", type=float, default=1.0)
    p.add_argument("--above", type=float, default=1.03)
    p.add_argument("--output", default="")
    p.add_argument("--worker", action="store_true")
    a = p.parse_args()
    if a.worker:
        return worker(a.device, a.only.split(","), a.match, a.alone)
    a.mark = lambda r: min(r["ratio"], r["median_ratio"]) > a.above
    wanted, measured = rows_of(a.rows, a.marked) if a.rows else None, rows_of(a.skip) if a.skip else set()
    modules = {f.stem[6:] for f in HERE.glob("bench_*.py")} if wanted is None else {module for module, _ in wanted}
    end, rows = time.monotonic() + a.seconds, []
    for module in a.only.split(",") if a.only else sorted(modules):
        names = None if wanted is None else {n for m, n in wanted - measured if m == module}
        compare_module(a, module, names, {n for m, n in measured if m == module}, end, rows)
        if a.output:
            record = {"date": datetime.date.today().isoformat(), "device": a.device, "now": commit(a.now),
                      "base": commit(a.base), "rows": rows}
            pathlib.Path(a.output).write_text(json.dumps(record, indent=1))
    if rows:
        mean = math.exp(statistics.fmean(math.log(r["ratio"]) for r in rows))
        print(f"{len(rows)} rows, geometric mean {mean:.3f}, {sum(map(a.mark, rows))} above {a.above}")


def compare_module(a, module, names, measured, end, rows):
    """Adds to `rows` those of the module: of these names (None: all), not measured yet, until the time `end`."""
    if names == set() or time.monotonic() > end:
        return
    a.only = module
    workers = [Worker(tree, a) for tree in (a.now, a.base, a.base, a.now)]
    while (names is None or names) and time.monotonic() < end:
        name = "the next row"
        try:
            name = workers[0].ask("next")
            if name is None:
                break
            if name in measured or (names is not None and name not in names):
                continue
            if names is not None:
                names.remove(name)
            if not all([w.ask(f"find {name}") for w in workers[1:]]):
                continue  # base does not have it
            r = {"module": module, "name": name, **compare(workers, a)}
        except RuntimeError as e:
            print(f"{module} {name}: {e}", flush=True)
            if "ended" in str(e):
                break
            continue
        rows.append(r)
        print(f"{module:15} {name:55} {r['now_ms']:10.4f} {r['base_ms']:10.4f}  {r['ratio']:.3f} "
              f"{r['median_ratio']:.3f}{' <--' if a.mark(r) else ''}", flush=True)
    for name in sorted(names or ()):
        print(f"{module} {name}: not measured", flush=True)
    for w in workers:
        w.process.kill()


if __name__ == "__main__":
    main()
