"""Builds the wheel: pip calls the functions without underscore (PEP 517).

    pip install .                                a build in build-wheel, for the Python that runs pip
    pip install . --config-settings=build-dir=build   with an existing build folder
    pip install . -C cmake=-DCUPRITE_CUDA=OFF    more for CMake, which configures the build

CMake compiles and installs the files (component `wheel` of tools/install.cmake); here they are packed. Wheels hold no
links: a library is packed once, under its soname.
"""
import base64
import csv
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def get_requires_for_build_wheel(config_settings=None):
    """cmake and ninja come from PyPI where the machine has none."""
    return [package for package, program in (("cmake>=3.22", "cmake"), ("ninja", "ninja")) if not shutil.which(program)]


def _project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}{getattr(sys, 'abiflags', '')}-{platform}"


def _metadata(project):
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License-Expression: {project['license']}", "License-File: LICENSE",
             f"Requires-Python: {project['requires-python']}",
             *[f"Requires-Dist: {d}" for d in project["dependencies"]], "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text()


def _built(settings, folder):
    """Compiles, and installs the package in `folder`."""
    build = pathlib.Path(settings.get("build-dir", ROOT / "build-wheel")).absolute()
    more = settings.get("cmake", [])
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", f"-DPython3_EXECUTABLE={sys.executable}",
                    *([] if "build-dir" in settings else ["-DCUPRITE_TESTS=OFF"]),
                    *([more] if isinstance(more, str) else more)],
                   check=True)
    subprocess.run(["cmake", "--build", build], check=True)
    subprocess.run(["cmake", "--install", build, "--prefix", folder, "--component", "wheel"], check=True)


def _files(folder):
    """(name in the wheel, file): a link is replaced by its target, which then has no other name."""
    paths = [p for p in sorted(folder.rglob("*")) if p.is_symlink() or p.is_file()]
    targets = {p.resolve() for p in paths if p.is_symlink()}
    return [(p.relative_to(folder).as_posix(), p) for p in paths if p.is_symlink() or p.resolve() not in targets]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _project()
    info = f"{project['name']}-{project['version']}.dist-info"
    name = f"{project['name']}-{project['version']}-{_tag()}.whl"
    texts = {"METADATA": _metadata(project), "licenses/LICENSE": (ROOT / "LICENSE").read_text(),
             "WHEEL": f"Wheel-Version: 1.0\nGenerator: cuprite\nRoot-Is-Purelib: false\nTag: {_tag()}\n",
             "entry_points.txt": "[console_scripts]\n" + "".join(f"{n} = {f}\n" for n, f in project["scripts"].items())}
    record = []
    with tempfile.TemporaryDirectory() as folder, \
            zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(path, data, mode=0o644):
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append((path, f"sha256={digest}", len(data)))

        _built(config_settings or {}, folder)
        for path, file in _files(pathlib.Path(folder).resolve()):
            add(path, file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
        for path, text in texts.items():
            add(f"{info}/{path}", text.encode())
        lines = io.StringIO()
        csv.writer(lines, lineterminator="\n").writerows([*record, (f"{info}/RECORD", "", "")])
        wheel.writestr(f"{info}/RECORD", lines.getvalue())
    return name


def build_sdist(sdist_directory, config_settings=None):
    """What git holds of this folder."""
    project = _project()
    base = f"{project['name']}-{project['version']}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode()
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for path in filter(None, listed.split("\0")):
            archive.add(ROOT / path, f"{base}/{path}")
        data = _metadata(project).encode()
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"
