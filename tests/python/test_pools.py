"""Memory beside arrays: pools and their limits, kinds of memory, pointers, allocators, hooks, pinned memory."""
import ctypes
import gc
import io
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device
from cuprite.cuda import memory_hooks
from oracle import raises

pytestmark = pytest.mark.device

cuda = cp.cuda


def run(code, **environment):
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    r = subprocess.run([sys.executable, "-c", "import cuprite as cp\n" + code], capture_output=True, text=True,
                       env={**os.environ, "PYTHONPATH": home, **environment}, timeout=60)
    return r.stdout.strip() if r.returncode == 0 else r.stderr.strip().splitlines()[-1]


# --- the default pool ---
def test_figures_of_small_arrays():
    """As a program of CuPy's looks at them: blocks of 512 bytes, which stay held when they are free."""
    gc.collect()
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    used, total = pool.used_bytes(), pool.total_bytes()
    a = cp.array(np.zeros(100, "f4"))
    assert pool.used_bytes() - used == 512
    del a
    assert pool.used_bytes() == used                         # a segment that others use in part had space already
    assert pool.total_bytes() >= max(total, used + 512) or os.environ.get("CUPRITE_POOL") == "off"
    pool.free_all_blocks()
    assert pool.total_bytes() == total


@pytest.mark.skipif(os.environ.get("CUPRITE_POOL") == "off", reason="nothing stays in the pool then")
def test_free_blocks_of_a_stream():
    pool, s = cp.get_default_memory_pool(), cuda.Stream()
    gc.collect()
    pool.free_all_blocks()
    with s:
        x = cp.zeros(4 << 20, "i1")
    s.synchronize()
    held, blocks = pool.total_bytes(), pool.n_free_blocks()
    del x
    assert pool.total_bytes() == held
    assert pool.n_free_blocks() >= blocks
    pool.free_all_blocks(stream=cuda.Stream.null)
    assert pool.total_bytes() == held
    pool.free_all_blocks(stream=s)
    assert pool.total_bytes() < held
    assert set(pool.statistics()) >= {"used", "held", "peak", "limit", "blocks", "reuses"}


def test_limits_by_fraction():
    pool = cp.get_default_memory_pool()
    before = pool.get_limit()
    try:
        pool.set_limit(fraction=0.25)
        assert pool.get_limit() == int(0.25 * cuda.Device().mem_info[1])
        pool.set_limit(size=0)
        assert pool.get_limit() == 0
    finally:
        pool.set_limit(size=before)


