#!/usr/bin/env python3
"""Writes the pictures of src/compiler/kernel/README.md: the way of a kernel from its text to a launch, and the order in
which one CPU thread runs the threads of a block.

    tools/make_kernel_diagrams.py            writes them
    tools/make_kernel_diagrams.py --check    exits 1 when they are not up to date

Invariant: the pictures depend on this file alone, and a file that they name as a step exists.
"""
import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNEL = ROOT / "src/compiler/kernel"
MARGIN, CELL, THREADS = 14, 30, 8
COLOURS = {"row": "#e2eefb", "few": "#fdf0d9", "warp": "#e5f3ea", "turn": "#fde5df", "step": "#ffffff"}
INK, QUIET = "#667", "#445"

# Each step: what it is, the files that do it.
PATH = [
    ("tokens", "tokens.c ptx.c", "the user's text; nothing is parsed that a kernel does not need"),
    ("functions", "scan.c own.c", "which are kernels; which wait; which need to know their thread"),
    ("context", "forms.c reach.c", "who gets it as a hidden parameter, who reads the CPU thread's"),
    ("one form", "normal.c normal_calls.c", "shuffles become statements; functions that wait are inlined"),
    ("statements", "statements.c", "a tree, split where a barrier is"),
    ("C++", "write.c regions.c spans.c", "loops over the threads, between the barriers"),
    ("object", "compiler.c cache.c", "the machine's compiler, -O3; kept by the hash of all that went in"),
    ("launch", "kernel_cpu.c guard.c", "blocks to CPU threads; what faults ends the launch alone"),
]


def text(x, y, string, style="", size=12, code=False):
    family = ' font-family="monospace"' if code else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}"{family}{style}>{html.escape(string, False)}</text>'


def rectangle(x, y, width, height, fill, style=f' stroke="{INK}"'):
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" fill="{fill}"{style}/>'


def arrow(x, y, dx, dy, style=""):
    return f'<path d="M{x:g} {y:g} l{dx:g} {dy:g}" stroke="{INK}" fill="none" marker-end="url(#arrow)"{style}/>'


def svg(title, width, height, out):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif">\n'
            f'<title>{title}</title>\n<defs><marker id="arrow" markerWidth="8" markerHeight="8" refX="6" refY="3" '
            f'orient="auto"><path d="M0 0 L6 3 L0 6 z" fill="{INK}"/></marker></defs>\n'
            f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>\n' + "\n".join(out) + "\n</svg>\n")


def path():
    """The steps from a text to a launch, from the top down."""
    out, y, height = [], MARGIN, 30
    for i, (name, files, what) in enumerate(PATH):
        for file in files.split():
            if not (KERNEL / file).is_file():
                sys.exit(f"make_kernel_diagrams.py: there is no {file}")
        out.append(rectangle(MARGIN, y, 100, height, COLOURS["row" if i < 6 else "warp"]))
        out.append(text(MARGIN + 50, y + 20, name, ' text-anchor="middle" font-weight="bold"'))
        out.append(text(MARGIN + 114, y + 20, files, "", 12, True))
        out.append(text(MARGIN + 330, y + 20, what, f' fill="{QUIET}"'))
        if i + 1 < len(PATH):
            out.append(arrow(MARGIN + 50, y + height + 1, 0, 12))
        y += height + 16
    return svg("From the text of a kernel to its launch", 780, y, out)


