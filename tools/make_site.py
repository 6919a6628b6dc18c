#!/usr/bin/env python3
"""The site: pages of docs/, the C API by header and the Python API by chapter, from the headers and the docstrings.

    PYTHONPATH=build/python tools/make_site.py FOLDER            `make docs` calls it; FOLDER/site is the site
    PYTHONPATH=build/python tools/make_site.py --pages FOLDER    its pages as Markdown alone, without mkdocs

Pages are Markdown in FOLDER/site-pages, which mkdocs converts to HTML; nothing here writes HTML. mkdocs stops at a
broken link. The site needs no server and no network: code is highlighted when the site is made, and the search
(site_search.js) is a script with an embedded index, since a page opened as a file may not fetch one. tools/check_site
looks at the result, in a browser too. Invariant: each public name of the package is in one chapter.
"""
import importlib
import inspect
import json
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import textwrap

from pygments.formatters import HtmlFormatter

import cuprite as cp

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "generate")]
from functions import read_functions  # noqa: E402
from table import Tables  # noqa: E402

# Chapters of cuprite's own names: title, modules with their rows, Python modules that define them, single names.
CHAPTERS = [
    ("Making arrays", [], ["_pinned"],
     "empty zeros ones eye full empty_like zeros_like ones_like full_like arange linspace logspace array asarray "
     "asanyarray ascontiguousarray asfortranarray asarray_chkfinite copy copyto fromfunction fromiter identity tri "
     "tril triu vander diag diagflat meshgrid from_dlpack fromDlpack asnumpy require indices"),
    ("Shapes and joining", ["shape"], ["_pad", "lib.array_utils"],
     "ndim size shape split array_split hsplit vsplit dsplit block insert delete trim_zeros rot90 row_stack unstack "
     "append resize tile roll repeat vstack hstack dstack column_stack atleast_1d atleast_2d atleast_3d "
     "broadcast broadcast_arrays iterable isfortran packbits unpackbits"),
    ("Indexing", ["index", "ufunc_methods"], ["_index_tricks", "_scatter"], "extract fill_diagonal"),
    ("Element by element", ["elementwise"], ["_cupyx"],
     "round around round_ nan_to_num isposinf isneginf isreal iscomplex real_if_close unwrap array_equiv isscalar "
     "iscomplexobj isrealobj may_share_memory shares_memory piecewise"),
    ("Ufuncs", [], [], "ufunc"),
    ("Sums, means and statistics", ["reduce", "scan", "statistics"], ["_histograms"],
     "median average ptp diff ediff1d gradient trapezoid trace sigma_clip sigma_clip_stats apply_along_axis "
     "apply_over_axes"),
    ("Sorting and sets", ["sort"], [], "in1d union1d intersect1d setdiff1d setxor1d sort_complex msort unique_all "
     "unique_counts unique_inverse unique_values"),
    ("Products", ["products", "matrices"], [], "outer einsum einsum_path"),
    ("Convolution and windows", ["signal", "windows"], [], "bartlett blackman hamming hanning kaiser"),
    ("Filters of images", ["filters"], [], ""),
    ("Polynomials", [], ["_polynomials"], ""),
    ("Files and printing", ["io"], ["_files", "_printing"], ""),
    ("Types", [], ["_type_names", "_dtypes", "_array_api"], "result_type can_cast promote_types astype"),
    ("Kernels of your own", [], ["_raw", "_compiler.kernels", "_gufunc", "_compiler.fuse.fusion",
                                 "_compiler.fuse.expression", "_memo"], ""),
    ("Old names", [], ["_old_names"], ""),
]
# The pages of these modules include the names of their submodules.
MODULES = ["linalg", "fft", "random", "polynomial", "lib", "scipy", "cuda", "distributed", "jit", "numba", "io",
           "profiler", "signal", "testing"]
# The texts of the lessons: title by page of the site.
LESSONS = [(p.read_text().partition("\n")[0].removeprefix("# "), f"lessons/{p.name}")
           for p in sorted((ROOT / "lessons" / "text").glob("*.md"))]
