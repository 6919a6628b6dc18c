"""Programs that are drawn at random mean the same as a kernel of cuda.jit and as Python: whole and real numbers,
branches, loops with break, continue and else, indices from both ends, assignments that exchange."""
import linecache
import random

import numpy as np
import pytest

from cuprite.numba import cuda

WHOLE, REAL = ("a", "b", "c"), ("u", "v")


class Writer:
    """Draws the source of a function f(x, n, out)."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def one_of(self, *makers):
        return self.r.choice(makers)()

    def whole(self, depth):
        r, deeper = self.r, lambda: self.whole(depth - 1)
        leaves = [lambda: str(r.randint(-5, 9)), lambda: r.choice(WHOLE), lambda: "n",
                  lambda: f"x[{r.choice(['0', '-1', 'i % 4', 'i - 4'])}]"]
        if depth <= 0:
            return self.one_of(*leaves)
        return self.one_of(
            *leaves[:1], lambda: f"({deeper()} {r.choice('+-*&|^')} {deeper()})",
            lambda: f"({deeper()} {r.choice(['//', '%'])} {r.choice([2, 3, -3, 7])})",
            lambda: f"({deeper()} if {self.condition(depth - 1)} else {deeper()})",
            lambda: f"{r.choice(['min', 'max'])}({deeper()}, {deeper()})", lambda: f"abs({deeper()})")

    def real(self, depth):
        r, deeper = self.r, lambda: self.real(depth - 1)
        if depth <= 0:
            return self.one_of(lambda: str(r.choice([0.5, -1.25, 3.0])), lambda: r.choice(REAL))
        return self.one_of(
            lambda: f"({deeper()} {r.choice('+-*')} {deeper()})", lambda: f"({self.whole(depth - 1)} / -8)",
            lambda: f"({deeper()} + {self.whole(depth - 1)})", lambda: f"({deeper()} % -2.5)",
            lambda: f"({deeper()} // 1.5)")

    def condition(self, depth):
        r, deeper = self.r, lambda: self.condition(depth - 1)
        plain = lambda: f"{self.whole(depth)} {r.choice(['<', '<=', '==', '!=', '>'])} {self.whole(0)}"  # noqa: E731
        if depth <= 0:
            return plain()
        return self.one_of(plain, lambda: f"{self.real(depth)} < {self.real(0)}", lambda: f"(not {deeper()})",
                           lambda: f"({deeper()} {r.choice(['and', 'or'])} {deeper()})",
                           lambda: f"({self.whole(0)} < {self.whole(0)} <= {self.whole(0)})")

    def statement(self, depth, loop):
        """Lines of one statement."""
        r = self.r
        simple = [lambda: [f"{r.choice(WHOLE)} = ({self.whole(2)}) % 1000003"],
                  lambda: [f"{r.choice(REAL)} = ({self.real(2)}) % 1000.0"],
                  lambda: [f"x[{r.choice(['0', '3', '-2'])}] = ({self.whole(2)}) % 65536"],
                  lambda: [r.choice(["a, b = b, a", "a, c = c, (a + b) % 1000003", "u, v = v, u"])],
                  lambda: [f"{r.choice(WHOLE)} += {self.whole(1)} % 100"]]
        if loop:
            simple.append(lambda: [r.choice(["break", "continue"])])
        if depth <= 0:
            return self.one_of(*simple)
        return self.one_of(*simple[:2], lambda: self.branch(depth, loop), lambda: self.branch(depth, loop),
                           lambda: self.counted(depth, loop), lambda: self.counted(depth, loop))

    def block(self, depth, loop):
        lines = [line for _ in range(self.r.randint(1, 3)) for line in self.statement(depth, loop)]
        return ["    " + line for line in lines]

    def branch(self, depth, loop):
        lines = [f"if {self.condition(2)}:"] + self.block(depth - 1, loop)
        return lines + (["else:"] + self.block(depth - 1, loop) if self.r.random() < 0.6 else [])

    def counted(self, depth, loop):
        ends = self.r.choice(["3", "a % 4", "1, 6, 2", "4, -1, -1", "b % 3, 4"])
        lines = [f"for {self.r.choice('ij')} in range({ends}):"] + self.block(depth - 1, True)
        return lines + (["else:"] + self.block(0, loop) if self.r.random() < 0.2 else [])

    def program(self):
        lines = ["i, j, a, b, c, u, v = 0, 1, n, 2, -3, 1.5, 0.25"]
        for _ in range(self.r.randint(4, 7)):
            lines += self.statement(3, False)
        lines.append("out[0], out[1], out[2], out[3], out[4], out[5] = a, b, c, u, v, i + j")
        return "def f(x, n, out):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize("seed", range(30))
def test_a_kernel_means_what_python_means(seed):
    writer = Writer(seed)
    text, n = writer.program(), writer.r.randint(-5, 20)
    name = f"<random {seed}>"
    linecache.cache[name] = (1, None, text.splitlines(True), name)
    scope = {}
    exec(compile(text, name, "exec"), scope)
    x, out = np.array([3, -7, 11, 2]), np.zeros(6)
    expected_x, expected = x.tolist(), [0.0] * 6
    scope["f"](expected_x, n, expected)
    cuda.jit(scope["f"])[1, 1](x, n, out)
    assert x.tolist() == expected_x and np.allclose(out, expected, rtol=1e-9, atol=1e-9), text
