"""alone.py <build>: whether each source file includes all that it uses of Rewind. Files
are built in batches, in which one may live on what another includes; with ccache they
are not, nor in the next batch that somebody's new file makes. What nearly all include of
LLVM and of the standard library is compiled once, before."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

build = sys.argv[1]
ROOMS = "core", "commands", "plugin", "scripts/recorder"
# These are given by CMake for one target each.
GIVEN = "REWIND_VERSION", "REWIND_SOURCE_DIR", "REWIND_FORMATS"


def common_headers():
    with open("cmake/Rewind.cmake") as file:
        told = re.search(r"target_precompile_headers\(\$\{name\} PRIVATE(.*?)\)", file.read(), re.S)
    return re.findall(r"<.*?>", told.group(1))


def generated_folders():
    """Where the build has made something to include."""
    for folder, _, names in os.walk(build):
        if "/CMakeFiles" not in folder and any(name.endswith((".def", ".inc", ".h")) for name in names):
            yield folder


def sources():
    for room in ROOMS:
        for folder, _, names in os.walk(room):
            yield from (os.path.join(folder, name) for name in names if name.endswith(".cpp"))


with tempfile.TemporaryDirectory() as work:
    common = os.path.join(work, "common")
    with open(common + ".h", "w") as file:
        file.writelines("#include %s\n" % header for header in common_headers())
    command = ["clang++-22", "-std=c++20", "-fno-rtti", "-w", "-D_GNU_SOURCE", "-isystem", "/usr/lib/llvm-22/include", "-I."]
    command += ["-D%s=\"\"" % name for name in GIVEN]
    command += ["-I" + folder for folder in generated_folders()]
    subprocess.run([*command, "-x", "c++-header", common + ".h", "-o", common + ".pch"], check=True)

    def check(source):
        done = subprocess.run([*command, "-fsyntax-only", "-include-pch", common + ".pch", source], stderr=subprocess.PIPE, text=True)
        return done.returncode and done.stderr

    files = sorted(sources())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [problem for problem in pool.map(check, files) if problem]
    sys.stderr.writelines(problems)
    print("%d files: %d lack something" % (len(files), len(problems)))
    sys.exit(bool(problems))