@pytest.mark.parametrize("variable", ["CUPRITE_GPU_MEMORY_LIMIT", "CUPY_GPU_MEMORY_LIMIT"])
def test_limits_of_the_environment(device, variable):
    code = f"cp.cuda.Device({device!r}).use(); p = cp.get_default_memory_pool(); print(p.get_limit(), cp.cuda.Device()"
    code += ".mem_info[1])"
    limit, total = map(int, run(code, **{variable: "1073741824"}).split())
    assert limit == (0 if device == "cpu" else 1 << 30)
    limit, total = map(int, run(code, **{variable: "50%"}).split())
    assert limit == (0 if device == "cpu" else total // 2) or abs(limit - total / 2) < 2
    if device != "cpu":
        for bad in ("much", "150%", "-1", "10 GB"):
            assert variable in run(code, **{variable: bad})
        both = run(code, CUPRITE_GPU_MEMORY_LIMIT="4096", CUPY_GPU_MEMORY_LIMIT="8192")
        assert both.split()[0] == "4096"


def test_a_limit_holds():
    pool = cp.get_default_memory_pool()
    gc.collect()
    pool.free_all_blocks()
    before = pool.get_limit()
    pool.set_limit(size=pool.total_bytes() + (32 << 20))
    try:
        with pytest.raises(cp.OutOfMemoryError):
            cp.empty(64 << 20, "i1")
        assert float(cp.ones(1000).sum()) == 1000
    finally:
        pool.set_limit(size=before)


# --- pointers ---
def test_bytes_by_pointers(device):
    values = np.arange(1000.0)
    p, q = cuda.alloc(8000), cp.get_default_memory_pool().malloc(8000)
    p.copy_from_host(values.ctypes.data, 8000)
    q.copy_from(p, 8000)
    back = np.zeros(1000)
    q.copy_to_host(ctypes.c_void_p(back.ctypes.data), 8000)
    assert (back == values).all()
    q.memset(0xff, 16)
    (q + 16).memset(0, 8)
    q.copy_to_host(back.ctypes.data, 32)
    assert back[0] != back[0] and back[2] == 0 and back[3] == 3
    for place in ["cpu"] + (["late:1"] if device.startswith("late") else []):
        with cuda.Device(place):
            r = cuda.alloc(8000)
            r.copy_from_device(p, 8000)
            assert (cp.ndarray((1000,), "f8", memptr=r).get() == values).all()
    assert q.device == cuda.Device() and q.mem.size >= 8000 and q.mem.device_id == q.device_id
    x = cp.arange(10)
    assert x.data.mem.ptr == x.data.ptr and x.data.mem.size == 80 and isinstance(x.data.mem, cuda.BaseMemory)


def test_bytes_in_streams():
    s = cuda.Stream(non_blocking=True)
    pinned = cp.zeros_pinned(1000)
    pinned[...] = np.arange(1000)
    back = cp.zeros_pinned(1000)
    with s:
        p, q = cuda.alloc(8000), cuda.alloc(8000)
    p.memset_async(0, 8000, s)
    p.copy_from_host_async(pinned.ctypes.data, 8000, s)
    q.copy_from_async(p, 8000, s)
    q.copy_to_host_async(back.ctypes.data, 8000, s)
    s.synchronize()
    assert (back == np.arange(1000)).all()


def test_unowned_memory(device):
    class Owner:
        pass
    import weakref
    owner, x = Owner(), cp.arange(100.0)
    gone = weakref.ref(owner)
    m = cuda.UnownedMemory(x.data.ptr, 800, owner)
    del owner
    y = cp.ndarray((100,), "f8", memptr=cuda.MemoryPointer(m, 0))
    assert m.device == x.device and m.ptr == x.data.ptr and m.size == 800
    y += 1
    assert float(x.sum()) == 5050 and gone() is not None
    del m, y
    gc.collect()
    assert gone() is None


def test_kinds_of_memory(live_blocks):
    live = live_blocks()
    managed = cuda.malloc_managed(800)
    assert isinstance(managed.mem, cuda.ManagedMemory) and managed.mem.size == 800
    managed.mem.prefetch(cuda.Stream.null)
    managed.mem.advise(cuda.runtime.cudaMemAdviseSetReadMostly, cuda.Device())
    in_order = cuda.malloc_async(800)
    assert in_order.mem.stream_ref == cuda.get_current_stream()
    own = cuda.Memory(800)
    for p in (managed, in_order, cuda.MemoryPointer(own, 0)):
        x = cp.ndarray((100,), "f8", memptr=p)
        x[...] = 2
        assert float(x.sum()) == 200
    del managed, in_order, own, p, x
    assert live_blocks() == live
    with pytest.raises(OverflowError):
        cuda.Memory(-1)


# --- pools of one's own and allocators ---
def test_a_pool_over_an_allocator():
    pool = cuda.MemoryPool(cuda.malloc_managed)
    with cuda.using_allocator(pool.malloc):
        x = cp.arange(1000) + 1
        assert cuda.get_allocator() == pool.malloc and isinstance(x.data.mem, cuda.BaseMemory)
    assert pool.used_bytes() == 8192 and pool.total_bytes() >= 8192 and pool.n_free_blocks() >= 1
    y = x * 2  # from the library's pool again
    assert pool.used_bytes() == 8192 and int(y.sum()) == 1001000
    del x
    assert pool.used_bytes() == 0 and pool.free_bytes() == pool.total_bytes() > 0
    held = pool.total_bytes()
    with cuda.using_allocator(pool.malloc):
        z = cp.zeros(1000, "i8")
    assert pool.total_bytes() == held  # a block was used again
    pool.free_all_blocks(stream=cuda.Stream(non_blocking=True))
    assert pool.n_free_blocks() == held // 8192 - 1
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0 and pool.total_bytes() == 8192 and int(z.sum()) == 0
    pool.set_limit(size=10000)
    assert pool.get_limit() == 10000
    with pytest.raises(cp.OutOfMemoryError):
        pool.malloc(5000)
    del z
    assert pool.malloc(5000).mem.size >= 5000


def test_allocators_of_functions(device, live_blocks):
    taken, given = [], []
    number = _device.current()

    def get(size, d):
        taken.append((size, d))
        return _device.memory_new(number, size, 0)

    def give(ptr, d):
        given.append(ptr)
        _device.memory_free(number, ptr, 0, 0)
    functions = cuda.PythonFunctionAllocator(get, give)
    live = live_blocks()
    with cuda.using_allocator(functions.malloc):
        x = cp.ones(1000)
        y = x + x
    assert taken == [(8000, cuda.Device().id)] * 2 and float(y.sum()) == 2000
    ptr = y.data.ptr
    del x, y
    assert live_blocks() == live and len(given) == 2 and ptr in given


def test_set_allocator():
    seen, default = [], cp.get_default_memory_pool().malloc

    def allocator(size):
        seen.append(size)
        return default(size)
    try:
        cuda.set_allocator(allocator)
        x = cp.zeros(1000)
        assert cuda.get_allocator() is allocator and seen == [8000]
        done = []
        thread = threading.Thread(target=lambda: done.append(cp.zeros(1000)))
        thread.start()
        thread.join()
        assert seen == [8000, 8000] or done[0].device != x.device
        with cuda.using_allocator():  # the device itself
            count = len(seen)
            y = cp.zeros(500)
            assert len(seen) == count
            with pytest.raises(ValueError):
                cuda.set_allocator(None)
        cuda.set_allocator()
        z = cp.zeros(500)
    finally:
        cuda.set_allocator(default)
    count = len(seen)
    assert float((x + 1).sum()) == 1000 and len(seen) == count and float((y + z).sum()) == 0


@pytest.mark.parametrize("error", [cp.OutOfMemoryError("mine"), ZeroDivisionError("mine")])
def test_an_allocator_that_fails(error):
    def fails(size):
        raise error
    with cuda.using_allocator(fails):
        with pytest.raises(type(error), match="mine"):
            cp.zeros(1000)
        with pytest.raises(type(error), match="mine"):
            cp.ones(10 ** 7)  # other threads run meanwhile
        assert cp.zeros(0).size == 0
    with cuda.using_allocator(lambda size: None):
        assert float(cp.ones(1000).sum()) == 1000  # None: the pool serves
    assert float(cp.ones(1000).sum()) == 1000


@pytest.mark.parametrize("offset", [-8, 3800, 4096])
def test_an_allocator_that_gives_too_little(offset):
    memory = cuda.Memory(4096)

    def allocator(size):
        return cuda.MemoryPointer(memory, offset)
    text = f"an allocator gave the address of byte {offset} of 4096 where 800 bytes are needed"
    with cuda.using_allocator(allocator), pytest.raises(ValueError, match=text):
        cp.zeros(100)
    with cuda.using_allocator(lambda size: memory), pytest.raises(ValueError, match="byte 0 of 4096 where 8000 bytes"):
        cp.zeros(1000)
    with cuda.using_allocator(lambda size: memory):
        assert cp.zeros(512).data.ptr == memory.ptr
    with pytest.raises(ValueError, match=f"byte {offset} of 4096 where 1024 bytes"):
        cuda.MemoryPool(allocator).malloc(1000)


def test_the_platforms_pool():
    pool = cuda.MemoryAsyncPool()
    with cuda.using_allocator(pool.malloc):
        x = cp.arange(100000) * 2
    assert int(x[99999]) == 199998 and pool.used_bytes() >= 800000
    assert pool.total_bytes() >= pool.used_bytes() and pool.free_bytes() >= 0
    del x
    pool.free_all_blocks()
    with pytest.raises(NotImplementedError):
        pool.n_free_blocks()
    pool.set_limit(size=0)
    assert pool.get_limit() == 0
    with pytest.raises(ValueError):
        cuda.MemoryAsyncPool("mine")


# --- hooks ---
class Recorder(cuda.MemoryHook):
    name = "Recorder"

    def __init__(self):
        self.told = []

    def __getattribute__(self, name):
        if name.endswith("process"):
            return lambda **told: self.told.append((name, told))
        return super().__getattribute__(name)


def test_hooks(device):
    hook = Recorder()
    with hook:
        assert list(cuda.memory_hook.get_memory_hooks()) == ["Recorder"]
        x = cp.zeros(1000)
        with pytest.raises(KeyError):
            hook.__enter__()
        del x
        gc.collect()
    cp.zeros(1000)
    names = [name for name, _ in hook.told if not name.startswith("alloc")]
    assert names == ["malloc_preprocess", "malloc_postprocess", "free_preprocess", "free_postprocess"]
    told = dict(hook.told)
    assert told["malloc_preprocess"] == {"device_id": cuda.Device().id, "size": 8000, "mem_size": 8192}
    after, freed = told["malloc_postprocess"], told["free_postprocess"]
    assert after["mem_ptr"] == freed["mem_ptr"] != 0 and after["pmem_id"] == freed["pmem_id"]
    assert cuda.memory_hook.get_memory_hooks() == {}


def test_hooks_of_a_pool_of_ones_own():
    pool, hook = cuda.MemoryPool(), Recorder()
    with hook, cuda.using_allocator(pool.malloc):
        x = cp.zeros(1000)
    assert [name for name, _ in hook.told][:4] == ["malloc_preprocess", "alloc_preprocess", "alloc_postprocess",
                                                   "malloc_postprocess"]
    assert float(x.sum()) == 0


def test_hooks_that_print():
    out = io.StringIO()
    with memory_hooks.DebugPrintHook(file=out):
        x = cp.zeros(1000)
        del x
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["hook"] for line in lines if line["hook"] != "alloc"] == ["malloc", "free"]
    assert lines[-1]["mem_size"] == 8192 and lines[-1]["mem_ptr"].startswith("0x")
    hook, out = memory_hooks.LineProfileHook(), io.StringIO()
    with hook:
        for _ in range(3):
            x = cp.zeros(1000)
    hook.print_report(file=out)
    assert "test_hooks_that_print (24.00KB, " in out.getvalue() and os.path.basename(__file__) in out.getvalue()
    frame = memory_hooks.line_profile.MemoryFrame
    assert frame.humanized_bytes(1536) == "1.50KB" and frame.humanized_bytes(3) == "3.00B"


