"""The code of the written pages: what a page shows runs, and prints what the page says.

A page's code stands in fenced blocks, whose first line names the language. Invariant: no block is without one of them.

python   Blocks of a page run in its order, in one namespace. A block whose first line is `# NAME.py` is a file instead,
         which a block `sh` runs.
c        A program is compiled as C17 without a warning, and run. A block without `main` is the body of a function.
         A first line `/* NAME.c: ...` names the file, for a block `sh`; that runs what has no block `text`.
sh       Each line is a command that `shell` knows.
text     What the block before it prints; with nothing before it, a picture made of letters. `...` stands for anything.

An exception ends a block, and its class and message are what the block printed last. No file outside the page's own
folder is written.

`pages.py [--pkg-config] PAGE...` runs pages with the Python that is given it and the Cuprite that this Python imports;
programs in C are compiled with what pkg-config says, else with what the build folder has.
"""
import argparse
import contextlib
import io
import linecache
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import cuprite as cp

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUPRITE_BUILD", ROOT / "build")).absolute()
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
LANGUAGES = {"python", "c", "sh", "text", "cmake"}
INCLUDES = [f"-I{ROOT / 'include'}", f"-I{BUILD / 'generated' / 'include'}"]
LIBRARY = [f"-L{BUILD / 'lib'}", "-lcuprite", f"-Wl,-rpath,{BUILD / 'lib'}"]
#: commands that change the machine or the checkout: other tests have them
ELSEWHERE = {"pip", "apt-get", "sudo", "cmake", "git", "cd", "ninja", "export", "man", "compute-sanitizer", ".",
             "source"}
STRICT = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


class Block:
    def __init__(self, page, language, text, line):
        self.page, self.language, self.text, self.line = page, language, text, line
        self.expected = None  # what the page says that it prints

    @property
    def file(self):
        named = re.match(r"(?:# |/\* )([\w.]+\.(?:py|c))\b", self.text)
        return named[1] if named else None

    def __repr__(self):
        return f"{self.page}:{self.line}"


def blocks(page):
    """The blocks of a page; a block `text` behind another one belongs to it."""
    text, found, end = (ROOT / page).read_text(), [], None
    for m in FENCE.finditer(text):
        block = Block(page, m[1], m[2], text.count("\n", 0, m.start()) + 1)
        if m[1] == "text" and found and not text[end:m.start()].strip():
            found[-1].expected = m[2]
        else:
            found.append(block)
        end = m.end()
    return found


def indented(page):
    """The lines of a page outside of its fenced blocks that Markdown takes for code."""
    text = FENCE.sub(lambda m: "\n" * m[0].count("\n"), (ROOT / page).read_text())
    text = re.sub(r"^(?:[*-]|\d+\.) .*\n(?:(?:  .*)?\n)*", "\n", text, flags=re.M)  # without lists
    return re.findall(r"(?:^|\n)\n((?:    .*\n)+)", text)


def matches(expected, printed):
    """Whether that is what was printed, where `...` stands for anything."""
    expected, printed = ("\n".join(line.rstrip() for line in t.rstrip().split("\n")) for t in (expected, printed))
    expected = re.sub(r"\n\.\.\.$", "...", expected)  # at the end it may stand for nothing
    return re.fullmatch(".*?".join(map(re.escape, expected.split("..."))), printed, re.S) is not None


def run_python(block, scope):
    name = f"<{block}>"
    linecache.cache[name] = (len(block.text), None, block.text.splitlines(True), name)  # kernels read their source
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(block.text, name, "exec"), scope)
        except Exception as e:
            if block.expected is None:
                raise
            out.write(f"{type(e).__name__}: {e}\n")
    return out.getvalue()


def run(command, folder, **options):
    environment = {k: v for k, v in os.environ.items() if k != "CUPRITE_DEVICE"}
    environment.update(options, PYTHONPATH=str(pathlib.Path(cp.__file__).parents[1]))
    return subprocess.run([str(c) for c in command], text=True, capture_output=True, timeout=300, cwd=folder,
                          env=environment)