# The written pages in the order of the table of contents, title by file of docs; those at its end come from the root.
PAGES = [
    ("Start", "index.md"), ("Quickstart", "quickstart.md"), ("Installing", "install.md"),
    ("Lessons", [("List", "lessons.md"), *LESSONS]),
    ("Guide", [
        ("Contents", "python.md"), ("Arrays", "guide/arrays.md"), ("Devices, memory, streams", "guide/devices.md"),
        ("Kernels of your own", "guide/kernels.md"), ("Random numbers", "guide/random.md"),
        ("Linear algebra, transforms", "guide/linalg.md"), ("Images", "guide/images.md"),
        ("Signals", "guide/signals.md"), ("Interpolation", "guide/interpolation.md"), ("Points", "guide/points.md"),
        ("Statistics", "guide/statistics.md"),
        ("Sparse matrices", "guide/sparse.md"), ("Files", "guide/files.md"),
        ("Other libraries", "guide/interoperation.md"), ("Dask", "dask.md"), ("Performance", "guide/performance.md"),
        ("Profiling", "profiling.md")]),
    ("Coming from elsewhere", [
        ("From NumPy", "from-numpy.md"), ("From CuPy", "from-cupy.md"), ("From Numba", "from-numba.md"),
        ("What is there of CuPy", "coverage.md"), ("Glossary", "glossary.md")]),
    ("C", [("Tutorial", "c-tutorial.md"), ("Files in C", "io.md")]),
    ("The command", "cli.md"), ("Several devices", "distributed.md"),
    ("Scaling", "scaling.md"), ("Environment variables", "environment.md"),
]
ABOUT = [("Architecture", "architecture.md"), ("Lazy evaluation", "lazy.md"), ("Releasing", "releasing.md")]
CLOSING = {"CONTRIBUTING.md": "Contributing", "CHANGELOG.md": "Changes", "SECURITY.md": "Security",
           "CODE_OF_CONDUCT.md": "Code of conduct"}


# --- Markdown ---
def escaped(text):
    """Text that shows as it is written, but for `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if i % 2 else re.sub(r"([\\*_<>\[\]|#])", r"\\\1", p) for i, p in enumerate(parts))


def markdown(doc):
    """A docstring: paragraphs, its sections as lists, what is indented as code."""
    out, inside, examples = [], None, []
    for line in doc.split("\n"):
        section = re.match(r"(Parameters|Result|Errors|NumPy|Example):(.*)", line)
        if section:
            inside = section[1]
            rest = section[2].strip()
            out += ["", f"**{inside}**" + (f" {escaped(rest)}" if rest else "\n")]
        elif inside == "Example":
            examples.append(line[4:])
        elif inside == "Parameters" and (item := re.match(r"    (\*{0,2}\w+): (.*)", line)):
            out.append(f"* `{item[1]}`: {escaped(item[2])}")
        elif inside:
            out.append(("  " if inside == "Parameters" else "") + escaped(line.strip()))
        elif line.startswith("    "):
            out.append(line)
        else:
            out.append(escaped(line))
    if examples:  # the last section
        out += ["", "```pycon", *"\n".join(examples).strip().split("\n"), "```"]
    return "\n".join(out)


def signature(x, name):
    try:
        text = str(inspect.signature(x).replace(return_annotation=inspect.Signature.empty))
    except (ValueError, TypeError):
        return name
    text = name + re.sub(r"<class '([\w.]+)'>", lambda m: m[1], re.sub(r"<(?!class)([^<>]*)>", "...", text))
    return textwrap.fill(text, 88, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def members(x):
    """A class's own, and those of the bases that are made of rows for it."""
    return {name: value for base in reversed(x.__mro__)
            if base is x or base.__module__ == "cuprite.random._distributions" for name, value in vars(base).items()}