# --- pinned memory ---
def test_pinned_pool():
    pool = cuda.PinnedMemoryPool()
    assert pool.n_free_blocks() == 0
    p = pool.malloc(1000)
    assert isinstance(p, cuda.PinnedMemoryPointer) and p.size() >= 1000 and p.mem.size == p.size()
    ptr = p.ptr
    a = np.frombuffer(p, np.uint8, 1000)
    a[...] = 7
    assert cuda.is_memory_pinned(ptr) and cuda.is_memory_pinned(ptr + 500)
    q = p + 100
    assert q.ptr == ptr + 100 and q.size() == p.size() - 100 and bytes(memoryview(q)[:2]) == b"\7\7"
    del p, q
    assert pool.n_free_blocks() == 0  # the array keeps it
    del a
    assert pool.n_free_blocks() == 1 and pool.free_bytes() == pool.total_bytes() > 0
    again = pool.malloc(900)
    assert again.ptr == ptr and pool.n_free_blocks() == 0
    del again
    assert pool.n_free_blocks() == 1
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0 and pool.total_bytes() == 0


@pytest.mark.parametrize("dtype", [object, "f4,O", [("a", "(2,)O")]])
def test_no_objects_in_pinned_memory(dtype):
    """What the memory held before would be taken for references to objects, and released."""
    like = np.empty(1000, dtype)
    for make in (lambda: cp.empty_pinned(1000, dtype), lambda: cp.zeros_pinned(1000, dtype),
                 lambda: cp.empty_like_pinned(like), lambda: cp.zeros_like_pinned(cp.zeros(1000), dtype)):
        used = cuda.alloc_pinned_memory(1000 * 24)
        np.frombuffer(used, np.uint8, 1000 * 24)[...] = 0x41
        del used
        with raises(TypeError):
            make()


