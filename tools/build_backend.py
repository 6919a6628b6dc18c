"""Builds wheels and the source distribution: pip calls the functions without underscore (PEP 517, PEP 660).

    pip install .                                 compiled in build-cp311 (of the Python that runs pip)
    pip install -e .                              the same, and the module stays there; Python files are links
    pip install . -C build-dir=build              in that build folder
    pip install . -C cmake=-DCUPRITE_CUDA=OFF     more for CMake, which configures the build
    pip install . -C compression=1                packed faster: 0 to 9 (the default) as zlib has them
    python tools/build_backend.py sdist FOLDER    the source distribution

tools/wheel passes three more: `part` (cpu, or cuda for a wheel of the plugin alone) and `portable` (the glibc that the
libraries shall run on), which come together, and `python-headers` (of another version of Python, whose wheel it
becomes).

CMake compiles the files and installs components (tools/install.cmake), which are packed.
Wheels hold no links: a library is packed once, under its soname. No wheel is made without the extension for its Python.
"""
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENSES = ("libcfitsio-dev", "wcslib-dev", "libpng-dev", "zlib1g-dev", "libsleef-dev")  # what portable wheels hold


def get_requires_for_build_wheel(config_settings=None):
    """cmake and ninja come from PyPI where the machine has none."""
    return [package for package, program in (("cmake>=3.22", "cmake"), ("ninja", "ninja")) if not shutil.which(program)]


get_requires_for_build_editable = get_requires_for_build_wheel


def _project(part="all"):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    if part == "cuda":
        project |= {"name": project["name"] + "-cuda", "description": "The CUDA plugin of " + project["name"],
                    "dependencies": [f"{project['name']}=={project['version']}"], "optional-dependencies": {},
                    "scripts": {}, "entry-points": {}}
    return project


def _base(project):
    return f"{re.sub('[-_.]+', '_', project['name'])}-{project['version']}"


def _version(settings):
    """(major, minor) of the Python that the wheel is for. A Python without a GIL is refused."""
    headers = settings.get("python-headers")
    if headers:
        text = (pathlib.Path(headers) / "patchlevel.h").read_text()
        return tuple(int(re.search(rf"PY_{n}_VERSION\s+(\d+)", text)[1]) for n in ("MAJOR", "MINOR"))
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise SystemExit("cuprite-array: this Python is free-threaded, which Cuprite does not support; use a Python "
                         "with a GIL (python3.14, not python3.14t)")
    return sys.version_info[:2]


def _tag(settings, part="all"):
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    python = "cp{}{}".format(*_version(settings))
    return f"py3-none-{platform}" if part == "cuda" else f"{python}-{python}-{platform}"


def _metadata(project):
    extras = project.get("optional-dependencies", {})
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License-Expression: {project['license']}", "License-File: LICENSE",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {d}" for d in project["dependencies"]]
    for extra, needs in extras.items():
        lines += [f"Provides-Extra: {extra}", *[f'Requires-Dist: {d} ; extra == "{extra}"' for d in needs]]
    return "\n".join([*lines, "Description-Content-Type: text/markdown"]) + "\n\n" + (
        ROOT / project["readme"]).read_text()


# --- compiling ---

def _screen():
    """Where progress is seen: pip shows nothing that a backend prints, unless it is run with -v."""
    try:
        return open(os.devnull if sys.stdout.isatty() else "/dev/tty", "w")
    except OSError:
        return open(os.devnull, "w")


def _compile(build, target="all"):
    """Runs ninja; a line every tenth of the way, and the last lines where it fails."""
    said, last = -1, []
    command = ["cmake", "--build", build, "--target", target]
    with _screen() as screen, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                               env={**os.environ, "NINJA_STATUS": "[%f/%t] "}) as run:
        for line in run.stdout:
            print(line, end="", flush=True)
            last = [*last[-40:], line]
            step = re.match(r"\[(\d+)/(\d+)\]", line)
            if step and int(step[1]) * 10 // int(step[2]) > said:
                said = int(step[1]) * 10 // int(step[2])
                print(f"\rcuprite: compiled {step[1]} of {step[2]} files", file=screen, flush=True)
    if run.returncode:
        raise SystemExit("cuprite-array: it does not compile:\n" + "".join(last))


