"""Errors of sources that do not compile, on each device: the user's line, what is wrong, the five lines around it. The
words are the compiler's, their form is one."""
import os
import subprocess
import sys

import pytest

import cuprite as cp
from cuprite.cuda.compiler import CompileException

SOURCE = '''extern "C" __global__ void f(int *a)
{
    int i = threadIdx.x;
%s
    __syncthreads();
    a[i] = a[i] + 1;
    __syncthreads();
    a[i] = 9;
}
'''


def refused(code, name="f", **words):
    with pytest.raises(CompileException) as e:
        cp.RawKernel(code, name, **words).compile()
    text = str(e.value)
    assert "kernel.cpp" not in text and "cache" not in text
    return e.value, text.split("\n")


def excerpt(code, line, marked=True):
    lines = code.split("\n")
    while lines and not lines[-1]:
        lines.pop()
    return [f"{'>' if n == line and marked else ' '} {n:4d} | {lines[n - 1]}"
            for n in range(max(line - 2, 1), min(line + 2, len(lines)) + 1)]


def test_a_name():
    code = SOURCE % "    a[i] = nothing_of_that_name;"
    e, lines = refused(code)
    assert lines[0].startswith("kernel.cu:4: error: ") and "nothing_of_that_name" in lines[0]
    assert [line for line in lines[1:] if "^" not in line] == excerpt(code, 4)
    assert e.source == code and e.get_message() == str(e)


def test_the_mark():
    """Where the line is as it was written the column is marked."""
    code = 'extern "C" __global__ void f(int *a)\n{\n\ta[0] = 5 + nothing_of_that_name;\n}\n'
    _, lines = refused(code)
    assert lines[4] in ("       | \t           ^", "     4 | }")
    if "^" in lines[4]:
        assert lines[3] == ">    3 | \ta[0] = 5 + nothing_of_that_name;"


@pytest.mark.parametrize("line,wrong", [(1, '#include "no_such_header.h"'), (3, "#  include <no/such_header.h>")])
def test_a_header(line, wrong):
    code = "\n" * (line - 1) + wrong + "\n" + SOURCE % ""
    _, lines = refused(code)
    name = "no_such_header.h" if '"' in wrong else "no/such_header.h"
    assert lines[0].startswith(f"kernel.cu:{line}: error: there is no header {name}: ")
    assert f"> {line:4d} | {wrong}" in lines


LAUNCHES = [
    ("    if (i == 0)\n        f<<<1, 32>>>(a);", 5, "dynamic parallelism (f<<<...>>>)"),
    ("    auto g = [&] { ::g<(3 > 2), int>\n    <<<dim3(1), 32, 0>>>(a); };", 4, "dynamic parallelism (g<<<...>>>)"),
    ("    cudaLaunchKernel((void *)f, 1, 1, 0, 0, 0);", 4, "dynamic parallelism (cudaLaunchKernel)"),
    ("    a[1] = 0; }\nint main()\n{\n    f<<<1, 1>>>(0);", 7, "a launch by code of the host (f<<<...>>>)"),
    ("#define ONE(k, ...) k<<<1, 1>>>(__VA_ARGS__)\n#define F ONE(f, a)\n\n    F;", 7,
     "dynamic parallelism (f<<<...>>>)"),
    ("#define WORDS \"f<<<1, 1>>>\"\n#define ONE f<<<1, 1>>>(a)\n// f<<<1, 1>>>()\n"
     "#if 0\n    f<<<1, 1>>>(a);\n#endif\n    a[i] = WORDS[i] << 1;", 0, ""),
]


@pytest.mark.parametrize("text,line,what", LAUNCHES)
def test_a_launch_in_the_source(text, line, what, device):
    """By its name and line, whatever else the compiler would say of it; not where it is only written."""
    if device.startswith("cuda"):
        pytest.skip("NVRTC's own words")
    code = SOURCE % text
    if not line:
        cp.RawKernel(code, "f").compile()
        return
    with pytest.raises(NotImplementedError) as e:
        cp.RawKernel(code, "f").compile()
    head, *lines = str(e.value).split("\n")
    assert head.startswith(f"line {line}: {what} is not available on the CPU device")
    assert lines == excerpt(code, line)


