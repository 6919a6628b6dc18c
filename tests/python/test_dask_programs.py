"""Dask's own tests for CuPy, with Cuprite as cupy; the Dask programs in examples/dask; xarray over Dask."""
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import cuprite as cp

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")
import dask.array as da  # noqa: E402

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "dask"
TESTS = pathlib.Path(da.__file__).parent / "tests"
# CuPy's sparse matrices have a file of their own, and are what Cuprite has not yet; of the others one in four of the
# shapes and distributions is taken (CUPRITE_DASK=all takes all)
FILES = sorted(p.name for p in TESTS.glob("test_cupy_*.py")
               if p.name != "test_cupy_sparse.py" or hasattr(cp.scipy, "sparse"))
SOME = """
def pytest_collection_modifyitems(items):
    groups = {}
    for item in items:
        groups.setdefault((item.fspath, item.originalname), []).append(item)
    items[:] = [i for g in groups.values() for i in g[::4]]
"""


@pytest.mark.once
def test_dask_tests_for_cupy(tmp_path):
    """In a process of their own, as they import cupy."""
    assert len(FILES) >= 9
    if os.environ.get("CUPRITE_DASK") != "all":
        (tmp_path / "some.py").write_text(SOME)
    else:
        (tmp_path / "some.py").write_text("")
    run = subprocess.run([sys.executable, "-m", "cuprite", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "some",
                          "-p", "no:xdist", "-W", "ignore", "-o", "addopts=", f"--rootdir={tmp_path}",
                          *[str(TESTS / f) for f in FILES]],
                         capture_output=True, text=True, cwd=tmp_path,
                         env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path[1:]])})
    done = re.search(r"(\d+) passed", run.stdout)
    assert run.returncode == 0 and done and int(done[1]) > 80, run.stdout[-5000:] + run.stderr[-2000:]


def program(name, *arguments, device="cpu"):
    run = subprocess.run([sys.executable, str(EXAMPLES / name), *map(str, arguments)], capture_output=True, text=True,
                         env=os.environ | {"CUPRITE_DEVICE": device}, timeout=300)
    assert run.returncode == 0, run.stderr[-3000:]
    return run.stdout


# Runs a program with each of several arguments, in one process, as dask is imported in a second.
WITH_EACH = """
import contextlib, io, json, runpy, sys
program, *several = sys.argv[1:]
ends = []
for words in several:
    sys.argv, said, code = [program, *words.split()], io.StringIO(), None
    with contextlib.redirect_stderr(said):
        try:
            runpy.run_path(program, run_name="__main__")
        except SystemExit as e:
            code = e.code
    ends.append([code, said.getvalue()])
print(json.dumps(ends))
"""


@pytest.mark.once
@pytest.mark.parametrize("name, wrong", [
    ("sky_sources.py", {"--size 0": "--size: 0 is less than 1", "--repeat 0": "--repeat: 0",
                        "--lines -5": "--lines: -5 is less than 0", "--workers x": "'x' is"}),
    ("reconstruct.py", {"--images 0": "--images: 0 is", "--size 3": "--size: 3 is", "-k -1": "-k: -1",
                        "--workers -1": "--workers: -1 is less than 0"})])
def test_wrong_arguments(name, wrong):
    run = subprocess.run([sys.executable, "-c", WITH_EACH, str(EXAMPLES / name), *wrong], capture_output=True,
                         text=True, timeout=100)
    assert run.returncode == 0, run.stdout + run.stderr
    for (code, said), words in zip(json.loads(run.stdout), wrong.values(), strict=True):
        assert code == 2 and words in said, (code, said)


def test_sources_of_the_sky_in_chunks(device):
    text = program("sky_sources.py", "--size", 500, "--lines", 61, "--check", device=device)
    assert "in 9 chunks" in text and "gives the same catalogue" in text


@pytest.mark.once
def test_sources_of_a_file_by_workers(tmp_path):
    pytest.importorskip("astropy", reason="astropy is not installed")
    from astropy.io import fits
    x = np.random.default_rng(1).normal(0, 1, (400, 300)).astype("f4")
    x[100:108, 50:58] += 20
    x[195:260, 200] += 100
    fits.writeto(tmp_path / "x.fits", x)
    text = program("sky_sources.py", tmp_path / "x.fits", "--lines", 50, "--workers", 2, "--memory", "1 GB", "--check",
                   "--catalog", tmp_path / "x.csv")
    assert "in 8 chunks: 2 sources" in text and "gives the same catalogue" in text
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 3


@pytest.mark.once
def test_sources_of_more_than_the_memory():
    """144 MB of pixels and as many smoothed ones, by a worker that itself has some 200 MB. At four fifths of its limit
    it would pause, and have nothing to write to disk."""
    text = program("sky_sources.py", "--size", 6000, "--memory", "400 MB", "--check")
    assert "gives the same catalogue" in text
    assert 0.1 < float(re.search(r"most memory of a worker: (\S+) GB", text)[1]) <= 0.32


def test_reconstruction_in_chunks(device):
    assert "give the same" in program("reconstruct.py", "--images", 12, "--size", 24, "-k", 3, "--chunk", 5, "--check",
                                      device=device)


@pytest.mark.once
def test_the_simulated_scheduler_agrees_with_the_model():
    """Two jobs on 1 and 4 workers; a task of the scheduler's takes 200 us, so that nothing depends on the machine."""
    for job, side in ("sources", 20000), ("reconstruct", 2560):
        run = subprocess.run([sys.executable, str(EXAMPLES.parents[1] / "bench" / "dask_simulate.py"), "--job", job,
                              "--workers", "1", "4", "--chunks", "1", "--side", str(side), "--scheduler", "200"],
                             capture_output=True, text=True, env=os.environ)
        assert run.returncode == 0, run.stderr[-3000:]
        for line, want in zip(run.stdout.splitlines()[1:], (4, 13) if job == "reconstruct" else (9, 31)):
            workers, tasks, _, seconds, model, efficiency = line.split()[:6]
            assert int(tasks) == want, line
            assert float(seconds) == pytest.approx(float(model), rel=0.1) and float(efficiency[:-1]) > 90, line


def test_xarray_over_dask():
    xr = pytest.importorskip("xarray", reason="xarray or its pandas is not installed", exc_type=ImportError)
    h = np.random.default_rng(1).standard_normal((12, 6, 5))
    with dask.config.set(scheduler="synchronous"):
        x = xr.DataArray(da.from_array(cp.asarray(h), chunks=(4, 3, 5)), dims=("t", "y", "x"), coords={"x": range(5)})
        mean = x.mean("t")
        assert isinstance(mean.data, da.Array) and type(mean.data._meta) is cp.ndarray
        for ours, want in [(mean, h.mean(0)), (x.std(("y", "x")), h.std((1, 2))),
                           ((x - mean).sel(x=2), (h - h.mean(0))[..., 2]),
                           (x.isel(t=slice(2, 9)).max("t"), h[2:9].max(0)),
                           (x.coarsen(t=3).sum(), h.reshape(4, 3, 6, 5).sum(1)),
                           (xr.concat([x, x], "t"), np.concatenate([h, h]))]:
            got = ours.compute().data
            assert type(got) is cp.ndarray
            np.testing.assert_allclose(got.get(), want, rtol=1e-12, atol=1e-14)