def _build_folder(settings):
    """Of a portable wheel one for all Pythons, for only the extension is compiled for each; else one for each."""
    name = "build-cp{}{}".format(*_version(settings))
    if "portable" in settings:
        name = "build-portable" + ("-cuda" if settings.get("part") == "cuda" else "")
    return pathlib.Path(settings.get("build-dir", ROOT / name)).absolute()


def _configure(settings, build, part):
    more = settings.get("cmake", [])
    options = [f"-DPython3_EXECUTABLE={sys.executable}", f"-DCUPRITE_PYTHON={'OFF' if part == 'cuda' else 'ON'}",
               f"-DCUPRITE_PYTHON_HEADERS={settings.get('python-headers', '')}"]
    if "build-dir" not in settings:
        options += ["-DCUPRITE_TESTS=OFF", "-DCUPRITE_STATIC=OFF"]
    if part == "cuda" and not shutil.which("nvcc", path=os.environ["PATH"] + ":/usr/local/cuda/bin"):
        raise SystemExit("cuprite-array-cuda: there is no nvcc in PATH nor in /usr/local/cuda/bin")
    if part != "all" and "build-dir" not in settings:
        options.append(f"-DCUPRITE_CUDA={'ON' if part == 'cuda' else 'OFF'}")
    if "portable" in settings:
        options.append(f"-DCUPRITE_GLIBC={settings['portable']}")
    done = subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-UPython3_*", "-U_Python3_*", *options,
                           *([more] if isinstance(more, str) else more)], capture_output=True, text=True)
    print(done.stdout, done.stderr, flush=True)
    if done.returncode:
        raise SystemExit("cuprite-array: the build cannot be configured.\n" + done.stderr.strip())


def _built(settings, part="all"):
    """Configures and compiles; the build folder."""
    if not shutil.which(os.environ.get("CC") or "cc") or not shutil.which(os.environ.get("CXX") or "c++"):
        raise SystemExit("cuprite-array: there is no C and C++ compiler. On Debian and Ubuntu:\n"
                         "    apt-get install gcc g++")
    build = _build_folder(settings)
    _configure(settings, build, part)
    _compile(build, {"cpu": "portable", "cuda": "portable-cuda"}.get(part, "all"))
    return build


def _install(settings, part, folder):
    build = _built(settings, part)
    strip = [] if part == "all" else ["--strip"]
    components = {"all": ["wheel", "libraries", "cuda"], "cpu": ["wheel", "portable"], "cuda": ["cuda-portable"]}
    for component in components[part]:
        subprocess.run(["cmake", "--install", build, "--prefix", folder, "--component", component, *strip], check=True,
                       stdout=subprocess.DEVNULL)
    _check_contents(settings, part, pathlib.Path(folder))


def _check_contents(settings, part, folder):
    """A wheel without the module, or with that of another Python, installs without a word and fails at import."""
    if part == "cuda":
        wanted, found = ["cuprite/lib/libcuprite-cuda.so"], list(folder.rglob("*.so"))
    else:
        wanted = ["cuprite/_core.cpython-{}{}-".format(*_version(settings))]
        found = list(folder.glob("cuprite/_core*.so"))
    names = [p.relative_to(folder).as_posix() for p in found]
    if len(names) != 1 or not names[0].startswith(wanted[0]):
        raise SystemExit(f"cuprite-array: the wheel would hold {names or 'no library'}, where {wanted[0]} is needed")


# --- packing ---

