"""Programs of CUDA C++ drawn by numbers, with launches: kernels with and without barriers, blocks of all shapes, ways
of naming a thread's place, names of the device headers, functions, records, lambdas. kernel_emulator.py says what they
leave."""
import random

from drawn_waits import RECORDS, Waits

BLOCKS = [
    (32,),
    (64,),
    (96,),
    (7,),
    (33,),
    (100,),
    (1,),
    (128,),
    (256,),
    (16, 4),
    (8, 8),
    (5, 3, 2),
    (4, 4, 4),
    (1, 16),
    (3, 1, 5),
    (32, 4),
    (17, 3),
    (1, 1, 6),
    (16, 16),
    (2, 31),
]
NAMES = [
    "row",
    "block",
    "end",
    "box",
    "at",
    "known",
    "first",
    "how",
    "walk",
    "from",
    "to",
    "rank",
    "lane",
    "tile",
    "threads",
    "kept",
    "alive",
    "mask",
    "blocks",
    "arena",
    "worker",
    "site",
    "next",
    "span",
    "limit",
    "step",
    "size",
    "begin",
    "left",
    "here",
    "host",
    "kernel",
    "thread",
    "regions",
    "loop",
    "s0",
    "nargs",
    "sizes",
    "kinds",
    "elements",
    "all",
    "one",
    "count",
    "bd",
    "gd",
    "t",
    "b",
    "c",
    "a",
    "A",
    "F",
    "I",
    "T",
    "w",
    "l",
    "d",
    "x1",
]


