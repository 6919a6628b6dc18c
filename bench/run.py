#!/usr/bin/env python3
"""Runs the benchmarks: bench/run.py [--device cpu|gpu] [--only MODULE[,MODULE]] [--sizes N[,N]] [--rows REGEX]
[--output FILE.json] [--budget SECONDS]

--sizes: in rooms that measure at several sizes these alone, and of rooms that have one size none. --rows: those whose
name has a match.
Without --device: the CPU, and the GPU where there is one. Each room runs in a process of its own. The results
go to bench/results/DATE-MACHINE.json unless --output names a file; date, machine, commit and versions stand in it.
"""
import argparse, datetime, importlib, json, os, pathlib, platform, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def one_module(module, device, budget, output, sizes, wanted):
    import common
    b = common.Bench(device, sizes=[int(float(n)) for n in sizes.split(",")] if sizes else None)
    rows = []
    for case in importlib.import_module(f"bench_{module}").cases(b):
        if not re.search(wanted, case.name):
            continue
        try:
            r = common.row(b, case, common.measure(b, case, budget=budget))
            print(common.show(r), flush=True)
        except Exception as e:
            r = {"name": case.name, "device": device, "error": f"{type(e).__name__}: {e}"}
            print(f"{device} {case.name}: {r['error']}", flush=True)
        rows.append(r)
    versions = {"numpy": b.np.__version__}
    for name in ("scipy", "astropy", "cupy", "torch"):
        if name in sys.modules:
            versions[name] = sys.modules[name].__version__
    json.dump({"rows": rows, "versions": versions, "info": machine(b, device)}, open(output, "w"))


def machine(b, device):
    name = None
    if device == "gpu":
        p = b.cp.cuda.runtime.getDeviceProperties(0)
        name = p["name"].decode() if isinstance(p["name"], bytes) else p["name"]
    else:
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    return {"machine": name, "cores": os.cpu_count(), "python": platform.python_version(), "threads": b.threads()}


def write(name, result):
    part = name.with_suffix(".part")
    part.write_text(json.dumps(result, indent=1))
    part.replace(name)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--device", default="")
    a.add_argument("--only", default="")
    a.add_argument("--output", default="")
    a.add_argument("--budget", type=float, default=1.0)
    a.add_argument("--sizes", default="")
    a.add_argument("--rows", default="")
    a.add_argument("--module", default="")
    a = a.parse_args()
    if a.module:
        return one_module(a.module, a.device, a.budget, a.output, a.sizes, a.rows)
    subjects = a.only.split(",") if a.only else sorted(p.stem[6:] for p in HERE.glob("bench_*.py"))
    devices = [a.device] if a.device else ["cpu"]
    if not a.device:
        import cuprite
        devices += ["gpu"] if cuprite.cuda.runtime.getDeviceCount() and cuprite.cuda.is_available() else []
    commit = subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    result = {"date": datetime.date.today().isoformat(), "commit": os.environ.get("CUPRITE_COMMIT")
              or commit.stdout.strip(), "runs": []}
    name = pathlib.Path(a.output or HERE / "results" / f"{result['date']}-{platform.node() or 'machine'}.json")
    for device in devices:
        for module in subjects:
            with tempfile.NamedTemporaryFile(suffix=".json") as f:
                env = dict(os.environ)
                if device == "cpu":
                    env.setdefault("OMP_NUM_THREADS", "2")
                    env.setdefault("OPENBLAS_NUM_THREADS", "2")
                p = subprocess.run([sys.executable, __file__, "--module", module, "--device", device, "--output",
                                    f.name,
                                    "--budget", str(a.budget), "--sizes", a.sizes, "--rows", a.rows], env=env)
                if p.returncode == 0:
                    result["runs"].append({"module": module, "device": device, **json.load(open(f.name))})
                else:
                    print(f"{device} {module}: failed with {p.returncode}", flush=True)
            write(name, result)  # after each room: what ends the run early loses one
    print("results in", name)


if __name__ == "__main__":
    main()