def test_default_pinned_pool():
    pool = cp.get_default_pinned_memory_pool()
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0
    p = cuda.alloc_pinned_memory(5000)
    del p
    assert pool.n_free_blocks() == 1
    try:
        cuda.set_pinned_memory_allocator()
        p = cuda.alloc_pinned_memory(5000)
        assert pool.n_free_blocks() == 1 and isinstance(p.mem, cuda.PinnedMemory)
        del p
        assert pool.n_free_blocks() == 1
    finally:
        cuda.set_pinned_memory_allocator(pool.malloc)
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0
    assert not cuda.is_memory_pinned(np.zeros(10).ctypes.data)


def test_pinned_arrays():
    x = cp.empty_pinned((3, 4), "f4", order="F")
    assert type(x) is np.ndarray and x.flags.f_contiguous and x.dtype == "f4" and cuda.is_memory_pinned(x.ctypes.data)
    y = cp.zeros_like_pinned(x)
    assert y.shape == (3, 4) and y.flags.f_contiguous and not y.any() and y.dtype == "f4"
    z = cp.empty_like_pinned(cp.ones((2, 3)), dtype=int, shape=(5,))
    assert z.shape == (5,) and z.dtype == int
    big = cp.zeros_pinned(1 << 20)
    big[...] = np.arange(1 << 20)
    d = cp.asarray(big)
    big[...] = 0  # it was read
    assert (d.get() == np.arange(1 << 20)).all()
    d.get(out=big)
    assert (big == np.arange(1 << 20)).all()
    assert cp.zeros_pinned(()).shape == () and cp.empty_pinned(0).size == 0
    with pytest.raises(TypeError):
        cp.empty_like_pinned(x, subok=True)


