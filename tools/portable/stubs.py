"""Makes what libraries are linked with that shall run on an older glibc than this machine's.

    stubs.py FOLDER 2.28 [ARCHIVE...]

A symbol of glibc is bound, when a library is linked, to the newest version that the linker sees. The stubs that lie in
FOLDER afterwards have glibc's symbols in the last version that is not later than the given one; glibc keeps such
versions for ever, so what is linked with them (-L FOLDER) runs here and on all glibc since. A function that had no
version by then is not there, and a link that needs it fails, but for those that old_glibc.c defines.

The archives are copied, and their references to the C library's streams renamed (archives.c says why).
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
STREAMS = ("stdin", "stdout", "stderr")
# Libraries whose functions have been in libc.so.6 since glibc 2.34, by the beginnings of the functions' names.
OLD_HOMES = {"libpthread.so.0": ("pthread_", "sem_"), "libdl.so.2": ("dl",)}
ROW = re.compile(r" (\d+) (FUNC|IFUNC|OBJECT) +(?:GLOBAL|WEAK) +\w+ +(\w+) (\w+)@+GLIBC_([0-9.]+)$", re.M)


def number(version):
    return tuple(int(n) for n in version.split("."))


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library, limit):
    """{name of a library: {symbol: (version, size of data; 0 for a function)}} of those that are old enough."""
    found = {}
    for size, kind, section, name, version in ROW.findall(output("readelf", "--dyn-syms", "-W", library)):
        v = number(version)
        if section == "UND" or v > limit:
            continue
        home = next((h for h, starts in OLD_HOMES.items() if name.startswith(starts)), library.name)
        before = found.setdefault(home, {}).get(name)
        if not before or before[0] < v:
            found[home][name] = v, int(size) if kind == "OBJECT" else 0
    return found


def write_stub(folder, library, names):
    versions, text = {}, []
    for name, (version, size) in sorted(names.items()):
        versions.setdefault(version, []).append(name)
        body = f".data\n.balign 16\n{name}: .zero {size}" if size else f".text\n{name}: ret"
        kind = "object" if size else "function"
        text.append(f".globl {name}\n.type {name}, @{kind}\n{body}\n.size {name}, . - {name}\n")
    source, script = folder / f"{library}.s", folder / f"{library}.map"
    source.write_text("".join(text) + '.section .note.GNU-stack,"",@progbits\n')
    script.write_text("".join("GLIBC_" + ".".join(map(str, v)) + " { " + "; ".join(names) + "; };\n"
                              for v, names in sorted(versions.items())))
    subprocess.run(["gcc", "-shared", "-nostdlib", source, "-o", folder / library, f"-Wl,-soname,{library}",
                    f"-Wl,--version-script={script}"], check=True)


def write_scripts(folder):
    """What -lc and -lm find: the C library was three libraries."""
    others = " ".join(f"{folder}/{name}" for name in OLD_HOMES)
    nonshared = output("gcc", "-print-file-name=libc_nonshared.a").strip()
    loader = output("gcc", "-print-file-name=ld-linux-x86-64.so.2").strip()
    (folder / "libc.so").write_text(f"GROUP ( {folder}/old_glibc.a AS_NEEDED ( {others} ) {folder}/libc.so.6 "
                                    f"{nonshared} AS_NEEDED ( {loader} ) )\n")
    (folder / "libm.so").write_text(f"INPUT ( AS_NEEDED ( {folder}/libm.so.6 ) )\n")


def main(folder, limit, archives):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("libc.so.6", "libm.so.6"):
        path = pathlib.Path(output("gcc", f"-print-file-name={name}").strip())
        for library, names in symbols(path, number(limit)).items():
            write_stub(folder, library, names)
    write_scripts(folder)
    for name in ("old_glibc", "archives"):
        subprocess.run(["gcc", "-c", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", HERE / f"{name}.c",
                        "-o", folder / f"{name}.o"], check=True)
    subprocess.run(["ar", "rcs", folder / "old_glibc.a", folder / "old_glibc.o"], check=True)
    for archive in archives:
        renamed = [f"--redefine-sym={s}=cpi_archive_{s}" for s in STREAMS]
        subprocess.run(["objcopy", *renamed, archive, folder / archive.name], check=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).absolute(), sys.argv[2], [pathlib.Path(a) for a in sys.argv[3:]])
