"""Products: matrices large and small, many of them, every kind of type, vectors, einsum."""
import os

import numpy as np

from common import Case


def random(shape, dtype, seed=1):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind in "iu":
        return rng.integers(-100, 100, shape).astype(dtype)
    if kind == "b":
        return rng.random(shape) < 0.1
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if kind == "c" else x).astype(dtype)


def operations(m, n, k, dtype, batch=1):
    return 2.0 * batch * m * n * k * (4 if np.dtype(dtype).kind == "c" else 1)


def arithmetic(dtype):
    return "f64" if np.dtype(dtype) in ("float64", "complex128") else "f32"


def by(way, call):
    """The call under CUPRITE_PRODUCTS=way."""
    def run():
        os.environ["CUPRITE_PRODUCTS"] = way
        try:
            return call()
        finally:
            del os.environ["CUPRITE_PRODUCTS"]
    return run


def cases(b):
    cp, xp = b.cp, b.cupy if b.gpu else np
    against = "cupy" if b.gpu else "numpy"

    def peers(f, arrays, torch=True):
        """f(library, arrays) by the array library and by PyTorch."""
        found = {}
        if xp is not None:
            theirs = [b.theirs(a) for a in arrays]
            found |= b.array_peer(lambda: f(xp, *theirs))
        if torch and b.torch is not None:
            tensors = [b.tensor(a) for a in arrays]
            found |= b.torch_peer(lambda: f(b.torch, *tensors))
        return found

    def case(name, f, arrays, torch=True, **columns):
        ours = [b.ours(a) for a in arrays]
        return Case(name, lambda: f(cp, *ours), peers(f, arrays, torch), against=against, **columns)

    def matmul(m, x, y):
        return m.matmul(x, y)

    for dtype, n in (("float32", 4096), ("float32", 2048), ("float32", 1024), ("float64", 2048), ("complex64", 1024),
                     ("float32", 512), ("float16", 1024), ("int32", 1024), ("int8", 512), ("int64", 512),
                     ("bool", 512)):
        if not b.gpu and dtype == "float16":
            n = 256
        x, y = random((n, n), dtype), random((n, n), dtype, 2)
        integers = np.dtype(dtype).kind in "iub"
        yield case(f"matmul {dtype} {n}^2", matmul, [x, y], torch=not integers, bytes=3 * x.nbytes,
                   operations=operations(n, n, n, dtype), kind="f64" if dtype == "float64" else "f32",
                   bar=50 if dtype == "int32" and not b.gpu else 0)
    for n in (512, 1024, 2048) if not b.gpu else ():
        for dtype in ("float32", "float64", "complex64", "complex128"):
            x, y = random((n, n), dtype), random((n, n), dtype, 2)
            yield case(f"matmul {dtype} {n}^2", matmul, [x, y], bytes=3 * x.nbytes,
                       operations=operations(n, n, n, dtype), kind=arithmetic(dtype))
    for m, n, k in (4096,) * 3, (2048,) * 3, (1024,) * 3, (1100,) * 3, (4096, 4096, 512), (300, 4000, 1000):
        if b.gpu: # on tensor cores in full precision, against cuBLAS
            x, y = random((m, k), "float32"), random((k, n), "float32", 2)
            found = case(f"matmul float32 {m} x {n} x {k}, by parts", matmul, [x, y], bytes=4 * (m * k + k * n + m * n),
                         operations=operations(m, n, k, "float32"), kind="f32")
            found.ours = by("fastest", found.ours)
            yield found
    # few bytes, which stay in caches: the memory floor does not apply
    for dtype, batch, n in (("float32", 256, 128), ("float64", 10_000, 8), ("float32", 10_000, 8),
                            ("complex64", 10_000, 8), ("complex128", 10_000, 8), ("float32", 10_000, 3),
                            ("float64", 10_000, 4), ("complex128", 10_000, 4), ("float64", 10_000, 16),
                            ("float64", 1000, 32)):
        x, y = random((batch, n, n), dtype), random((batch, n, n), dtype, 2)
        yield case(f"matmul {dtype} {batch} x {n}^2", matmul, [x, y], operations=operations(n, n, n, dtype, batch),
                   kind=arithmetic(dtype), bar=5 if n == 8 and not b.gpu else 0, bytes=3 * x.nbytes if b.gpu else 0)
    x, y = random((10_000, 8, 8), "float64"), random((10_000, 8, 8), "float64", 2)
    yield case("matmul float64 10000 x 8^2, 2nd turned", lambda m, p, q: m.matmul(p, q.swapaxes(-1, -2)), [x, y],
               operations=operations(8, 8, 8, "float64", 10_000))
    x, y = random((10_000, 3, 5), "float64"), random((10_000, 5, 7), "float64", 2)
    yield case("matmul float64 10000 x (3x5 5x7)", matmul, [x, y], operations=operations(3, 7, 5, "float64", 10_000))
    x, y = random((10_000, 8, 8), "float64"), random((10_000, 8, 1), "float64", 2)
    yield case("matmul float64 10000 x (8^2 8x1)", matmul, [x, y], operations=operations(8, 1, 8, "float64", 10_000))
    x, y = random((10_000, 8, 8), "float64"), random((8, 8), "float64", 2)
    yield case("matmul float64 10000 x 8^2 with one", matmul, [x, y], operations=operations(8, 8, 8, "float64", 10_000))
    x, y = random((2048, 100), "float64"), random((100, 2048), "float64")
    yield case("rank 100, 2048^2, float64", matmul, [x, y], bytes=8 * 2048**2 + 2 * x.nbytes,
               operations=operations(2048, 2048, 100, "float64"))
    x, v = random((4096, 4096), "float32"), random(4096, "float32")
    yield case("matrix times vector 4096^2 float32", matmul, [x, v], bytes=x.nbytes)
    yield case("vector times matrix 4096^2 float32", lambda m, p, q: m.matmul(q, p), [x, v], bytes=x.nbytes)
    x, y = random(10**7, "float32"), random(10**7, "float32", 2)
    yield case("dot of 10^7 float32", lambda m, p, q: m.dot(p, q), [x, y], bytes=2 * x.nbytes)
    x, y = random((4, 4), "float64"), random((4, 4), "float64", 2)
    yield case("matmul float64 4^2, one", matmul, [x, y], bytes=3 * x.nbytes)
    abc = [random((300, 300), "float64", i) for i in range(3)]
    yield case("einsum of three 300^2", lambda m, p, q, r: m.einsum("ij,jk,kl->il", p, q, r, optimize=True), abc,
               torch=False, bytes=4 * abc[0].nbytes, operations=2 * operations(300, 300, 300, "float64"))
    yield case("einsum_path of five", lambda m, *p: m.einsum_path("ij,jk,kl,lm,mn->in", *p), [*abc, *abc[:2]],
               torch=False)
    x, y = random((100, 50, 60), "float64"), random((100, 60, 40), "float64", 2)
    yield case("einsum bij,bjk->bik", lambda m, p, q: m.einsum("bij,bjk->bik", p, q), [x, y],
               bytes=x.nbytes + y.nbytes + 8 * 100 * 50 * 40, operations=operations(50, 40, 60, "float64", 100))
    x, y = random((60, 70, 80), "float64"), random((80, 70, 50), "float64", 2)
    yield case("tensordot over two axes", lambda m, p, q: m.tensordot(p, q, ([2, 1], [0, 1])), [x, y], torch=False,
               bytes=x.nbytes + y.nbytes, operations=operations(60, 50, 5600, "float64"))