def entry(name, x, level="##"):
    doc = inspect.getdoc(x) or ""
    if isinstance(x, cp.ufunc):  # its signature begins the docstring
        doc = doc.partition("\n\n")[2]
    shown = "" if isinstance(x, property) or not callable(x) else \
        f"```python\n{signature(x, name.split('.')[-1])}\n```\n\n"
    text = f"{level} {escaped(name)}\n\n{shown}{markdown(doc)}\n\n"
    if inspect.isclass(x) and not issubclass(x, BaseException):
        for member, value in sorted(members(x).items()):
            value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            if not member.startswith("_") and (inspect.isroutine(value) or inspect.isdatadescriptor(value)) \
                    and inspect.getdoc(value):
                text += entry(f"{name}.{member}", value, level + "#")
    return text


# --- chapters ---
def is_ours(x):
    return isinstance(x, cp.ufunc) or (getattr(x, "__module__", None) or "").startswith("cuprite")


def public(module):
    return {n: getattr(module, n) for n in dir(module) if not n.startswith("_")}


def chapters():
    """Title -> name -> object, of the package's own names."""
    subject = {}
    for f in read_functions(Tables(ROOT)):
        if not f.module and not f.is_method_only:
            subject.update({n: f.group for n in [f.name] + f.also})
    named = {n: title for title, _, _, names in CHAPTERS for n in names.split()}
    by_subject = {r: title for title, subjects, _, _ in CHAPTERS for r in subjects}
    by_module = {"cuprite." + m: title for title, _, modules, _ in CHAPTERS for m in modules}
    found = {title: {} for title, *_ in CHAPTERS}
    found["Devices and the rest"] = {}
    for name, x in public(cp).items():
        if inspect.ismodule(x) or not callable(x) or not is_ours(x) or name == "ndarray":
            continue
        ufunc = "Ufuncs" if isinstance(x, cp.ufunc) else None
        title = named.get(name) or ufunc or by_subject.get(subject.get(name)) or by_module.get(x.__module__) or \
            "Devices and the rest"
        found[title][name] = x
    return found


def submodules(module):
    yield module
    for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if not found.name.startswith("_"):
            yield from submodules(importlib.import_module(f"{module.__name__}.{found.name}"))


def module_page(name):
    text, seen = "", set()
    for module in submodules(importlib.import_module("cuprite." + name)):
        names = getattr(module, "__all__", None) or [
            n for n, x in public(module).items() if not inspect.ismodule(x) and (
                getattr(x, "__module__", None) == module.__name__ or hasattr(module, "__path__") and is_ours(x))]
        part = ""
        for n in sorted(names):
            x = getattr(module, n)
            if callable(x) and id(x) not in seen and is_documented(x):
                seen.add(id(x))
                part += entry(n, x, "###")
        doc = markdown(inspect.getdoc(module) or "")
        if part or module.__name__ == "cuprite." + name:
            text += f"#{'#' if text else ''} {escaped(module.__name__)}\n\n{doc}\n\n{part}"
    return text


def is_documented(x):
    return not inspect.ismodule(x) and bool(inspect.getdoc(x)) and (
        is_ours(x) or type(x).__module__.startswith("cuprite") or inspect.isbuiltin(x))


# --- pages ---
def place(source):
    """Where a file of the tree lies in the site's pages; None of one that is no page of it."""
    made = {"README.md": "index.md", "docs/api.md": "c/contents.md", "docs/python-reference.md": "python-api/index.md"}
    if source in made or source in CLOSING:
        return made.get(source) or source.lower()
    if re.fullmatch(r"lessons/text/\w+\.md", source):
        return source.replace("text/", "")
    is_ours = source.startswith("docs/") and source.endswith((".md", ".png", ".svg")) and (ROOT / source).is_file()
    return source.removeprefix("docs/") if is_ours else None


