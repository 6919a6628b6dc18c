"""python -m cuprite lesson: lists the lessons, and copies them to a folder.

They lie in the package's folder `lessons`; in a checkout, whose package is links, in the checkout's. A file that is
there already is never changed: it may be what somebody worked on."""
import json
import pathlib
import re
import shutil
import sys

_USAGE = """usage: python -m cuprite lesson                           lists the lessons
       python -m cuprite lesson copy NUMBER [folder]      copies a lesson, with its program in C and its solutions
       python -m cuprite lesson copy all [folder]         copies all of them

The folder is cuprite-lessons by default. Notebooks run in Jupyter, and without it: python -m cuprite NOTEBOOK.ipynb"""


class _LessonError(Exception):
    """What cannot be done; the message is for the user."""


def folder():
    """Where the lessons lie."""
    here = pathlib.Path(__file__)
    for at in (here.parent / "lessons", here.resolve().parents[2] / "lessons"):
        if (at / "workshop.py").is_file():
            return at
    raise _LessonError("this installation has no lessons")


def lessons():
    """(name, title, minutes) of each: ("03_clipping", "kappa-sigma clipping", 15)."""
    found = []
    for path in sorted(folder().glob("[0-9][0-9]_*.ipynb")):
        text = "".join("".join(c["source"]) for c in json.loads(path.read_text(encoding="utf-8"))["cells"][:1])
        found.append((path.stem, re.search(r"^# Lesson \d+: (.*)$", text, re.M)[1],
                      int(re.search(r"^Time: (\d+) minutes", text, re.M)[1])))
    return found


def files(name):
    """What belongs to a lesson, as paths in the folder of lessons: its notebook, its program in C, its solutions, and
    what they share with others."""
    return [f"{name}.ipynb", f"c/{name}.c", f"solutions/{name}.py", "workshop.py", "c/workshop.h"]


def _named(word):
    names = [name for name, _, _ in lessons()]
    if word == "all":
        return names
    found = [n for n in names if word in (n, n.partition("_")[2]) or word.isdecimal() and int(word) == int(n[:2])]
    if not found:
        raise _LessonError(f"there is no lesson {word} (python -m cuprite lesson lists them)")
    return found


def copy(word, to):
    """Copies a lesson or all of them; the paths of what was copied. Files that exist stay as they are."""
    copied = []
    for path in dict.fromkeys(path for name in _named(word) for path in files(name)):
        target = pathlib.Path(to) / path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder() / path, target)
            copied.append(target)
    return copied


def _list():
    for name, title, minutes in lessons():
        print(f"{name[:2]}  {title:45} {minutes:3} minutes")
    print("\npython -m cuprite lesson copy NUMBER [folder]     or: copy all")


def main(given):
    """The exit status: 1 for what cannot be done, 2 for wrong usage."""
    try:
        if not given:
            _list()
        elif given[0] in ("-h", "--help"):
            print(_USAGE)
        elif given[0] == "copy" and len(given) in (2, 3):
            to = given[2] if len(given) == 3 else "cuprite-lessons"
            copied = copy(given[1], to)
            print("\n".join(map(str, copied)) if copied else f"{to} has them already")
        else:
            print(_USAGE, file=sys.stderr)
            return 2
    except (_LessonError, OSError) as e:
        print(f"python -m cuprite: lesson: {e}", file=sys.stderr)
        return 1
    return 0
