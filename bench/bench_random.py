"""Random numbers: uniform, normal, integers, other distributions, permutations; and two arrays drawn, narrowed and
multiplied. Numbers of two libraries differ; shapes and types are the same."""
import numpy as np

from common import Case

N = 10**7


def cases(b):
    cp = b.cp
    ours = cp.random.default_rng(1)
    theirs = b.cupy.random.default_rng(1) if b.gpu and b.cupy else None if b.gpu else np.random.default_rng(1)
    torch = b.torch
    where = "cuda" if b.gpu else "cpu"
    against = "cupy" if b.gpu else "numpy"

    def peers(f, tensor=None):
        """The same method of the peer's Generator, and a call of PyTorch."""
        found = b.array_peer(lambda: f(theirs)) if theirs is not None else {}
        if tensor is not None and torch is not None:
            found.update(b.torch_peer(tensor))
        return found

    def bar(cpu, gpu=1):
        return gpu if b.gpu else cpu

    for dtype, name in (("f8", "float64"), ("f4", "float32")):
        size = N * int(dtype[1])
        kind = getattr(torch, name) if torch is not None else None
        yield Case(f"random {N:g} {name}", lambda dtype=dtype: ours.random(N, dtype=dtype),
                   peers(lambda g, dtype=dtype: g.random(N, dtype=dtype),
                         lambda kind=kind: torch.rand(N, dtype=kind, device=where)),
                   bytes=size, bar=bar(4) if dtype == "f8" else 0, against=against)
        yield Case(f"standard_normal {N:g} {name}", lambda dtype=dtype: ours.standard_normal(N, dtype=dtype),
                   peers(lambda g, dtype=dtype: g.standard_normal(N, dtype=dtype),
                         lambda kind=kind: torch.randn(N, dtype=kind, device=where)),
                   bytes=size, bar=bar(4) if dtype == "f8" else 0, against=against)
    out, place = cp.empty(N), np.empty(N)
    found = {} if b.gpu else {"numpy": lambda: theirs.random(out=place)}
    yield Case(f"random {N:g} float64 into out", lambda: ours.random(out=out), found, bytes=8 * N)
    yield Case("random 1e+08 float64", lambda: ours.random(10 * N),
               peers(lambda g: g.random(10 * N), lambda: torch.rand(10 * N, dtype=torch.float64, device=where)),
               bytes=80 * N)
    old = cp.random.RandomState(1)
    olds = b.cupy.random.RandomState(1) if b.gpu and b.cupy else None if b.gpu else np.random.RandomState(1)
    for n in (N, 10 * N):
        found = b.array_peer(lambda n=n: olds.random_sample(n)) if olds is not None else {}
        if torch is not None:
            found.update(b.torch_peer(lambda n=n: torch.rand(n, dtype=torch.float64, device=where)))
        yield Case(f"RandomState.random_sample {n:g}", lambda n=n: old.random_sample(n), found, bytes=8 * n, bar=bar(4),
                   against=against)
    yield Case(f"exponential {N:g}", lambda: ours.standard_exponential(N), peers(
        lambda g: g.standard_exponential(N),
        lambda: torch.empty(N, dtype=torch.float64, device=where).exponential_()), bytes=8 * N)
    for low, high, dtype in ((0, 1000, "i8"), (0, 100, "u1"), (0, 2**40, "i8"), (0, 3 * 2**30, "i8")):
        peer = {}
        if not b.gpu or dtype == "i8":
            peer = peers(lambda g, a=low, z=high, t=dtype: g.integers(a, z, N, dtype=t))
        if torch is not None and dtype == "i8":
            peer.update(b.torch_peer(lambda a=low, z=high: torch.randint(a, z, (N,), device=where)))
        yield Case(f"integers {N:g} of {high - low} {dtype}",
                   lambda a=low, z=high, t=dtype: ours.integers(a, z, N, dtype=t), peer, bytes=N * int(dtype[1]))
    few = N // 10
    for name, parameters in (("standard_gamma", (2.5,)), ("standard_gamma", (0.3,)), ("beta", (2, 3)),
                             ("chisquare", (3,)), ("standard_t", (3,)), ("vonmises", (0, 2)), ("wald", (3, 2)),
                             ("poisson", (1,)), ("poisson", (50,)), ("binomial", (1000, 0.3)), ("geometric", (0.1,)),
                             ("hypergeometric", (1000, 2000, 500)), ("hypergeometric", (10**6, 2 * 10**6, 500000)),
                             ("zipf", (2.0,))):
        has = hasattr(theirs, name)
        yield Case(f"{name} {parameters} {few:g}", lambda name=name, p=parameters: getattr(ours, name)(*p, size=few),
                   peers(lambda g, name=name, p=parameters: getattr(g, name)(*p, size=few)) if has else {},
                   bytes=8 * few)
    for n in (few, N):
        peer = b.array_peer(lambda n=n: (b.cupy.random if b.gpu else theirs).permutation(n))
        if torch is not None:
            peer.update(b.torch_peer(lambda n=n: torch.randperm(n, device=where)))
        yield Case(f"permutation {n:g}", lambda n=n: ours.permutation(n), peer, bytes=8 * n, bar=bar(2, 0),
                   against=against)

    def rand_dot(xp):
        x, y = (xp.random.rand(10 * N).astype(xp.float32) for _ in range(2))
        return (x * y).sum() if not hasattr(xp, "dot") else xp.dot(x, y)

    def torch_rand_dot():
        x, y = (torch.rand(10 * N, dtype=torch.float64, device=where).float() for _ in range(2))
        return torch.dot(x, y)
    peer = b.array_peer(lambda: rand_dot(b.cupy if b.gpu else np))
    if torch is not None:
        peer.update(b.torch_peer(torch_rand_dot))
    yield Case("rand(1e8).astype(float32), twice, and dot", lambda: rand_dot(cp), peer,
               bytes=2 * (8 + 8 + 4 + 4) * 10 * N, bar=bar(0, 2), against="torch" if b.gpu else against)