class Panel:
    """A table of threads (columns) and statements (rows), with what runs in which order."""

    def __init__(self, x, y, title):
        self.x, self.left, self.y = x, x + 150, y + 44
        self.out = [text(x, y + 14, title, ' font-weight="bold"', 13)]
        self.out += [text(self.left + CELL * t + CELL / 2, y + 36, str(t), f' text-anchor="middle" fill="{QUIET}"', 11)
                     for t in range(THREADS)]
        self.out.append(text(x, y + 36, "thread", f' fill="{QUIET}"', 11))

    def code(self, line):
        self.out.append(text(self.x, self.y + 16, line, "", 11, True))

    def loop(self, line, threads=range(THREADS), colour="row", height=24):
        """A statement that a loop runs for these threads."""
        self.code(line)
        for t in threads:
            self.out.append(rectangle(self.left + CELL * t + 1, self.y, CELL - 2, height, COLOURS[colour]))
        first, last = min(threads), max(threads)
        if last > first:
            self.out.append(arrow(self.left + CELL * first + 6, self.y + height / 2, CELL * (last - first) + 16, 0))
        self.y += height + 4

    def barrier(self, line):
        self.code(line)
        self.out.append(f'<path d="M{self.left:g} {self.y + 12:g} h{CELL * THREADS}" stroke="#b03020" stroke-width="2" '
                        'stroke-dasharray="5 3"/>')
        self.y += 28

    def exchange(self, by):
        """From each lane to the one that takes its value."""
        for t in range(by, THREADS):
            self.out.append(arrow(self.left + CELL * t + CELL / 2, self.y - 3, -CELL * by, 20))
        self.y += 22

    def turns(self, lines, order):
        """order[t]: rows (first, number of rows, turn) of thread t."""
        for i, line in enumerate(lines):
            self.out.append(text(self.x, self.y + 16 + 26 * i, line, "", 11, True))
        for t, rows in enumerate(order):
            for first, count, turn in rows:
                self.out.append(rectangle(self.left + CELL * t + 1, self.y + 26 * first, CELL - 2, 26 * count - 3,
                                          COLOURS["turn"]))
                self.out.append(text(self.left + CELL * (t + 0.5), self.y + 26 * first + 16, str(turn),
                                     ' text-anchor="middle"', 11))
        self.y += 26 * len(lines)

    def note(self, line):
        self.out.append(text(self.x, self.y + 14, line, f' fill="{QUIET}"', 11))
        self.y += 18


def threads():
    """What a block of eight threads becomes, in the four ways."""
    one = Panel(MARGIN, MARGIN, "No barrier: one loop")
    one.loop("c[i] = a[i] + b[i]", height=52)
    one.note("The compiler makes vectors of it: eight threads or more")
    one.note("an instruction. The test i < n bounds the loop.")

    two = Panel(MARGIN + 420, MARGIN, "__syncthreads(): regions, a loop each")
    two.loop("s[t] = x[i]")
    two.barrier("barrier")
    two.loop("s[t] += s[t + 4]", range(4), "few")
    two.barrier("barrier")
    two.loop("y[b] = s[0]", range(1), "few")
    two.note("An if on the thread's index is a loop over fewer threads.")

    below = max(one.y, two.y) + 20
    three = Panel(MARGIN, below, "Shuffles: lanes put, then lanes take")
    three.loop("put(v)", colour="warp")
    three.exchange(2)
    three.loop("v += take_down(2)", colour="warp")
    three.note("A statement becomes two loops over all lanes of the block;")
    three.note("the values lie in an array between them.")

    four = Panel(MARGIN + 420, below, "Waiting in memory: fibers take turns")
    waits = [[(0, 1, t + 1), (2, 1, t + 9)] for t in range(THREADS - 1)]
    four.turns(["while (!flag) ;", "flag = 1", "y[t] = x[0]"], [*waits, [(1, 2, THREADS)]])
    four.note("Each thread has a stack. Who waits gives the processor to the")
    four.note("next; the numbers are an order in which all come to their end.")
    height = max(three.y, four.y) + 10
    return svg("What the threads of a block become on the CPU", 2 * 420 + MARGIN, height,
               [line for panel in (one, two, three, four) for line in panel.out])


PAGES = {"docs/images/kernel_path.svg": path, "docs/images/kernel_threads.svg": threads}


def main():
    for name, picture in PAGES.items():
        page = ROOT / name
        if page.exists() and page.read_text() == picture():
            continue
        if "--check" in sys.argv:
            sys.exit(f"{name}: not what tools/make_kernel_diagrams.py writes")
        page.write_text(picture())


if __name__ == "__main__":
    main()
