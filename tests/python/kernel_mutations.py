"""Sources of kernels that nobody would write, each determined by its number: right programs (tests/kernels) of which
tokens are removed, doubled, exchanged, cut in two or replaced, and programs with thousands of one construct. What
becomes of them: a kernel, or an error of compilers. tools/fuzz_kernels runs many, test_kernel_hostile.py some."""
import os
import pathlib
import random
import re
import stat
import time

import cuprite as cp

PLACE = pathlib.Path(__file__).resolve().parents[1] / "kernels"
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\d[\w.]*|\#[^\n]*|//[^\n]*|/\*.*?\*/|\s+|'
                   r'<<=|>>=|\.\.\.|->|::|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||.', re.S)
HOSTILE = ["{", "}", "(", ")", "[", "]", "<", ">", "<%", "%>", "<:", "??/", ";", ",", "::", "\\", "\\\n", '"', "'",
           "R\"x(", ")x\"", "/*", "*/", "//", "#", "#if 1\n", "#endif\n", "#define X(a) a##a\n", "#line 1000000000\n",
           "\n# 1 \"x\"\n", "9" * 400, "0x" + "f" * 40, "1e999999", "0x1p-99999", "1'0", "0b2", "u8'\xe9'", "\xff\xfe",
           "\x01", "\ufeff", "template <", "template <class T>", "typename", "operator", "operator()", "[&]", "[=]()",
           "decltype(auto)", "__shared__", "extern __shared__ int q[];", "__syncthreads();", "__syncthreads",
            "__device__",
           "__global__", "__constant__ int c[4];", "static", "volatile", "goto x;", "x:", "case 1:", "default:",
            "break;",
           "continue;", "return;", "return", "else", "if (", "for (;;)", "while", "do", "switch (1) {", "asm(\"",
           "asm volatile(\"mov.u32 %0, %laneid;\" : \"=r\"(x));", "__shfl_sync(", "__activemask()", "threadIdx", ".x",
           "threadIdx.", "atomicAdd(", "namespace n {", "namespace {", "struct S {", "class", "enum", "union {",
            "using",
           "typedef", "friend", "virtual", "new", "delete", "this", "throw", "try {", "cub::", "cuda::", "std::",
           "cooperative_groups::", "cg::this_grid().sync();", "#include <cub/cub.cuh>\n", "#include \"none.h\"\n",
           "#include <cooperative_groups.h>\n", "__cu_ctx", "__ctx", "__cu_t", "int", "float4", "half",
            "void", "1", "0"]


def seeds():
    return [p.read_text() for p in sorted(PLACE.glob("*.cu"))]


class Mutations:
    def __init__(self):
        self.pieces = []  # functions of the programs, each with what stands before it
        for text in seeds():
            self.pieces += [piece + "}\n" for piece in text.split("\n}\n")[:-1]]
        self.tokens = [TOKEN.findall(piece) for piece in self.pieces]

    def source(self, number):
        r = random.Random(number)
        tokens = list(r.choice(self.tokens))
        if r.random() < 0.3: tokens += r.choice(self.tokens)
        for _ in range(r.choice((1, 1, 1, 2, 3, 8, 40))):
            if tokens: self.change(tokens, r)
        text = "".join(tokens)
        if r.random() < 0.1: text = text[:r.randrange(len(text) + 1)]
        return text.replace("\0", "")

    def change(self, tokens, r):
        at, how = r.randrange(len(tokens)), r.randrange(9)
        if how == 0: del tokens[at]
        elif how == 1: del tokens[at:at + r.randrange(30)]
        elif how == 2: tokens.insert(at, tokens[at])
        elif how == 3: tokens.insert(at, r.choice(HOSTILE))
        elif how == 4: tokens[at] = r.choice(HOSTILE)
        elif how == 5: tokens[at] = r.choice(r.choice(self.tokens))
        elif how == 6:
            other = r.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif how == 7: tokens[at:at] = tokens[at:at + r.randrange(12)] * r.choice((2, 3, 50))
        else: tokens[at] = tokens[at][:r.randrange(len(tokens[at]) + 1)]


