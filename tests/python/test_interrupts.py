"""Ctrl-C in long calls that are no kernels: KeyboardInterrupt soon after, and the library goes on. Each case is a
process of its own, whose call would take minutes."""
import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.once

START = r"""
import signal, threading, time
import numpy as np
import cuprite as cp
from cuprite.scipy.spatial import Delaunay, KDTree, distance

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(3)
few = rng.random((50, 2))

def works():
    far = np.hypot(*(few[:, None] - few).T).T
    assert np.allclose(distance.cdist(cp.asarray(few), cp.asarray(few)).get(), far, rtol=1e-14, atol=0)
    nearest = KDTree(cp.asarray(few)).query(cp.asarray(few), k=2)
    assert nearest[1].get()[:, 0].tolist() == list(range(50))
    assert np.allclose(nearest[0].get()[:, 1], (far + 9 * np.eye(50)).min(axis=1), rtol=1e-14, atol=0)
    print("works")
"""

WIDE = "x = cp.asarray(rng.random((2000, 4000)))\n"
GRAPH = "from cuprite.scipy import sparse\ng = sparse.random_array((200000, 200000), density=5e-5, rng=1).tocsr()\n"
IMAGE = "from cuprite.scipy import ndimage, signal\nx = cp.asarray(rng.random((3000, 3000)))\n"
TREE = "x = cp.asarray(rng.random((400000, 3)))\nt = KDTree(x)\n"
CALLS = {
    "cdist": (WIDE, "distance.cdist(x, x, 'jensenshannon')"),
    "pdist": (WIDE, "distance.pdist(x, 'minkowski', p=2.5)"),
    "tile": ("x = cp.asarray(rng.random((60000, 1)))\n",  # vectors of 1: the shortest turns of the loop
             "[distance.cdist(x[:20000], x, 'chebyshev') for i in range(1000)]"),
    "matrix": ("x = cp.asarray(rng.random((400, 1500)))\n", "distance.cdist(x, x, 'mahalanobis', VI=cp.eye(1500))"),
    "cosine": ("x = cp.asarray(rng.random((6000, 6000)))\n", "distance.cdist(x, x, 'cosine')"),
    "correlation": ("x = cp.asarray(rng.random((6000, 6000)))\n", "distance.pdist(x, 'correlation')"),
    "hausdorff": ("x = cp.asarray(rng.random((60000, 500)))\n", "distance.directed_hausdorff(x, x)"),
    "one thread": ("cp._device.threads(1)\n" + WIDE, "distance.cdist(x, x, 'jensenshannon')"),
    "query": ("x = cp.asarray(rng.random((300000, 18)))\nt = KDTree(x)\n", "t.query(x, k=3)"),
    "query_pairs": (TREE, "t.query_pairs(3.0)"),
    "query_ball_point": (TREE, "t.query_ball_point(x, 3.0, return_length=True)"),
    "query_ball_tree": (TREE, "t.query_ball_tree(t, 3.0)"),
    "Delaunay": ("cp._device.threads(1)\n"  # a lattice at an angle, whose ties are computed exactly
                 "i = np.stack(np.meshgrid(*2 * [np.arange(1200.0)]), -1).reshape(-1, 2)\n"
                 "x = cp.asarray(i @ [[3, 4], [-4, 3]] * 1234567)\n", "[Delaunay(x) for i in range(100)]"),
    "dijkstra": (GRAPH, "sparse.csgraph.dijkstra(g, indices=cp.arange(300))"),
    "dijkstra, one thread": ("cp._device.threads(1)\n" + GRAPH,
                             "[sparse.csgraph.dijkstra(g, indices=[0, 1], min_only=True) for i in range(100)]"),
    "median_filter": (IMAGE, "ndimage.median_filter(x, 101)"),
    "maximum_filter": (IMAGE, "ndimage.maximum_filter(x, footprint=cp.arange(9801).reshape(99, 99) % 7 > 0)"),
    "correlate": (IMAGE, "ndimage.correlate(x, x[:299, :299])"),
    "gaussian_filter": (IMAGE, "[ndimage.gaussian_filter(x, 400) for i in range(100)]"),
    "correlate2d": (IMAGE, "signal.correlate2d(x, x[:1500, :1500])"),
    "convolve": (IMAGE, "signal.convolve(x.ravel(), x.ravel()[:4000000], method='direct')"),
    "medfilt2d, one thread": ("cp._device.threads(1)\n" + IMAGE, "signal.medfilt2d(x, 101)"),
    "distance_transform_bf": (IMAGE, "ndimage.distance_transform_bf(x[:1500, :1500] > 0.5)"),
    "lombscargle": (IMAGE, "signal.lombscargle(x[:100].ravel(), x[:100].ravel(), 1 + x[100:200].ravel())"),
    "count_neighbors": (TREE, "t.count_neighbors(t, 3.0, p=3.5)"),
}


