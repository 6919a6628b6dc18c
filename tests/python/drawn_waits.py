"""Statements that wait for other threads, for drawn_kernels.py: barriers, votes, shuffles, shared memory, objects."""

# Records whose methods wait, and one that computes.
SOURCE = """
// Pair
struct Pair { int first, second; __device__ Pair(int a = 0, int b = 1) : first(a), second(b) {} __device__ int
sum() const { return (int)((unsigned)first + (unsigned)second); } __device__ Pair operator+(const Pair &o) const
{ return Pair((int)((unsigned)first + (unsigned)o.first), second ^ o.second); } __device__ void take(int v) {
first ^= v + (int)threadIdx.x; } };
// Turn0
struct Turn0 { int *at; __device__ Turn0(int *p) : at(p) {} __device__ int operator()(int v) { unsigned i =
threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); at[i] = v; __syncthreads(); int r = at[(i +
1) % (blockDim.x * blockDim.y * blockDim.z)]; __syncthreads(); return r; } };
// Turn1
class Turn1 { int *at; unsigned i; public: __device__ Turn1(int *p) : at(p), i(threadIdx.x + blockDim.x *
(threadIdx.y + blockDim.y * threadIdx.z)) {} __device__ int of(int v) { at[i] = v; __syncthreads(); int r = at[i
/ 2]; __syncthreads(); return r; } };
// Turn2
template <class T> struct Turn2 { struct Storage { T at[256]; }; Storage &s; __device__ Turn2(Storage &s) : s(s)
{} __device__ T first(T v) { if (threadIdx.x + threadIdx.y + threadIdx.z == 0) s.at[0] = v; __syncthreads(); T r
= s.at[0]; __syncthreads(); return r; } };
// Turn3
struct Turn3 { static __device__ int of(int *at, int v) { unsigned i = threadIdx.x + blockDim.x * (threadIdx.y +
blockDim.y * threadIdx.z); at[i] = v; __syncthreads(); int r = at[0] ^ at[i]; __syncthreads(); return r; } };
// Turn4
struct Turn4 { int *at; int add; __device__ int of(int v) { unsigned i = threadIdx.x + blockDim.x * (threadIdx.y
+ blockDim.y * threadIdx.z); at[i] = v ^ add; __syncthreads(); add = (int)((unsigned)add * 3u + (unsigned)v);
int r = at[i / 3]; __syncthreads(); return r ^ add; } };
// Turn5
class Turn5 { int *const at; unsigned id, m; short n; public: __device__ Turn5(int *p, int k, unsigned q) :
at(p), id(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)), m(q), n(k) {} __device__ int
of(int v) { at[id] = v + n; __syncthreads(); int r = at[id / 2]; __syncthreads(); m += 3; return
(int)((unsigned)r ^ m); } };
// Turn6
template <class T, int N> struct Turn6 { struct Storage { T at[N]; int one; }; Storage &at; int one; __device__
Turn6(Storage &s) : at(s), one(threadIdx.x) {} __device__ T of(T v) { if (threadIdx.x + threadIdx.y +
threadIdx.z == 0) at.one = v; __syncthreads(); T r = at.one + one; at.at[threadIdx.x + blockDim.x * (threadIdx.y
+ blockDim.y * threadIdx.z)] = v; __syncthreads(); r ^= at.at[0]; __syncthreads(); return r; } };
// Turn7
struct Turn7 { int at[2]; int *s; __device__ int of(int v) { unsigned i = threadIdx.x + blockDim.x *
(threadIdx.y + blockDim.y * threadIdx.z); s[i] = v; __syncthreads(); at[v & 1] ^= s[i / 2]; __syncthreads();
return at[0] - at[1]; } };
"""
RECORDS = dict(part.split("\n", 1) for part in SOURCE.split("// ")[1:])