# name: a program with n of something
def kernel(body, before=""):
    return (before + 'extern "C" __global__ void f(int *y, int n) { __shared__ int s[64]; int t = threadIdx.x; ' +
            body +
            " __syncthreads(); y[t] = s[t]; }")


def many(n, text):
    return "".join(text.replace("@", str(i)) for i in range(n))


CALLS = "__device__ int g@(int x) { return x + threadIdx.x; }\n"
GROUPS = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
NESTED = {  # what has a limit
    "if": lambda n: kernel("if (t < n) " * n + "y[t] = 1;"),
    "if around a barrier": lambda n: kernel("if (n) " * n + "__syncthreads();"),
    "else if": lambda n: kernel("if (t) y[0] = 1; " + many(n, "else if (n == @) __syncthreads(); ")),
    "blocks": lambda n: kernel("{" * n + "__syncthreads();" + "}" * n),
    "if with blocks": lambda n: kernel("if (n) {" * n + "__syncthreads();" + "}" * n),
    "for": lambda n: kernel("for (int i = 0; i < n; i++) " * n + "__syncthreads();"),
    "while": lambda n: kernel("while (n) " * n + "y[0] = 1;"),
    "do": lambda n: kernel("do " * n + "__syncthreads();" + " while (n);" * n),
    "switch": lambda n: kernel("switch (n) " * n + "case 1: y[0] = 1;"),
    "parentheses": lambda n: kernel("y[0] = " + "(" * n + "1" + ")" * n + ";"),
    "indices": lambda n: kernel("y[" * n + "0" + "]" * n + " = 1;"),
    "calls": lambda n: kernel("y[0] = " + "g0(" * n + "1" + ")" * n + ";", many(1, CALLS)),
    "lambdas": lambda n: kernel("[&]() {" * n + "y[0] = 1;" + "}();" * n),
    "records": lambda n: many(n, "struct S@ { ") + "};" * n + kernel(""),
    "namespaces": lambda n: many(n, "namespace n@ { ") + "}" * n + kernel(""),
}
REPEATED = {
    "minus": lambda n: kernel("y[0] = " + "- " * n + "1;"),
    "less": lambda n: kernel("y[0] = " + "n < " * n + "1;"),
    "templates": lambda n: kernel("A<" * n + "int" + "> " * n + " a;", "template <class T> struct A {};\n"),
    "angles": lambda n: kernel("A<" * n + " a;", "template <class T> struct A {};\n"),
    "statements": lambda n: kernel("y[t] = t;\n" * n),
    "barriers": lambda n: kernel("s[t] = t; __syncthreads();\n" * n),
    "shuffles": lambda n: kernel("t = __shfl_down_sync(~0u, t, 1);\n" * n),
    "variables": lambda n: kernel(many(n, "int a@ = t; ") + "__syncthreads(); " + many(n, "y[0] += a@; ")),
    "one name": lambda n: kernel("int a = t; y[0] += a; " * n),
    "shared": lambda n: kernel(many(n, "__shared__ int a@; a@ = t; ")),
    "dynamic": lambda n: kernel(many(n, "extern __shared__ int d@[]; d@[t] = 1; ")),
    "functions": lambda n: many(n, CALLS) + kernel(many(n, "y[0] += g@(1);")),
    "chain": lambda n: many(1, CALLS) + "".join(f"__device__ int g{i}(int x) {{ __shared__ int a; a = 1; return "
                                                f"g{i - 1}(x); }}\n" for i in range(1, n)) +
                       kernel(f"y[0] = g{n - 1}(1);"),
    "functions that wait": lambda n: many(n, CALLS.replace("return", "__syncthreads(); return")) +
                                     kernel(many(n, "y[0] += g@(1);")),
    "templates of functions": lambda n: many(n, "template <class T> " + CALLS.replace("int x", "T x")) +
                                        kernel(many(n, "y[0] += g@<int>(1);")),
    "kernels": lambda n: many(n, 'extern "C" __global__ void g@(int *y) { __shared__ int s; s = 1; __syncthreads(); '
                                 "y[threadIdx.x] = s; }\n") + kernel(""),
    "methods": lambda n: many(n, "struct S@ { __device__ int get() { return threadIdx.x; } };\n") +
                         kernel(many(n, "y[0] += S@().get();")),
    "device variables": lambda n: many(n, "__device__ int a@;\n") + kernel(many(n, "y[0] += a@; ")),
    "macros": lambda n: many(n, "#define A@ @\n") + kernel(many(n, "y[0] += A@; ")),
    "types": lambda n: many(n, "typedef int T@;\n") + kernel(many(n, "T@ a@; ")),
    "casts": lambda n: kernel("y[0] = " + "(int)" * n + "1.5f;"),
    "asm": lambda n: kernel('asm("mov.u32 %0, 1;" : "=r"(t)); ' * n),
    "groups": lambda n: GROUPS + kernel("auto b = cg::this_thread_block(); " + "b.sync(); " * n),
    "tiles": lambda n: GROUPS + kernel("auto b = cg::this_thread_block(); " + many(
        n, "auto c@ = cg::tiled_partition<32>(b); t += c@.shfl_down(t, 1); ")),
    "volatile": lambda n: kernel("volatile int *v = s; " + "v[t] = v[t + 1]; " * n),
    "loops that wait": lambda n: kernel("while (atomicAdd(y, 0) == 0) {} " * n),
    "strides": lambda n: kernel("for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) "
                                "y[i] = 1; " * n),
    "pointers": lambda n: kernel(many(n, "int *p@ = &y[@]; ") + "__syncthreads(); " + many(n, "*p@ = 1; ")),
    "raw strings": lambda n: kernel('const char *q = R"a(x)a";' * n),
    "raw strings without an end": lambda n: kernel('const char *q = R"a(x' * n),
    "spliced lines": lambda n: kernel("y[0] = 1 \\\n+ 2;" * n),
    "digits": lambda n: kernel("y[0] = " + "9" * n + ";"),
    "a name": lambda n: kernel("y[0] = " + "a" * n + ";"),
    "a comment": lambda n: kernel("/*" + "*" * n),
    "labels": lambda n: kernel(many(n, "L@: y[0] = 1; ")),
    "cases": lambda n: kernel("switch (n) {" + many(n, "case @: y[@] = 1; break; ") + "}"),
    "open": lambda n: "{" * n,
    "closed": lambda n: ")" * n,
    "nothing": lambda n: " \n" * n,
}

# What NVRTC would say too; an error of drivers: there is no kernel f.
ALLOWED = ("CompileException", "NotImplementedError", "CUDADriverError", "UnicodeEncodeError")


def deaf_compiler(folder):
    """A compiler that preprocesses, and refuses what it is to compile: of a program only the translation is made."""
    path = pathlib.Path(folder) / "deaf"
    path.write_text('#!/bin/sh\ncase " $* " in *" -E "*) exec g++ "$@";; esac\n'
                    'echo "kernel.cu:1:1: error: deaf"\nexit 1\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    os.environ["CUPRITE_CXX"], os.environ["CUPRITE_CACHE_DIR"] = str(path), str(folder)


def told(text):
    """What compiling it gives, "" where it is allowed; and after how many seconds."""
    start = time.process_time()
    try:
        cp.RawModule(code=text).get_function("f")
        what = ""
    except Exception as e:
        what = "" if type(e).__name__ in ALLOWED else f"{type(e).__name__}: {e}"
    return what, time.process_time() - start
