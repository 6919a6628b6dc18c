#!/usr/bin/env python3
"""Manual pages of the C functions, from the public headers and the rows, and of the command: `man cp_median`.

    tools/make_man.py FOLDER        writes FOLDER/man3/cp_NAME.3, one page for each header, cuprite_HEADER.3, and
                                    FOLDER/man1/cuprite.1, which is docs/cli.md

A function's page begins with its row's documentation. A comment that several declarations share follows under its own
heading.

BUILD is the build folder (`build` by default), whose generated headers are read too.
"""
import collections
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "generate")]
import headers  # noqa: E402
from functions import read_functions  # noqa: E402
from table import Tables  # noqa: E402


def escaped(text):
    """Text escaped for roff: backslashes, and lines that would be requests."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def paragraphs(text):
    return "\n.PP\n".join(escaped(p.strip()) for p in re.split(r"\n\s*\n", text) if p.strip())


def first_sentence(text):
    return re.split(r"(?<=[.;:])\s", " ".join(text.split()), maxsplit=1)[0].rstrip(".:;")


def heading(name, section="3"):
    return f'.TH {name.upper()} {section} "" Cuprite "Cuprite Manual"\n'


def result_of(text):
    if re.match(r"cp_array \*", text):
        return ("An array that the caller frees with cp_free, or NULL; cp_error_message() says why. NULL arguments "
                "give NULL.")
    if text.startswith("cp_code "):
        return "CP_OK, or the code of the error; cp_error_message() has its text."
    return ""


def declared(m):
    return m[1] + ("" if m[1].endswith("*") else " ") + m[2]


def function_page(d, rows, structs, alone):
    """`alone`: the comment is this function's only; else several declarations share it."""
    row = rows.get(d.name[3:])
    own = row.row.doc if row else d.comment if alone else ""
    rest = d.comment if d.comment.rstrip(".").lower() != own.rstrip(".").lower() else ""
    about = first_sentence(own) or sentence_about(d.name, rest) or f"see {d.header}"
    options = next((re.sub(r"CP_OPTION\((.*), (\w+)\)", declared, structs[s]) for s in structs
                    if f"const {s} *options" in d.text), "")
    text = heading(d.name) + f".SH NAME\n{d.name} \\- {escaped(about)}\n.SH SYNOPSIS\n"
    text += f".nf\n#include <{d.header}>\n\n{escaped(d.text)}\n"
    if options:
        first = [p.strip().split(" ")[-1].lstrip("*") for p in re.search(r"\((.*)\)", d.text)[1].split(",")][:-1]
        text += f"\n{escaped(d.name)}({', '.join(first + ['.option = value, ...'])})\n\n{escaped(options)}\n"
    text += f".fi\n.SH DESCRIPTION\n{paragraphs(own) or escaped(about + '.')}\n"
    if rest:
        text += (".PP\n" if alone else ".SH THIS FUNCTION AND ITS NEIGHBOURS\n") + f"{paragraphs(rest)}\n"
    if result_of(d.text):
        text += f".SH RETURN VALUE\n{escaped(result_of(d.text))}\n"
    if row and row.module != "_random":  # those are methods of Generator
        place = "cuprite." + (row.module.lstrip("_") + "." if row.module else "") + row.name
        text += f".SH PYTHON\n{escaped(place + '(' + row.text() + ')')}\n"
    return text + f".SH SEE ALSO\n.BR {page_of(d.header)} (3)\n"


def sentence_about(name, text):
    """The sentence of a shared comment that names the function, with or without cp_."""
    for sentence in re.split(r"(?<=[.;])\s+", " ".join(text.split())):
        if re.search(rf"\b(?:cp_)?{name[3:]}\b", sentence):
            return sentence.rstrip(".;:")
    return ""


# --- the command ---

def inline(text):
    """Markdown's `code`, **strong**, *emphasis* and [links](...) as roff has them."""
    text = escaped(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))
    strong = re.sub(r"\*\*([^*]+)\*\*|`([^`]+)`", lambda m: f"\\fB{m[1] or m[2]}\\fR", text)
    return re.sub(r"\*([^*]+)\*", r"\\fI\1\\fR", strong)


def command_page(markdown):
    """docs/cli.md as cuprite(1)."""
    out = []
    for block in re.split(r"\n\s*\n", markdown.split("\n", 1)[1].strip()):
        lines = block.split("\n")
        if lines[0].startswith("## "):
            out.append(f".SH {escaped(lines[0][3:]).upper()}")
        elif lines[0].startswith("```"):  # a fenced block, which has no empty lines
            out.append(".PP\n.nf\n" + escaped("\n".join(lines[1:-1])) + "\n.fi")
        elif lines[0].startswith("|"):
            for line in lines[2:]:
                cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
                out.append(f".TP\n{inline(cells[0])}\n{inline('; '.join(cells[1:]))}")
        else:
            item = ".PP"
            for line in lines:
                if re.match(r"(\d+\.|\*) ", line):
                    sign, rest = line.split(" ", 1)
                    out.append(f".IP {sign.replace('*', chr(92) + '(bu')} 4\n{inline(rest)}")
                    item = None
                else:
                    out.append((item + "\n" if item else "") + inline(line.strip()))
                    item = None
    return (heading("cuprite", "1") + ".SH NAME\ncuprite \\- source finding, synthetic skies, devices\n"
            ".SH SYNOPSIS\n.B cuprite\n.I COMMAND\n[options]\n.SH DESCRIPTION\n" + "\n".join(out) +
            "\n.SH SEE ALSO\n.BR cuprite_cuprite (3)\n")


def page_of(header):
    return "cuprite_" + pathlib.PurePath(header).stem


def header_page(header, text, names):
    opening = headers.plain(re.search(r"/\*(.*?)\*/", re.sub(r"\A/\* Made from.*?\*/\n", "", text), re.S)[1])
    about = first_sentence(opening)
    body = heading(page_of(header)) + f".SH NAME\n{page_of(header)} \\- {escaped(about)}\n"
    body += f".SH SYNOPSIS\n#include <{header}>\n"
    body += f".SH DESCRIPTION\n{paragraphs(opening)}\n"
    return body + (".SH FUNCTIONS\n" + ",\n".join(f".BR {n} (3)" for n in names).replace(",\n", "\n") + "\n" if names
                   else "")


def main(folder):
    build = os.environ.get("BUILD", "build")
    out = pathlib.Path(folder) / "man3"
    out.mkdir(parents=True, exist_ok=True)
    every = sorted(reversed(read_functions(Tables(ROOT))), key=lambda f: f.row.get("c") != "")  # C's own come last
    rows = {(f.row.get("c") or "cp_" + f.name).removeprefix("cp_"): f for f in every
            if not f.is_method_only and f.module != "_device"}
    functions, structs = headers.functions(build), headers.structs(build)
    sharing = collections.Counter((d.header, d.comment) for d in functions.values())
    for d in functions.values():
        (out / f"{d.name}.3").write_text(function_page(d, rows, structs, d.own or sharing[d.header, d.comment] == 1))
    (pathlib.Path(folder) / "man1").mkdir(parents=True, exist_ok=True)
    (pathlib.Path(folder) / "man1/cuprite.1").write_text(command_page((ROOT / "docs/cli.md").read_text()))
    for base in headers.folders(build):
        for path in sorted(base.rglob("*.h")):
            header = str(path.relative_to(base))
            names = [d.name for d in functions.values() if d.header == header]
            if names or header == "cuprite.h":
                (out / f"{page_of(header)}.3").write_text(header_page(header, path.read_text(), names))
    print(f"{len(list(out.glob('*.3')))} pages in {out}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1])
