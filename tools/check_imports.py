#!/usr/bin/env python3
"""The import graph of python/cuprite has no cycles.

    tools/check_imports.py [FOLDER]      exits 1 if modules import each other at top level, or if more of them
                                         than CIRCLES allows do so by imports inside functions

An edge is an import of one module by another; a package's own file counts only where it is imported by name. Imports in
functions run later, so a cycle of them works, but shows that the modules are one. Imports of and by the package
`cuprite` itself in functions do not count: it exports every name, and imports modules on first use.

Modules of a package that imports some of them itself are imported from it by name, `from cuprite.cuda import memory`,
everywhere outside the package. Of `from cuprite.cuda.memory import alloc` Python locks the module before the package:
a thread that does this and one that imports the package wait for each other, and Python gives one of them a module
without its names.
"""
import ast
import functools
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "cuprite"
# Modules that may be in cycles of imports inside functions. Break a cycle and lower it; never raise it.
CIRCLES = 20
# the parts of a statement that are lists of statements, or of what has such lists (handlers, cases of match)
STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases")


@functools.cache
def tree_of(path):
    return ast.parse(path.read_text())


def module_name(path, top):
    parts = list(path.relative_to(top.parent).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def imports(tree):
    """(node, whether it is inside a function) of every import; imports for type checkers only are excluded. Statements
    are all that is looked at: an expression imports nothing."""
    found, waiting = [], [(tree, False)]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, (ast.Name, ast.Attribute)) \
                and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append((node, inside))
        deeper = inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        waiting += [(child, deeper) for part in STATEMENTS for child in getattr(node, part, ())]
    return found


def targets(node, name, is_package, modules):
    """The modules of the package that an import names."""
    if isinstance(node, ast.Import):
        return {a.name for a in node.names} & modules
    base = node.module or ""
    if node.level:
        parts = name.split(".")[:len(name.split(".")) - node.level + is_package]
        base = ".".join(parts + ([node.module] if node.module else []))
    whole = {f"{base}.{a.name}" for a in node.names}
    rest = [a for a in node.names if f"{base}.{a.name}" not in modules
            and not (base == PACKAGE.name and a.name.startswith("_"))]  # the extension and modules that are generated
    return whole & modules | ({base} & modules if rest else set())


def graph(top):
    """(module -> modules imported at top level, module -> modules imported anywhere)."""
    files = {module_name(p, top): p for p in sorted(top.rglob("*.py"))}
    first, every = {}, {}
    for name, path in files.items():
        first[name], every[name] = set(), set()
        for node, inside in imports(tree_of(path)):
            found = targets(node, name, path.stem == "__init__", set(files)) - {name}
            if not inside or name != top.name:
                every[name] |= found - ({top.name} if inside else set())
            if not inside:
                first[name] |= found
    return first, every


def imports_itself(tree, name):
    """Does the package import modules of its own at top level?"""
    return any(not inside and isinstance(node, ast.ImportFrom) and (node.module or "").startswith(name)
               for node, inside in imports(tree))


def past_packages(top):
    """Imports that lock a module before its package, as text."""
    files = {module_name(p, top): p for p in sorted(top.rglob("*.py"))}
    trees = {name: tree_of(path) for name, path in files.items()}
    packages = [n for n, p in files.items() if p.stem == "__init__" and n != top.name and imports_itself(trees[n], n)]
    for name, tree in trees.items():
        for node, _ in imports(tree):
            for whole in [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]:
                past = [p for p in packages if whole.startswith(p + ".") and not (name + ".").startswith(p + ".")]
                if past:
                    yield f"{files[name]}:{node.lineno}: import {whole} from its package, {past[0]}"


def circles(edges):
    """The strongly connected components of more than one module (Tarjan's algorithm, without recursion)."""
    index, low, stack, found = {}, {}, [], []
    for root in sorted(edges):
        work = [(root, iter(sorted(edges[root])))] if root not in index else []
        if work:
            index[root] = low[root] = len(index)
            stack.append(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    work.append((other, iter(sorted(edges[other]))))
                    break
                if other in stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(sorted(stack[at:]))
                    del stack[at:]
    return found


def main(top=PACKAGE):
    top = pathlib.Path(top).resolve()
    first, every = graph(top)
    wrong = [f"circle of imports at top level: {', '.join(c)}" for c in circles(first)]
    wrong += sorted(past_packages(top))
    later = circles(every)
    count = sum(map(len, later))
    if count != CIRCLES and top == PACKAGE:
        wrong += [f"circle of imports inside functions: {', '.join(c)}" for c in later]
        wrong.append(f"{count} modules stand in circles of imports inside functions; CIRCLES allows {CIRCLES}"
                     + (": lower it" if count < CIRCLES else ""))
    elif later and top != PACKAGE and not wrong:
        print(f"{count} modules in circles of imports inside functions")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