# --- whose memory it is ---
def test_blocks_go_back_to_the_stream_they_were_taken_for(device):
    pool, s = cuda.MemoryPool(), cuda.Stream(non_blocking=True)
    with s:
        m = pool.malloc(1000)
    at = m.ptr
    del m  # here another stream is current, and s may still have work on it
    other = pool.malloc(1000)
    assert other.ptr != at and pool.n_free_blocks() == 1
    with s:
        assert pool.malloc(900).ptr == at


@pytest.mark.parametrize("make", [
    lambda: cuda.alloc(-1), lambda: cuda.MemoryPool().malloc(-1), lambda: cuda.Memory(-7),
    lambda: cuda.malloc_async(-1), lambda: cuda.malloc_managed(-2), lambda: cuda.alloc_pinned_memory(-1),
    lambda: cuda.PinnedMemory(-3),
    lambda: cuda.PinnedMemoryPool().malloc(-1), lambda: cp.arange(3).data.memset(0, -1)])
def test_negative_sizes(device, make):
    with pytest.raises(OverflowError, match="can't convert negative value to size_t: -[1237] bytes of memory"):
        make()


def test_figures_add_up_when_threads_share_pools(device):
    import threading
    number, pools = cuda.Device(), [cuda.MemoryPool(), cuda.PinnedMemoryPool(), cuda.MemoryAsyncPool()]
    wrong = []

    def work(seed):
        import random
        draw, held = random.Random(seed), []
        try:
            with number, cuda.Stream(non_blocking=True) as s:
                for _ in range(150):
                    pool = draw.choice(pools)
                    held.append(pool.malloc(draw.randrange(1, 5000)))
                    if len(held) > 8:
                        held.pop(draw.randrange(8))
                    if draw.random() < 0.02:
                        pool.free_all_blocks()
                s.synchronize()
                held.clear()
        except BaseException as e:
            wrong.append(e)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    for pool in pools[:2]:
        assert pool.used_bytes() == 0 and pool.free_bytes() == pool.total_bytes()
        pool.free_all_blocks()
        assert pool.total_bytes() == 0 == pool.n_free_blocks()
    assert pools[2]._taken.get(number._number) == 0