def linked(text, source):
    """The text of a file of the tree with its links between pages for the site; links to other files are removed."""
    def link(m):
        if m[0].startswith("`") or re.match(r"\w+:|#", m[2]):
            return m[0]
        path, _, anchor = m[2].partition("#")
        to = place(os.path.normpath(os.path.join(os.path.dirname(source), path)))
        if to is None:
            return f"`{os.path.normpath(os.path.join(os.path.dirname(source), path))}`"
        return f"[{m[1]}]({os.path.relpath(to, os.path.dirname(place(source)))}{'#' + anchor if anchor else ''})"
    return re.sub(r"```.*?^```$|\[([^\]]*)\]\(([^)\s]*)\)", link, text, flags=re.M | re.S)


DECLARED = re.compile(r"^(?!#|typedef|\*|/)\w[\w \*]*?\b(cp_\w+)\(", re.M)


def by_function(code):
    """The code of a header in pieces, each with the functions of one comment, whose anchors stand before it."""
    pieces, last = [], ""
    for part in re.split(r"(?<=\n)(?=/\*|typedef|\n)", code):
        if DECLARED.search(last) and not part.strip().startswith("#"):
            pieces.append(last)
            last = ""
        last += part
    return "\n".join("".join(f'<div id="{name}"></div>\n' for name in dict.fromkeys(DECLARED.findall(piece))) +
                     f"\n```c\n{piece.strip(chr(10))}\n```\n" for piece in [*pieces, last] if piece.strip())


def c_pages():
    """docs/api.md by header."""
    parts = re.split(r"^## (\S+\.h)$", (ROOT / "docs" / "api.md").read_text(), flags=re.M)
    pages = {}
    for name, body in zip(parts[1::2], parts[2::2]):
        body = re.sub(r"^```c\n(.*?)^```$", lambda m: by_function(m[1]), body, flags=re.M | re.S)
        body = re.sub(r"^\| `(cp_\w+)\(", r'| <a id="\1"></a>`\1(', body, flags=re.M)  # a row of a table
        pages[f"{name[:-2]}.md"] = name, f"# {name}\n{body}"
    listed = "".join(f"* [{name}]({page}): {first_line(text)}\n" for page, (name, text) in pages.items())
    return {"contents.md": ("Contents", parts[0].strip() + "\n\n" + listed), **pages}


def first_line(text):
    return escaped(re.split(r"(?<=[.:;])\s", text.split("\n", 2)[2].strip())[0].replace("\n", " ").rstrip(":;"))


def search_entries(path, text):
    """(title, address, text) of a page's sections; anchors are made as Markdown's extension toc makes them."""
    url, seen = path.removesuffix(".md") + ".html", {}
    parts = re.split(r"^(#{1,4} .*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), flags=re.M)
    for heading, body in zip(parts[1::2], parts[2::2]):
        title = re.sub(r"\\(.)", r"\1", heading.lstrip("# ")).replace("`", "")
        slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())
        seen[slug] = seen.get(slug, -1) + 1
        anchor = slug + (f"_{seen[slug]}" if seen[slug] else "")
        body = re.sub(r"<div[^>]*></div>|<!--.*?-->|\]\([^)]*\)|\\|`", "", body, flags=re.S)
        yield title, f"{url}#{anchor}", " ".join(re.sub(r"[*|#\[\]]|---+", " ", body).split())[:300]
    for names, code in re.findall(r"((?:^<div id=\"\w+\"></div>\n)+)\n```c\n(.*?)^```$", text, re.M | re.S):
        comment = " ".join(re.findall(r"^/\*(.*?)\*/", code, re.M | re.S)).replace("\n *", " ").replace("`", "")
        about = " ".join(comment.split())[:300]
        yield from ((name, f"{url}#{name}", about) for name in re.findall(r'id="(\w+)"', names))
    for name, about in re.findall(r'^\| <a id="(\w+)"></a>[^|]*\| (.*) \|$', text, re.M):
        yield name, f"{url}#{name}", about.replace("\\", "").replace("`", "")


def guides():
    """The written pages of docs, which are all but those made of headers, rows and names."""
    made = {"docs/api.md", "docs/python-reference.md"}
    return [name for p in sorted((ROOT / "docs").rglob("*.md")) if (name := str(p.relative_to(ROOT))) not in made]


