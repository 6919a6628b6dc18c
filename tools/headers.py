"""Reads the public headers: every function with its declaration, its comment and its header.

Generated headers are read too: `folders` are include/ and BUILD/generated/include. A function's comment ends right
above its declaration (declarations without a blank line between share it) or follows it on the same line.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Declared:
    def __init__(self, name, text, comment, header, own):
        self.name, self.text, self.comment, self.header = name, text, comment, header
        self.own = own  # the comment follows it on its line: no other declaration shares it


def folders(build):
    return [f for f in (ROOT / "include", pathlib.Path(build) / "generated/include") if f.is_dir()]


def plain(comment):
    """A comment's text without its stars."""
    lines = [re.sub(r"^\s*\*? ?", "", line) if i else line for i, line in enumerate(comment.strip().split("\n"))]
    return "\n".join(line.rstrip() for line in lines).strip()


def functions(build):
    """Name -> Declared of every CP_API function, in the headers' order."""
    found = {}
    for folder in folders(build):
        for path in sorted(folder.rglob("*.h")):
            for d in functions_of(path.read_text(), str(path.relative_to(folder))):
                found.setdefault(d.name, d)
    return found


def functions_of(text, header):
    comment, shared = "", False
    pieces = re.compile(r"/\*(?P<comment>.*?)\*/|(?P<declared>^CP_API[^;{]*;)[ "
                        r"\t]*(?:/\*(?P<behind>.*?)\*/)?|(?P<blank>\n[ \t]*\n)"
                        r"|(?P<other>^[^\s/*][^\n]*)", re.S | re.M)
    for m in pieces.finditer(text):
        if m["comment"] is not None:
            line = text[text.rfind("\n", 0, m.start()) + 1:m.start()]
            if not line.strip() and not m["comment"].strip().startswith("---"):
                comment, shared = plain(m["comment"]), True
        elif m["declared"]:
            declared = re.sub(r"\s+", " ", m["declared"].removeprefix("CP_API").strip())
            name = re.search(r"\b(cp_\w+)\)? ?\(", declared)
            if name:
                yield Declared(name[1], declared, plain(m["behind"]) if m["behind"] else comment if shared else "",
                               header, bool(m["behind"]))
        elif m["blank"]:
            shared = False


def structs(build):
    """Name -> text of every struct with options."""
    found = {}
    for folder in folders(build):
        for path in sorted(folder.rglob("*.h")):
            for m in re.finditer(r"^typedef struct (cp_\w+_options) \{.*?^\} \1;", path.read_text(), re.S | re.M):
                found[m[1]] = m[0]
    return found