class Drawn(Waits):
    def __init__(self, number, hard=True):
        self.hard = hard
        self.r = random.Random(number)
        r = self.r
        self.head, self.used = [], set("xyzpnmk")
        self.fresh = list(NAMES)
        r.shuffle(self.fresh)
        self.spice()

    def name(self):
        return self.fresh.pop() if self.fresh else f"v{self.r.randrange(10**6)}_{len(self.used)}"

    def chance(self, p):
        return self.r.random() < p

    def spice(self):
        """Ways in which the program may name a thread's place."""
        r = self.r
        self.ways = {}
        for axis in "xyz":
            ways = [f"threadIdx.{axis}"] * 4 + [f"(int)threadIdx.{axis}"]
            if self.chance(0.25):
                m = f"TID{axis.upper()}"
                self.head.append(f"#define {m} threadIdx.{axis}")
                ways += [m, m]
            if self.chance(0.2):
                f = f"tid_{axis}"
                q = r.choice(
                    [
                        "__device__ int",
                        "static __device__ __forceinline__ unsigned",
                        "__device__ inline size_t",
                        "template <class Q> __device__ Q",
                    ]
                )
                self.head.append(f"{q} {f}() {{ return threadIdx.{axis}; }}")
                call = f"{f}<int>()" if "template" in q else f"{f}()"
                ways += [call, call]
            if self.chance(0.12):
                self.head.append(
                    f"struct Place{axis} {{ __device__ int operator()() const {{ return threadIdx.{axis}; }}"
                    f" static __device__ int of() {{ return threadIdx.{axis}; }} }};"
                )
                ways += [f"Place{axis}{{}}()", f"Place{axis}::of()"]
            if self.chance(0.12):
                self.head.append(
                    f"namespace where{axis} {{ __device__ int tid() {{ return (int)threadIdx.{axis}; }} }}"
                )
                ways += [f"where{axis}::tid()"]
            if self.chance(0.08):
                self.head.append(f"#define GET{axis}(v) v.{axis}")
                ways += [f"GET{axis}(threadIdx)"]
            self.ways[axis] = ways
        if self.chance(0.2):
            self.head.append(
                r.choice(
                    [
                        'static const char *const told = "threadIdx.x __syncthreads(); }{ \\" /*";',
                        "/* __global__ void k0(int *y) { __syncthreads(); threadIdx.y } */",
                        "// __shared__ int s[threadIdx.x]; \\\n   continued } __syncthreads()",
                        'static const char raw[] = R"x(__syncthreads(); )" threadIdx /* )x";',
                        "static const char quote = '\\'', other = '\"';",
                    ]
                )
            )
        if self.chance(0.2):
            self.head.append(
                r.choice(
                    [
                        "typedef unsigned int uint_t;",
                        "using number = int;",
                        "#define HERE __LINE__",
                        "enum Kind { LOW = 1, HIGH = 2 };",
                    ]
                )
            )

    def tid(self, axis):
        return self.r.choice(self.ways[axis])

    def place(self, axis):
        """The place in the grid along an axis."""
        t = self.tid(axis)
        if self.sized and self.chance(0.5):
            n = self.r.choice([str(self.sized[axis]), f"S{axis}", f"{self.sized[axis]}u"])
            if n.startswith("S"):
                line = self.r.choice(
                    [
                        f"#define S{axis} {self.sized[axis]}",
                        f"constexpr int S{axis} = {self.sized[axis]};",
                        f"static const unsigned S{axis} = {self.sized[axis]};",
                    ]
                )
                if not any(f" S{axis} " in h for h in self.head):
                    self.head.append(line)
        else:
            n = f"blockDim.{axis}"
        b = f"blockIdx.{axis}"
        return self.r.choice(
            [
                f"{b} * {n} + {t}",
                f"{t} + {b} * {n}",
                f"{n} * {b} + {t}",
                f"({b} * {n}) + {t}",
                f"(int)({b} * {n} + {t})",
                f"{t} + {n} * {b}",
            ]
        )

    def kind(self):
        return self.r.choice(
            ["int"] * 6
            + [
                "unsigned",
                "const int",
                "long long",
                "size_t",
                "auto",
                "short",
                "unsigned int",
                "const unsigned",
                "long",
            ]
        )

    def leaf(self):
        return self.r.choice(self.values + ["n", "m", str(self.r.randrange(0, 20)), f"x[{self.index()}]"])

    def index(self):
        v = self.r.choice(self.values + ["g"])
        return self.r.choice(
            [
                f"(unsigned)({v}) % 4096u",
                f"(unsigned)({v} + {self.r.randrange(9)}) % 4096u",
                f"(unsigned)({v} * {self.r.randrange(1, 9)}) % 4096u",
                "g",
            ]
        )

    def value(self, depth=2):
        r = self.r
        if depth == 0:
            return self.leaf()
        k = r.random()
        if k < 0.45:
            return f"(int)((unsigned)({self.value(depth - 1)}) {r.choice('+-*^&|')} (unsigned)({self.leaf()}))"
        if k < 0.55:
            return f"({self.test(depth - 1)} ? {self.value(depth - 1)} : {self.leaf()})"
        if k < 0.65:
            return f"(({self.value(depth - 1)}) {r.choice(['%', '/'])} {r.randrange(1, 9)})"
        if k < 0.75:
            return f"{r.choice(['min', 'max'])}((int)({self.leaf()}), (int)({self.leaf()}))"
        if k < 0.82:
            return f"__popc((unsigned)({self.leaf()}))"
        if k < 0.9 and self.functions:
            return f"{r.choice(self.functions)}((int)({self.leaf()}), (int)({self.leaf()}))"
        return self.leaf()

    def test(self, depth=1):
        r = self.r
        a, b = self.leaf(), self.leaf()
        t = r.choice(
            [
                f"(int)({a}) {r.choice(['<', '<=', '>', '>=', '==', '!='])} (int)({b})",
                f"({a}) % {r.randrange(2, 5)} == 0",
                f"(({a}) & {r.randrange(1, 8)}) != 0",
                f"!({a} & 1)",
            ]
        )
        if depth and self.chance(0.3):
            return f"({t}) {r.choice(['&&', '||'])} ({self.test(0)})"
        return t

    def device(self):
        r = self.r
        self.functions = []
        self.values = ["v", "w"]
        for k in range(r.choice([0, 0, 1, 2])):
            name = r.choice(["f0", "f1", "clampi", "add", "dot", "mul", "lerp", "swap2", "sum_of", "step_of"]) + str(k)
            form = r.random()
            here = [c for c in ["threadIdx.x", "blockIdx.x", "blockDim.x", "gridDim.x", "threadIdx.y"]]
            body = f"(int)((unsigned)v * 3u + (unsigned)w + {r.choice(here + ['1u', '5u'])})"
            if form < 0.5:
                self.head.append(
                    f"{r.choice(['', 'static ', 'inline '])}__device__ int {name}(int v, int w) {{ return {body}; }}"
                )
            elif form < 0.7:
                self.head.append(f"template <class T> __device__ T {name}(T v, T w) {{ return {body}; }}")
            elif form < 0.85:
                self.head.append(
                    f"struct C{name} {{ int add; __device__ C{name}(int a = 2) : add(a + threadIdx.x) {{}} "
                    f"__device__ int of(int v, int w) const {{ return (int)((unsigned){body} + add); }} }};"
                )
                name = f"C{name}(1).of"
            else:
                self.head.append(
                    f"namespace deep {{ namespace er {{ __device__ int {name}(int v, int w) {{ return {body}; }} }} }}"
                )
                name = f"deep::er::{name}"
            self.functions.append(name)

    def line(self, text):
        self.body.append("    " * self.depth + text)

    def declare(self):
        n = self.name()
        k = self.r.choice(["int"] * 4 + ["auto", "const int", "unsigned", "long long"])
        v = self.value()
        self.line(f"{k} {n} = {v};" if k != "auto" else f"auto {n} = (int)({v});")
        self.values = self.values + [f"(int){n}" if "unsigned" in k or "long" in k else n]
        if "const" not in k:
            self.mutable = self.mutable + [n]

    def change(self):
        if not self.mutable:
            return self.declare()
        n = self.r.choice(self.mutable)
        form = self.r.random()
        if form < 0.6:
            self.line(f"{n} = {self.value()};")
        elif form < 0.8:
            self.line(f"{n} {self.r.choice(['^=', '|=', '&='])} {self.value(1)};")
        else:
            self.line(f"{n} = (int)((unsigned){n} + {self.r.randrange(1, 9)}u);")

    def write(self):
        self.writes += 1
        w = f"y[g + {self.writes - 1} * 4096]"
        if self.writes > 6:
            self.writes = 6
            w = "y[g + 5 * 4096]"
        self.line(f"{w} {self.r.choice(['=', '=', '^='])} {self.value()};")

    def atomic(self):
        (f,) = self.r.choices(["atomicAdd", "atomicMax", "atomicXor"])
        self.line(
            f"{f}(&z[{self.atomics.index(f)} * 64 + ((unsigned)({self.leaf()}) % 64u)], (int)({self.leaf()}) & 1023);"
        )

    atomics = ["atomicAdd", "atomicMax", "atomicXor"]

    def branch(self, inner):
        style = self.r.random()
        saved = self.values, self.mutable
        t = self.test()
        if style < 0.3:
            t = self.r.choice(
                [
                    f"tx < {self.r.randrange(1, 40)}",
                    "tx == 0",
                    "(int)g < n",
                    "tx % 2 == 0",
                    "tx >= m",
                    "tx + 1 < m",
                    "tx % 32 == 0",
                    "tx % 32 < 5",
                    f"ty == {self.r.randrange(3)}",
                ]
            )
        self.line(f"if ({t}) {{")
        self.depth += 1
        inner()
        self.values, self.mutable = saved
        self.depth -= 1
        if self.chance(0.3):
            self.line("} else {")
            self.depth += 1
            inner()
            self.depth -= 1
        self.line("}")
        self.values, self.mutable = saved

    def loop(self, inner, uniform):
        k = self.name()
        limit = self.r.choice(
            [str(self.r.randrange(1, 5)), "m", "n % 5 + 1"]
            + ([] if uniform else [f"((unsigned)({self.leaf()}) % 4u)", "tx % 5"])
        )
        saved = self.values, self.mutable
        form = self.r.random()
        if form < 0.7:
            self.line(f"for (int {k} = 0; {k} < (int)({limit}); {k}++) {{")
        elif form < 0.85:
            self.line(f"for (int {k} = (int)({limit}); {k} > 0; {k} -= {self.r.randrange(1, 3)}) {{")
        else:
            self.line(f"for (unsigned {k} = 1; {k} < 16u; {k} *= 2) {{")
        self.depth += 1
        self.values = self.values + [f"(int){k}"]
        if self.chance(0.15) and not uniform:
            self.line(f"if ({self.test()}) {self.r.choice(['break', 'continue'])};")
        inner()
        self.depth -= 1
        self.line("}")
        self.values, self.mutable = saved

    def free(self, depth=0):
        """Statements without barriers."""
        for _ in range(self.r.choice([1, 1, 2, 3])):
            k = self.r.random()
            if k < 0.25:
                self.declare()
            elif k < 0.5:
                self.change()
            elif k < 0.7:
                self.write()
            elif k < 0.78:
                self.atomic()
            elif k < 0.88 and depth < 2:
                self.branch(lambda: self.free(depth + 1))
            elif k < 0.96 and depth < 2:
                self.loop(lambda: self.free(depth + 1), False)
            else:
                n = self.name()
                cap = self.r.choice(["&", "=", "&", "&"])
                self.line(
                    f"auto {n} = [{cap}](int q) {{ return (int)((unsigned)q + "
                    f"{self.r.choice(['threadIdx.x', 'blockIdx.x', '2u', 'blockDim.x'])}"
                    f" + (unsigned)({self.leaf()})); }};"
                )
                self.values = self.values + [f"{n}(3)"]

    def kernel(self, number):
        r = self.r
        self.depth, self.body, self.writes, self.values, self.mutable = 1, [], 0, [], []
        self.fresh = list(NAMES)
        r.shuffle(self.fresh)
        self.sized = dict(zip("xyz", (*self.block, 1, 1))) if self.chance(0.5) else None
        dims = r.choice([1, 2, 3]) if self.chance(0.5) else len(self.block)
        style = r.random()
        waits = style < 0.5
        self.sync_macro = self.sync_function = self.ended = False
        self.waits = waits
        columns = style > 0.9
        cx = self.name()
        self.line(f"{self.kind().replace('short', 'int')} {cx} = {self.place('x')};")
        cy = cz = None
        if columns or self.chance(0.5):
            cy = self.name()
            self.line(f"{self.r.choice(['int', 'unsigned', 'const int'])} {cy} = {self.place('y')};")
        early = False
        if not waits and (columns or self.chance(0.5)):
            tests = [
                f"(int){cx} < n"
                if self.chance(0.3)
                else f"{cx} < {r.choice(['n', 'n', 'm', '(n + m)', 'n - 3', '37'])}"
            ]
            if self.chance(0.3):
                tests.append(r.choice([f"{cx} > 0", f"{cx} >= m", f"{cx} + 1 < n", f"0 < {cx}", f"m <= {cx}"]))
            if cy and self.chance(0.5):
                tests.append(r.choice([f"{cy} < m", f"{cy} < n", f"{cy} > 0", f"{cy} + 2 < n", "threadIdx.y != 1"]))
            if self.chance(0.1):
                tests.append(r.choice(["n > 5", "threadIdx.z == 0", "blockIdx.x != 1", "x != y"]))
            r.shuffle(tests)
            early = True
            self.guard = tests
        else:
            self.guard = None
        if columns:
            # y[c * h + r], each its own place: c < n <= w, r < m
            w_ = r.choice(["n", "h_"])
            self.line(
                f"const int h_ = (int)(gridDim.y * blockDim.y * gridDim.z * blockDim.z); const int zz_ = "
                f"(int)(blockIdx.z * blockDim.z + threadIdx.z);"
            )
            self.line(f"if ({' && '.join(self.guard)}) {{" if self.guard else "{")
            idx = r.choice([f"({cx}) * h_ * 1 + {cy}", f"{cx} * h_ + {cy}", f"{cy} + h_ * {cx}"])
            change = "=" if self.sized else r.choice(["=", "+="])  # sized blocks may overlap: they write the same
            self.line(f"    const long long at_ = {idx};")
            value = f"x[{cy} % 64 * 64 + {cx} % 64] + {r.randrange(9)}"
            self.line(f"    if (zz_ == 0 && at_ < 32768) y[{idx}] {change} {value};")
            if self.chance(0.3):
                self.line(f"    if (zz_ == 0 && at_ < 32768) y[{idx} + 32768] = (int){cx} * 1000 + (int){cy};")
            self.line("}")
            return self.finish(number)
        if early:
            form = r.random()
            if form < 0.5:
                neg = " || ".join(f"!({t})" if self.chance(0.3) else self.negated(t) for t in self.guard)
                self.line(f"if ({neg}) return;" if self.chance(0.7) else f"if ({neg}) {{ return; }}")
            else:
                self.line(f"if ({' && '.join(self.guard)}) {{")
                self.depth += 1
                self.open_guard = True
        self.line(
            "const unsigned id = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"
            if waits or self.chance(0.5)
            else "unsigned id = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;"
        )
        self.line("const unsigned all_ = blockDim.x * blockDim.y * blockDim.z;")
        self.line("const unsigned g = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * all_ + id;")
        self.line(f"{r.choice(['int', 'const int'])} tx = {self.tid('x')}, ty = {self.tid('y')};")
        self.values = [f"(int){cx}", "(int)id", "tx", "ty", "(int)g"] + ([f"(int){cy}"] if cy else [])
        if self.chance(0.3):
            self.values += [f"(int)({self.tid(r.choice('xyz'))})"]
        if waits:
            self.line(
                "const unsigned lanes_ = all_ - id / 32 * 32 < 32 ? all_ - id / 32 * 32 : 32, full_ = ~0u; "
                "(void)lanes_; (void)full_;"
            )
            self.shared = self.name()
            self.ranks = ["id", "id", "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)"]
            form = r.random()
            if form < 0.7:
                self.line(f"__shared__ int {self.shared}[256];")
            elif form < 0.85:
                self.line(f"DYNAMIC(int, {self.shared});")
            else:
                self.line(f"__shared__ struct {{ char pad; int at[256]; }} st_; int *const {self.shared} = st_.at;")
            if self.chance(0.3):
                self.sync_macro = True
                if not any("SYNC" in h for h in self.head):
                    self.head.append(
                        r.choice(["#define SYNC __syncthreads()", "#define SYNC do { __syncthreads(); } while (0)"])
                    )
            if self.chance(0.3):
                self.sync_function = True
                if not any("sync_all" in h for h in self.head):
                    self.head.append(
                        r.choice(
                            [
                                "__device__ void sync_all() { __syncthreads(); }",
                                "static __device__ __forceinline__ void sync_all() { /* */ __syncthreads(); }",
                            ]
                        )
                    )
            if self.chance(0.2) and False:
                self.line("if (id >= m * 8) return;")
            self.waiting()
            if self.chance(0.15):
                self.line(f"if ({self.test()}) return;")
        else:
            if self.chance(0.2):
                self.stride()
            self.free()
            if self.hard and self.chance(0.5):
                self.r.choice([self.array, self.record, self.shadow, self.cases])()
                self.free()
        self.write()
        if early and getattr(self, "open_guard", False):
            self.depth -= 1
            self.line("}")
            self.open_guard = False
        return self.finish(number)

    def stride(self):
        k = self.name()
        t = self.r.choice(["int", "unsigned", "size_t", "long long"])
        self.line(
            f"for ({t} {k} = blockIdx.x * blockDim.x + threadIdx.x; {k} < {self.r.choice(['n', '(n + m)', '1000'])}; "
            f"{k} += {self.r.choice(['blockDim.x * gridDim.x', 'gridDim.x * blockDim.x'])}) {{"
        )
        self.line(
            f"    if (threadIdx.y == 0 && threadIdx.z == 0 && blockIdx.y == 0 && blockIdx.z == 0) y[{k} + 6 * 4096] = "
            f"x[{k} % 4096] + (int){k};"
        )
        self.line("}")

    def negated(self, t):
        for a, b in (
            (" <= ", " > "),
            (" >= ", " < "),
            (" < ", " >= "),
            (" > ", " <= "),
            (" == ", " != "),
            (" != ", " == "),
        ):
            if a in t:
                return t.replace(a, b, 1)
        return f"!({t})"

    def finish(self, number):
        params = "const int *x, int *y, int *z, int n, int m"
        if self.chance(0.3):
            params = "const int *__restrict__ x, int *__restrict__ y, int *z, const int n, int m"
        q = self.r.choice(
            [
                'extern "C" __global__ void',
                'extern "C" __global__ void',
                'extern "C" __global__ void __launch_bounds__(256)',
                "__global__ void",
                'extern "C" __global__ void',
            ]
        )
        if not q.startswith("extern"):
            q = 'extern "C" { __global__ void'
        tail = "}\n" if q.startswith('extern "C" {') else ""
        return f"{q} k{number}({params})\n{{\n" + "\n".join(self.body) + "\n}\n" + tail


def program(number, kernels=8):
    """(source, [(kernel, grid, block, n, m)])"""
    d = Drawn(number)
    texts, launches = [], []
    d.device()
    for k in range(kernels):
        d.block = d.r.choice(BLOCKS)
        texts.append(d.kernel(k))
        for _ in range(3):
            block = d.block if d.chance(0.5) else d.r.choice(BLOCKS)
            block = (*block, 1, 1)[:3]
            size = block[0] * block[1] * block[2]
            # a kernel whose text names its block is still right with others
            most = 4096 // size
            grid = [d.r.choice([1, 2, 3, 5, 8]), d.r.choice([1, 1, 1, 2, 3]), d.r.choice([1, 1, 1, 2])]
            while grid[0] * grid[1] * grid[2] > most:
                grid = [max(1, grid[0] - 1), 1, 1] if grid[0] > 1 else [1, 1, 1]
            launches.append((k, tuple(grid), block, d.r.choice([0, 5, 33, 64, 100, 1000, 3000]), d.r.randrange(0, 7)))
    return "\n".join(d.head) + "\n" + "\n".join(texts), launches