def test_a_launch_by_a_macro_that_the_compiler_expands(device):
    if device.startswith("cuda"):
        pytest.skip("NVRTC's own words")
    code = "#define ONE(k, ...) k<<<1, 1>>>(__VA_ARGS__)\n#define F ONE(f, a)\n" \
           'extern "C" __global__ void f(int *a)\n{\n    F;\n}\n'
    with pytest.raises(NotImplementedError, match=r"^line 5: a launch by the macro \(ONE\) is not available"):
        cp.RawKernel(code, "f").compile()
    cp.RawKernel(code.replace(" F;", " a[0] = 1;"), "f").compile()


def test_several_errors():
    code = SOURCE % "    first_one(); second_one();\n    third_one();"
    _, lines = refused(code)
    heads = [line for line in lines if "error: " in line]
    assert [head.split(" ")[0] for head in heads] == ["kernel.cu:4:", "kernel.cu:4:", "kernel.cu:5:"]
    many = SOURCE % "".join(f"    wrong_{n}();\n" for n in range(9))
    heads = [line for line in refused(many)[1] if "error: " in line]
    assert [head.split(" ")[0] for head in heads] == [f"kernel.cu:{n}:" for n in range(4, 9)]
    assert refused(many)[1][-1] == "and 4 more"


def test_a_long_source():
    """Not all of it is told."""
    code = "".join(f"__device__ int g{n}(int a) {{ return a + {n}; }}\n" for n in range(500)) + SOURCE % "    g(i) = 5;"
    _, lines = refused(code)
    assert len(lines) < 20 and lines[0].startswith("kernel.cu:504: error: ")


def test_a_template():
    """What is wrong in an instance is told by its line."""
    code = "template <class T> __device__ T g(T a)\n{\n    return a.nothing;\n}\n" + SOURCE % "    a[i] = g(a[i]);"
    _, lines = refused(code)
    assert lines[0].startswith("kernel.cu:3: error: ") and ">    3 |     return a.nothing;" in lines


def test_after_conditions():
    """Lines are counted as the user wrote them, behind the preprocessor's conditions and in macros."""
    code = "#if 0\nvery wrong\n#endif\n#define ADD(a, b) \\\n    ((a) + (b))\n" + SOURCE % "    a[i] = ADD(i, nowhere);"
    _, lines = refused(code)
    assert lines[0].startswith("kernel.cu:9: error: ") and ">    9 |     a[i] = ADD(i, nowhere);" in lines


def test_exceptions():
    """Neither device has any."""
    _, lines = refused(SOURCE % "    throw 5;")
    assert lines[0].startswith("kernel.cu:4: error: ") and "exception" in lines[0]


def test_dump(tmp_path):
    code = SOURCE % "    wrong();"
    e, _ = refused(code)
    with open(tmp_path / "log", "w") as f:
        e.dump(f)
    text = (tmp_path / "log").read_text()
    assert text.startswith(f"nvrtc compilation error: {e}\n-----\nName: {e.name}\n") and "\n04     wrong();\n" in text
    assert e.backend == "nvrtc" and e.options == cp.RawKernel(code, "f").options


@pytest.mark.once
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_compilers(compiler):
    """Both compilers of the host say it in one form."""
    program = """
import cuprite as cp
for wrong in ("a[0] = nowhere", "a[0] = 1 +", "throw 1"):
    try:
        cp.RawKernel('extern "C" __global__ void f(int *a)\\n{\\n    ' + wrong + ';\\n}\\n', "f").compile()
    except cp.cuda.compiler.CompileException as e:
        print(str(e).split("\\n")[0])
"""
    r = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100,
                       env={**os.environ, "CUPRITE_DEVICE": "cpu", "CUPRITE_CXX": compiler})
    if "is no program" in r.stderr:
        pytest.skip(f"no {compiler} here")
    lines = r.stdout.splitlines()
    assert len(lines) == 3, r.stdout + r.stderr
    assert all(line.startswith("kernel.cu:3: error: ") for line in lines)
    assert lines[2] == "kernel.cu:3: error: a kernel has no exceptions (throw, try, catch)"


@pytest.mark.once
def test_what_the_cpu_lacks():
    """The feature, the line and the page where it stands."""
    code = SOURCE % "    a[i] = tex1D<int>(0, i);"
    program = (f"import cuprite as cp\ntry:\n    cp.RawKernel({code!r}, 'f').compile()\n"
               "except NotImplementedError as e:\n    print(e)")
    r = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100,
                       env={**os.environ, "CUPRITE_DEVICE": "cpu"})
    lines = r.stdout.splitlines()
    assert lines and lines[0].startswith("line 4: textures (tex1D)"), r.stderr
    assert lines[0].endswith('see "What the CPU lacks" in docs/guide/kernels.md') and lines[1:] == excerpt(code, 4)