def contents(pages, folder, depth=1):
    """Lines of the table of contents, in mkdocs' notation, of the pages that exist."""
    for title, page in pages:
        if isinstance(page, list):
            yield "  " * depth + f"- {json.dumps(title)}:"
            yield from contents(page, folder, depth + 2)
        elif (folder / page).exists():
            yield "  " * depth + f"- {json.dumps(title)}: {page}"


def write(folder):
    pages = folder / "site-pages"
    listed = []  # the site's table of contents, in mkdocs' notation

    index = []  # of the search: title, page and anchor, text

    def put(path, text):
        index.extend(search_entries(path, text))
        path = pages / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    for source in ["README.md", *CLOSING, *guides(), *(page.replace("/", "/text/") for _, page in LESSONS)]:
        put(place(source), linked((ROOT / source).read_text(), source))
    for image in sorted((ROOT / "docs").rglob("*.png")) + sorted((ROOT / "docs").rglob("*.svg")):
        to = pages / image.relative_to(ROOT / "docs")
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(image.read_bytes())
    listed += contents(PAGES, pages)
    listed.append("  - Python API:")
    overview = "# The Python API\n\n"
    for title, names in chapters().items():
        page = re.sub(r"\W+", "-", title.lower()) + ".md"
        put(f"python-api/{page}", f"# {title}\n\n" + "".join(entry(n, x) for n, x in sorted(names.items())))
        listed.append(f"      - {json.dumps(title)}: python-api/{page}")
        overview += f"* [{title}]({page}): {', '.join(f'`{n}`' for n in sorted(names))}\n"
    put("python-api/ndarray.md", entry("ndarray", cp.ndarray, "#"))
    listed.append("      - ndarray: python-api/ndarray.md")
    overview += "* [ndarray](ndarray.md)\n"
    for name in MODULES:
        put(f"python-api/{name}.md", module_page(name))
        listed.append(f"      - cuprite.{name}: python-api/{name}.md")
        overview += f"* [cuprite.{name}]({name}.md)\n"
    put("python-api/index.md", overview)
    listed.append("      - Contents: python-api/index.md")
    listed.append("  - C API:")
    for page, (title, text) in c_pages().items():
        put(f"c/{page}", text)
        listed.append(f"      - {title}: c/{page}")
    listed += contents([("About", ABOUT + [(title, name.lower()) for name, title in CLOSING.items()])], pages)
    (pages / "search_index.js").write_text("const SEARCH = " + json.dumps(index) + ";\n")
    (pages / "search.js").write_text((ROOT / "tools/site_search.js").read_text())
    (pages / "site.css").write_text((ROOT / "tools/site.css").read_text() +
                                    HtmlFormatter(style="default").get_style_defs(".codehilite") + "\n")
    (folder / "mkdocs.yml").write_text(
        "site_name: Cuprite\ndocs_dir: site-pages\nsite_dir: site\nuse_directory_urls: false\n"
        "theme: {name: readthedocs, highlightjs: false}\nplugins: []\n"
        "extra_javascript: [search_index.js, search.js]\nextra_css: [site.css]\n"
        "validation:\n  links: {not_found: warn, anchors: info, unrecognized_links: warn}\n"
        "markdown_extensions:\n  - tables\n  - fenced_code\n  - codehilite: {guess_lang: false}\n"
        "  - toc: {toc_depth: 3}\n"
        "nav:\n" + "\n".join(listed) + "\n")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--pages"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    folder = pathlib.Path(arguments[0]).resolve()
    write(folder)
    if "--pages" in sys.argv:
        return
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--clean", "--config-file",
                           str(folder / "mkdocs.yml")], env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    if done.returncode == 0:
        (folder / "site/404.html").unlink()  # its addresses begin at a server's root
        print(f"{len(list((folder / 'site').rglob('*.html')))} pages: {folder / 'site' / 'index.html'}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