def _files(folder):
    """(name in the wheel, file): a link is replaced by its target, which then has no other name."""
    paths = [p for p in sorted(folder.rglob("*")) if p.is_symlink() or p.is_file()]
    targets = {p.resolve() for p in paths if p.is_symlink()}
    return [(p.relative_to(folder).as_posix(), p) for p in paths if p.is_symlink() or p.resolve() not in targets]


class _Wheel:
    """A wheel that is being written."""

    def __init__(self, folder, project, tag, compression=9):
        self.compression = compression
        self.name, self.info = f"{_base(project)}-{tag}.whl", f"{_base(project)}.dist-info"
        self.archive = zipfile.ZipFile(pathlib.Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED)
        self.record = []
        for path, text in _information(project, tag).items():
            self.add(f"{self.info}/{path}", text.encode())

    def _write(self, path, data, mode):
        entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
        self.archive.writestr(entry, data, compresslevel=self.compression)

    def add(self, path, data, mode=0o644):
        self._write(path, data, mode)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append((path, f"sha256={digest}", len(data)))

    def close(self):
        lines = io.StringIO()
        csv.writer(lines, lineterminator="\n").writerows([*self.record, (f"{self.info}/RECORD", "", "")])
        self._write(f"{self.info}/RECORD", lines.getvalue(), 0o644)
        self.archive.close()


def _information(project, tag):
    texts = {"METADATA": _metadata(project), "licenses/LICENSE": (ROOT / "LICENSE").read_text(),
             "WHEEL": f"Wheel-Version: 1.0\nGenerator: cuprite\nRoot-Is-Purelib: false\nTag: {tag}\n"}
    points = {"console_scripts": project["scripts"], **project.get("entry-points", {})}
    lines = [f"[{group}]\n" + "".join(f"{name} = {what}\n" for name, what in all_.items())
             for group, all_ in points.items() if all_]
    if lines:
        texts["entry_points.txt"] = "\n".join(lines)
    return texts


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    settings = config_settings or {}
    part = settings.get("part", "all")
    project = _project(part)
    folder = pathlib.Path(metadata_directory) / f"{_base(project)}.dist-info"
    for path, text in _information(project, _tag(settings, part)).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = config_settings or {}
    part = settings.get("part", "all")
    project, tag = _project(part), _tag(settings, part)
    with tempfile.TemporaryDirectory() as folder:
        _install(settings, part, folder)  # before there is a file that could be taken for a wheel
        wheel = _Wheel(wheel_directory, project, tag, int(settings.get("compression", 9)))
        for path, file in _files(pathlib.Path(folder).resolve()):
            wheel.add(path, file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
    if part == "cpu":
        for package in LICENSES:
            license = pathlib.Path("/usr/share/doc") / package / "copyright"
            wheel.add(f"{wheel.info}/licenses/{package}.txt", license.read_bytes())
    wheel.close()
    return wheel.name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel of one line: where the build folder is."""
    settings = config_settings or {}
    project = _project()
    build = _built(settings)
    _check_contents(settings, "all", build / "python")
    wheel = _Wheel(wheel_directory, project, _tag(settings))
    wheel.add("cuprite_array.pth", f"{build / 'python'}\n".encode())
    wheel.close()
    return wheel.name


# --- the source distribution ---

def _sources():
    """What git holds of this folder; of an unpacked source distribution, which git does not hold, all but builds."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode()
        return sorted(filter(None, listed.split("\0")))
    paths = [p.relative_to(ROOT) for p in ROOT.rglob("*") if p.is_file()]
    return sorted(p.as_posix() for p in paths
                  if not re.match(r"build|dist|\.venv|PKG-INFO", p.parts[0]) and "__pycache__" not in p.parts)


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    base = _base(project)

    def anonymous(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in _sources():
            archive.add(ROOT / path, f"{base}/{path}", filter=anonymous)
        data = _metadata(project).encode()
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "sdist":
        sys.exit("usage: build_backend.py sdist FOLDER")
    pathlib.Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    print(pathlib.Path(sys.argv[2]) / build_sdist(sys.argv[2]))