def program(text, times=1):
    """(lines printed behind "begins", when each signal was sent) of a program that is interrupted so often."""
    p = subprocess.Popen([sys.executable, "-u", "-c", START + text], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env={**os.environ, "CUPRITE_DEVICE": "cpu"})
    try:
        assert p.stdout.readline() == "begins\n", p.stderr.read()
        sent = []
        for _ in range(times):
            time.sleep(0.5)
            sent.append(time.monotonic())
            p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
        assert p.returncode == 0, err
        return out.splitlines(), sent
    finally:
        p.kill()


CAUGHT = ("print('begins')\ntry:\n    {}\nexcept KeyboardInterrupt as e:\n    print(time.monotonic(), repr(e))\n"
          "works()\n")


@pytest.mark.parametrize("name", CALLS)
def test_interrupt(name):
    before, call = CALLS[name]
    lines, sent = program(before + CAUGHT.format(call))
    raised, words = lines[0].split(" ", 1)
    assert words == "KeyboardInterrupt()" and lines[1:] == ["works"]
    assert float(raised) - sent[0] < 1  # about 0.1; other processes may keep this one waiting


def test_a_handler_that_raises_nothing():
    """It runs while the call does, may use the library, and the call goes on, until one raises."""
    lines, sent = program(
        "def handler(*a):\n    works()\n    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.signal(signal.SIGINT, handler)\n" + WIDE + CAUGHT.format(CALLS["cdist"][1]), 2)
    assert lines[0] == "works" and lines[1].endswith("KeyboardInterrupt()") and lines[2:] == ["works"]
    assert sent[1] < float(lines[1].split()[0]) < sent[1] + 1


def test_an_error_of_the_handler_is_the_calls():
    lines, _ = program("def handler(*a):\n    raise LookupError('mine')\nsignal.signal(signal.SIGINT, handler)\n" +
                       WIDE + "print('begins')\ntry:\n    " + CALLS["cdist"][1] + "\nexcept LookupError as e:\n"
                       "    print(repr(e))\nworks()\n")
    assert lines == ["LookupError('mine')", "works"]


def test_calls_of_other_threads_go_on():
    lines, _ = program(
        "x = cp.asarray(rng.random((300, 3000)))\nfound = []\n"
        "def other():\n    print('begins')\n    found.append(distance.cdist(x, x, 'jensenshannon'))\n"
        "t = threading.Thread(target=other)\nt.start()\ntry:\n    time.sleep(60)\nexcept KeyboardInterrupt:\n"
        "    print('main', len(found))\nt.join()\n"
        "print((found[0][::50] == distance.cdist(x[::50], x, 'jensenshannon')).all())\nworks()\n")
    assert lines == ["main 0", "True", "works"]


def test_a_result_that_would_be_partial_is_not_given():
    """`out` stays as it was."""
    lines, _ = program(WIDE + "out = cp.full((2000, 2000), -1.0)\n" +
                       CAUGHT.format("distance.cdist(x, x, 'jensenshannon', out=out)") +
                       "print(bool((out == -1).all()))\n")
    assert lines[1:] == ["works", "True"]