class Waits:
    def share(self):
        """What each thread puts and others read behind a barrier."""
        r, s = self.r, self.shared
        self.line(f"{s}[{r.choice(self.ranks)}] = {self.value()};")
        self.line(self.barrier())
        n = self.name()
        at = r.choice(
            [
                "(id + 1) % all_",
                "all_ - 1 - id",
                "0",
                "(id * 7) % all_",
                "id ^ 1",
                "(unsigned)(id - 1)",
                "id / 2",
                "id + m",
            ]
        )
        guard = {"id ^ 1": "(id ^ 1) < all_", "(unsigned)(id - 1)": "id >= 1", "id + m": "id + m < all_"}.get(at)
        if at == "(unsigned)(id - 1)":
            at = r.choice(["id - 1", at])
        self.line(f"int {n} = " + (f"{guard} ? {s}[{at}] : 0;" if guard else f"{s}[{at}];"))
        self.line(self.barrier())
        self.values, self.mutable = self.values + [n], self.mutable + [n]

    def barrier(self):
        return self.r.choice(
            ["__syncthreads();"] * 6
            + (["SYNC;"] if self.sync_macro else [])
            + (["sync_all();"] if self.sync_function else [])
            + ["{ __syncthreads(); }", "__syncthreads(), (void)0;" if self.chance(0.1) else "__syncthreads();"]
        )

    def vote(self):
        n = self.name()
        f = self.r.choice(["__syncthreads_count", "__syncthreads_or", "__syncthreads_and"])
        e = f"{f}({self.test()})"
        self.line(f"int {n} = {e}{' != 0' if 'count' not in f else ''};")
        self.values, self.mutable = self.values + [n], self.mutable + [n]

    def reduce(self):
        s = self.shared
        self.line(f"{s}[id] = {self.value(1)};")
        self.line("__syncthreads();")
        k = self.name()
        form = self.r.random()
        if form < 0.4:
            self.line(f"for (int {k} = (int)all_ / 2; {k} > 0; {k} /= 2) {{")
            self.line(f"    if ((int)id < {k}) {s}[id] = (int)((unsigned){s}[id] + (unsigned){s}[id + {k}]);")
        elif form < 0.7:
            self.line(f"for (unsigned {k} = 1; {k} < all_; {k} *= 2) {{")
            self.line(
                f"    if (id % (2 * {k}) == 0 && id + {k} < all_) {s}[id] = (int)((unsigned){s}[id] + "
                f"(unsigned){s}[id + {k}]);"
            )
        else:
            q = self.name()
            self.line(f"for (int {k} = 1; {k} < (int)all_; {k} <<= 1) {{")
            self.line(f"    int {q} = (int)id >= {k} ? {s}[id - {k}] : 0;")
            self.line("    __syncthreads();")
            self.line(f"    {s}[id] = (int)((unsigned){s}[id] + (unsigned){q});")
        self.line("    __syncthreads();")
        self.line("}")
        n = self.name()
        self.line(f"int {n} = {s}[{self.r.choice(['0', 'id', 'all_ - 1'])}];")
        self.line("__syncthreads();")
        self.values, self.mutable = self.values + [n], self.mutable + [n]

    def warp(self):
        """Operations of warps; lanes that are asked for are there."""
        r, n = self.r, self.name()
        v = f"(int)({self.value(1)})"
        form = r.random()
        if form < 0.3:
            lane = r.choice(["0", "(int)(id % 32) / 2", "m % lanes_", "(id % 32 + 1) % lanes_"])
            e = f"__shfl_sync({self.mask()}, {v}, {lane})"
        elif form < 0.4:
            e = f"__shfl_up_sync({self.mask()}, {v}, {r.choice(['1', '2', 'm'])})"
        elif form < 0.5:
            (d,) = r.choices(["1", "4", "m"])
            e = f"__shfl_down_sync({self.mask()}, {v}, {d})"
            self.line(f"int {n} = {e};")
            self.line(f"if (id % 32 + {d} >= lanes_) {n} = 0;")
            self.values, self.mutable = self.values + [n], self.mutable + [n]
            return
        elif form < 0.6:
            d = r.choice(["1", "2", "8"])
            self.line(f"int {n} = __shfl_xor_sync({self.mask()}, {v}, {d});")
            self.line(f"if ((id % 32 ^ {d}) >= lanes_) {n} = 0;")
            self.values, self.mutable = self.values + [n], self.mutable + [n]
            return
        elif form < 0.75:
            e = f"(int)__ballot_sync({self.mask()}, {self.test()})"
        elif form < 0.9:
            e = f"{r.choice(['__any_sync', '__all_sync'])}({self.mask()}, {self.test()}) != 0"
        else:
            k = self.name()
            self.line(f"int {n} = {v};")
            self.line(f"for (int {k} = 16; {k} > 0; {k} >>= 1) {{")
            self.line(f"    int o_ = __shfl_down_sync({self.mask()}, {n}, {k});")
            self.line(f"    if (id % 32 + {k} < lanes_) {n} = (int)((unsigned){n} + (unsigned)o_);")
            self.line("}")
            self.values, self.mutable = self.values + [n], self.mutable + [n]
            return
        self.line(f"int {n} = {e};")
        self.values, self.mutable = self.values + [n], self.mutable + [n]

    def mask(self):
        return self.r.choice(["0xffffffffu", "~0u", "0xffffffff", "full_", "(unsigned)-1"])

    def array(self):
        """A thread's own array, over barriers."""
        n, t = self.name(), self.r.choice(["int", "short", "unsigned char", "long long"])
        size = self.r.choice([2, 4, 8])
        if self.chance(0.5):
            given = [f"({t})({self.value(1)})" for _ in range(self.r.randrange(1, size + 1))]
            self.line(f"{t} {n}[{size}] = {{{', '.join(given)}}};")
        else:
            k = self.name()
            self.line(f"{t} {n}[{size}];")
            self.line(f"for (int {k} = 0; {k} < {size}; {k}++) {n}[{k}] = ({t})({self.value(1)} + {k});")
        self.values = self.values + [
            f"(int){n}[{self.r.randrange(size)}]",
            f"(int){n}[(unsigned)({self.leaf()}) % {size}u]",
        ]
        self.mutable = self.mutable + [f"{n}[{self.r.randrange(size)}]"]

    def record(self):
        n = self.name()
        if not any("struct Pair" in h for h in self.head):
            self.head.append(RECORDS["Pair"])
        self.line(
            self.r.choice(
                [
                    f"Pair {n}({self.value(1)}, {self.leaf()});",
                    f"Pair {n}{{{self.value(1)}}};",
                    f"Pair {n};",
                    f"Pair {n} = Pair({self.leaf()}) + Pair(1, 2);",
                ]
            )
        )
        if self.chance(0.5):
            self.line(f"{n}.take({self.leaf()});")
        self.values = self.values + [f"{n}.first", f"{n}.sum()", f"({n} + Pair(3)).second"]
        self.mutable = self.mutable + [f"{n}.second"]

    def shadow(self):
        """A name that means something else in an inner scope."""
        local = [v for v in self.values if v.isidentifier() and v not in ("tx", "ty", "n", "m")]
        if not local:
            return self.declare()
        v = self.r.choice(local)
        saved = self.values, self.mutable
        self.line("{")
        self.depth += 1
        self.line(
            f"int {v} = {self.value(1) if not self.chance(0.5) else self.r.randrange(9)};"
            if False
            else f"int {v} = n + {self.r.randrange(9)};"
        )
        self.mutable = [v]
        (self.waiting(2) if self.waits and self.chance(0.5) else self.free(2))
        self.depth -= 1
        self.line("}")
        self.values, self.mutable = saved

    def around(self, depth):
        """Loops of all kinds around barriers, left early by all threads."""
        k, saved = self.name(), (self.values, self.mutable)
        form = self.r.randrange(4)
        if form == 0:
            self.line(f"int {k} = 0;")
            self.line(f"while ({k} < m) {{")
            self.line(f"    {k}++;")
        elif form == 1:
            self.line(f"int {k} = m;")
            self.line("do {")
        elif form == 2:
            q = self.name()
            self.line(f"for (int {k} = 0, {q} = m; {k} < {q}; {k}++, {q}--) {{")
        else:
            self.line(f"for (int {k} = 4; {k}--;) {{")
        self.depth += 1
        self.values = self.values + [k]
        self.waiting(depth + 1)
        if self.chance(0.4):
            self.line(
                f"if ({self.r.choice([f'{k} == 2', f'{k} > m', 'n < 50', f'{k} == n % 3'])}) "
                f"{self.r.choice(['break', 'break', 'continue' if form != 1 else 'break'])};"
            )
            self.free(2)
        self.depth -= 1
        self.line("}" if form != 1 else f"}} while (--{k} > 0);")
        self.values, self.mutable = saved

    def cases(self):
        saved = self.values, self.mutable
        self.line(
            f"switch ({self.r.choice(['m % 3', '(int)(id % 3)', 'n % 4', '(int)(blockIdx.x % 2)', 'tx % 4'])}) {{"
        )
        for k in range(self.r.randrange(1, 4)):
            self.line(f"case {k}: {{")
            self.depth += 1
            self.free(2)
            self.depth -= 1
            self.line("}" + ("" if self.chance(0.2) else " break;"))
            self.values, self.mutable = saved
        self.line("default: break;")
        self.line("}")

    def within_warp(self):
        """Shared memory between the lanes of a warp."""
        s, n = self.shared, self.name()
        self.line(f"{s}[id] = {self.value(1)};")
        self.line(self.r.choice(["__syncwarp();", "__syncwarp(0xffffffffu);"]))
        self.line(
            f"int {n} = "
            + self.r.choice(
                [f"(id ^ 1) < all_ ? {s}[id ^ 1] : 7;", f"{s}[id / 32 * 32];", f"id % 32 ? {s}[id - 1] : -1;"]
            )
        )
        self.line("__syncwarp();")
        self.values, self.mutable = self.values + [n], self.mutable + [n]

    def parts(self):
        """Some lanes of each warp alone."""
        n, h = self.name(), self.r.choice([4, 8, 16])
        mask = hex((1 << h) - 1) + "u"
        self.line(f"int {n} = {self.value(1)};")
        self.line(f"if (id % 32 < {h}{'' if not self.chance(0.3) else ' && n > 3'}) {{")
        f = self.r.choice(
            [
                f"__shfl_sync({mask}, {n}, 0)",
                f"(int)__ballot_sync({mask}, {n} & 1)",
                f"__any_sync({mask}, {n} % 3 == 0) != 0",
                f"__shfl_up_sync({mask}, {n}, 1)",
                f"__shfl_sync({mask}, {n}, (int)(id % 32) / 2, {h})",
            ]
        )
        if self.chance(0.4):
            k = self.name()
            self.line(
                f"    for (int {k} = 0; {k} < {self.r.choice(['2', 'm', 'n % 3'])}; {k}++) {n} = (int)((unsigned){n} "
                f"+ (unsigned){f});"
            )
        else:
            self.line(f"    {n} = {f};")
        if self.chance(0.3):
            self.line(f"}} else {{ {n} ^= 5;")
        self.line("}")
        self.values, self.mutable = self.values + [n], self.mutable + [n]

    def plane(self):
        """Two-dimensional shared memory."""
        s, n = self.name(), self.name()
        pad = self.r.choice(["", " + 1"])
        t = self.r.choice(["int", "int", "short", "long long"])
        self.line(f"__shared__ {t} {s}[16][16{pad}];")
        self.line(f"{s}[id / 16][id % 16] = ({t})({self.value(1)});")
        self.line(self.barrier())
        self.line(f"int {n} = (id % 16) * 16 + id / 16 < all_ ? (int){s}[id % 16][id / 16] : 3;")
        if self.chance(0.5):
            k = self.name()
            self.line(
                f"for (int {k} = 0; {k} < {self.r.choice(['4', 'm'])}; {k}++) {n} ^= {k} * 16 < (int)all_ ? "
                f"(int){s}[{k}][0] : 2;"
            )
        self.line(self.barrier())
        self.values, self.mutable = self.values + [n], self.mutable + [n]

    def method(self):
        """A class with storage whose method waits."""
        n, o = self.name(), self.name()
        form = self.r.randrange(8)
        text = RECORDS[f"Turn{form}"]
        if text not in self.head:
            self.head.append(text)
        v = self.value(1)
        if form == 0:
            self.line(f"Turn0 {o}({self.shared}); int {n} = {o}({v});")
        elif form == 1:
            self.line(f"Turn1 {o}({self.shared}); int {n} = {o}.of({v});")
        elif form == 4:
            self.line(
                f"Turn4 {o}{self.r.choice([' =', ''])} {{{self.shared}, {self.r.choice(['m', '3', 'n'])}}}; int {n} = "
                f"{o}.of({v});"
            )
            if self.chance(0.5):
                self.line(f"{n} ^= {o}.of({self.leaf()});")
            self.values = self.values + [f"{o}.add"]
        elif form == 5:
            self.line(
                f"Turn5 {o}({self.shared}, {self.r.choice(['m', '3', 'n'])}, {self.r.choice(['m', 'id', '7u'])}); int "
                f"{n} = {o}.of({v});"
            )
            if self.chance(0.5):
                self.line(f"{n} ^= {o}.of({self.leaf()});")
        elif form == 6:
            q = self.name()
            self.line(
                f"__shared__ Turn6<int, 256>::Storage {q}; Turn6<int, 256> {o}({q}); int {n} = {o}.of({v});"
                if self.chance(0.5)
                else f"__shared__ typename Turn6<int, 256>::Storage {q}; int {n} = Turn6<int, 256>({q}).of({v});"
            )
        elif form == 7:
            self.line(f"Turn7 {o} = {{{{m, n}}, {self.shared}}}; int {n} = {o}.of({v});")
            if self.chance(0.5):
                self.line(f"{n} ^= {o}.of({self.leaf()});")
        elif form == 2:
            q = self.name()
            self.line(f"__shared__ Turn2<int>::Storage {q}; Turn2<int> {o}({q}); int {n} = {o}.first({v});")
        else:
            self.line(f"int {n} = Turn3::of({self.shared}, {v});")
        self.values, self.mutable = self.values + [n], self.mutable + [n]

    def lambda_waits(self):
        n, o = self.name(), self.name()
        s = self.shared
        self.line(
            f"auto {o} = [&](int q) {{ {s}[id] = q; __syncthreads(); int r_ = {s}[all_ - 1 - id]; __syncthreads(); "
            f"return r_; }};"
        )
        self.line(f"int {n} = {o}({self.value(1)});")
        self.values, self.mutable = self.values + [n], self.mutable + [n]

    def more(self, depth):
        fs = [
            self.array,
            self.record,
            self.shadow,
            self.cases,
            lambda: self.around(depth) if depth < 2 else self.free(1),
            self.free if self.ended else self.plane,
            self.method,
            self.method,
            self.method,
            self.lambda_waits,
        ]
        if not self.ended:
            fs += [self.within_warp, self.parts, self.parts]
        self.r.choice(fs)()

    def leave(self):
        """Threads that end before barriers: what they would have put is 0."""
        if self.ended or self.depth > 1:
            return
        self.line(f"{self.shared}[id] = 0;")
        self.line("__syncthreads();")
        self.line(
            f"if ({self.r.choice(['id % 3 == 1', 'id >= m * 8', 'tx > 20', '(int)g >= n', 'ty == 1', 'tx >= 32'])}) "
            f"return;"
        )
        self.ended = True

    def waiting(self, depth=0):
        if self.hard and self.chance(0.1):
            self.leave()
        if self.hard and self.chance(0.6):
            self.more(depth)
        for _ in range(self.r.choice([1, 2, 3])):
            k = self.r.random()
            if k < 0.3:
                self.free(1)
            elif k < 0.5:
                self.share()
            elif k < 0.6:
                self.reduce()
            elif k < 0.67:
                self.vote()
            elif k < 0.8:
                (self.share if self.ended else self.warp)()
            elif k < 0.9 and depth < 2:
                self.loop(lambda: self.waiting(depth + 1), True)
            elif depth < 2:
                saved = self.values, self.mutable
                test = self.r.choice(["m > 2", "n > 1000", "blockIdx.x % 2 == 0", "blockIdx.x == 0", "gridDim.x > m",
                                      "blockDim.x > 8"])
                self.line(f"if ({test}) {{")
                self.depth += 1
                self.waiting(depth + 1)
                self.depth -= 1
                self.line("}")
                self.values, self.mutable = saved
            else:
                self.free(1)
