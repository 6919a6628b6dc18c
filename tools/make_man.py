#!/usr/bin/env python3
"""Manual pages of the C functions, from the public headers and the function rows: `man cp_median`.

    tools/make_man.py FOLDER        writes FOLDER/man3/cp_NAME.3, and one page for each header, cuprite_HEADER.3

BUILD is the build folder (`build` by default), whose generated headers are read too.
"""
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
    """Text as roff shows it: backslashes, and lines that would be requests."""
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


def function_page(d, rows, structs):
    row = rows.get(d.name[3:])
    doc = d.comment or (row.row.doc if row else "")
    about = first_sentence(row.row.doc if row else doc) or f"see {d.header}"
    options = next((re.sub(r"CP_OPTION\((.*), (\w+)\)", declared, structs[s]) for s in structs
                    if f"const {s} *options" in d.text), "")
    text = heading(d.name) + f".SH NAME\n{d.name} \\- {escaped(about)}\n.SH SYNOPSIS\n"
    text += f".nf\n#include <{d.header}>\n\n{escaped(d.text)}\n"
    if options:
        first = [p.strip().split(" ")[-1].lstrip("*") for p in re.search(r"\((.*)\)", d.text)[1].split(",")][:-1]
        text += f"\n{escaped(d.name)}({', '.join(first + ['.option = value, ...'])})\n\n{escaped(options)}\n"
    text += f".fi\n.SH DESCRIPTION\n{paragraphs(doc) or escaped(about)}\n"
    if row and d.comment and row.row.doc != d.comment:
        text += f".PP\n{paragraphs(row.row.doc)}\n"
    if result_of(d.text):
        text += f".SH RETURN VALUE\n{escaped(result_of(d.text))}\n"
    if row:
        place = "cuprite." + (row.module + "." if row.module else "") + row.name
        text += f".SH PYTHON\n{escaped(place + '(' + row.text() + ')')}\n"
    return text + f".SH SEE ALSO\n.BR {page_of(d.header)} (3)\n"


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
    rows = {f.name: f for f in reversed(read_functions(Tables(ROOT))) if not f.is_method_only and f.module != "_device"}
    functions, structs = headers.functions(build), headers.structs(build)
    for d in functions.values():
        (out / f"{d.name}.3").write_text(function_page(d, rows, structs))
    for base in headers.folders(build):
        for path in sorted(base.rglob("*.h")):
            header = str(path.relative_to(base))
            names = [d.name for d in functions.values() if d.header == header]
            if names or header == "cuprite.h":
                (out / f"{page_of(header)}.3").write_text(header_page(header, path.read_text(), names))
    print(f"{len(list(out.glob('*.3')))} pages in {out}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