def succeeded(command, folder):
    done = run(command, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def run_c(block, folder):
    """What the program of a block prints, its errors too; that of a function's body is compiled only."""
    text, name = block.text, block.file or "fragment.c"
    if "int main(" not in text:
        text = f"#include <cuprite.h>\n#include <stdio.h>\n\nvoid fragment(cp_array *, cp_array *);\n" \
               f"void fragment(cp_array *x, cp_array *y)\n{{\n(void)x;\n(void)y;\n{text}\n}}\n"
        (folder / name).write_text(text)
        return succeeded(["cc", *STRICT, *INCLUDES, "-c", name], folder)
    (folder / name).write_text(text)
    succeeded(["cc", *STRICT, *INCLUDES, name, *LIBRARY, "-lm", "-o", name[:-2]], folder)
    done = run([folder / name[:-2]], folder)
    return done.stdout + done.stderr


def shell(line, folder):
    """What a line for the shell prints, and its exit status; None of one that other tests run."""
    words = shlex.split(line, comments=True)
    words = [w for i, w in enumerate(words) if i or w != "$"]
    variables = [words.pop(0) for _ in range(len(words)) if words and re.match(r"[A-Z_]+=", words[0])]
    if not words or words[0] in ELSEWHERE or words[1:3] in (["-m", "venv"], ["-m", "pip"]):
        return None
    if words[0].startswith("tools/"):
        assert os.access(ROOT / words[0], os.X_OK), line
        return None
    if words[0] == "make":
        targets = re.findall(r"^([\w -]+):", (ROOT / "Makefile").read_text(), re.M)
        assert words[1] in " ".join(targets).split(), line
        return None
    if words[0] == "cc" or words[0] == "gcc":  # with what pkg-config would say
        source = next(w for w in words if w.endswith(".c"))
        assert "pkg-config --cflags --libs cuprite" in line, line
        done = run(["cc", *STRICT, *INCLUDES, source, *LIBRARY, *(["-lm"] if "-lm" in words else []), "-o",
                    words[words.index("-o") + 1]], folder)
        return done.stdout + done.stderr, done.returncode
    if words[0] in ("python", "python3"):
        words[0] = sys.executable
    elif words[0].startswith("build/bin/"):
        words[0] = BUILD / "bin" / words[0].removeprefix("build/bin/")
    elif words[0] == "cuprite":
        words[0] = BUILD / "bin" / "cuprite"
    else:
        assert words[0].startswith("./"), line
        words[0] = folder / words[0]
    assert shutil.which(words[0]), line
    done = run(words, folder, **dict(v.split("=", 1) for v in variables))
    return done.stdout + done.stderr, done.returncode


def run_sh(block, folder):
    """What the lines of a block print; None where other tests run all of them. Without a block `text` they succeed."""
    lines = [line for line in block.text.replace("\\\n", "").split("\n") if line.strip()]
    said = [done for line in lines if (done := shell(line, folder)) is not None]
    if block.expected is None:
        assert not any(status for _, status in said), said
        return None
    return "".join(printed for printed, _ in said) if said else None


def check(page, folder):
    """Runs the blocks of a page; the disagreements."""
    scope, wrong = {"__name__": "__main__"}, []
    before = os.getcwd()
    os.chdir(folder)
    try:
        for block in blocks(page):
            if block.language == "python" and block.file:
                (folder / block.file).write_text(block.text)
                continue
            if block.language == "python":
                printed = run_python(block, scope)
            elif block.language == "c":
                printed = run_c(block, folder)
                if block.file and block.expected is None:
                    continue
            elif block.language == "sh":
                printed = run_sh(block, folder)
            else:
                continue
            if printed is not None and not matches(block.expected or "", printed):
                wrong.append(f"{block}: the page says\n{block.expected}\nand it prints\n{printed}")
    finally:
        os.chdir(before)
    return wrong


def main():
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("pages", nargs="+")
    read.add_argument("--pkg-config", action="store_true")
    chosen = read.parse_args()
    if chosen.pkg_config:
        for flags, wanted in ((INCLUDES, "--cflags"), (LIBRARY, "--libs")):
            flags[:] = shlex.split(subprocess.run(["pkg-config", wanted, "cuprite"], check=True, text=True,
                                                  stdout=subprocess.PIPE).stdout)
    wrong = []
    for page in chosen.pages:
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(page, pathlib.Path(folder))
        print(f"{sum(b.language != 'text' for b in blocks(page))} blocks of {page}, with {cp.__file__}")
    print(*wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
