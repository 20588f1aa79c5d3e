"""The format of the .test files: lit's shell tests. None may be left out if
REWIND_REQUIRE_ALL is in the environment. What a test that passed has written goes if it is
large, unless REWIND_KEEP_OUTPUTS is there: all that tests write is some gigabytes."""
import os
import pathlib
import shutil

import lit.formats
import lit.Test
import lit.TestRunner

LARGE = 1 << 20


def wanted(variable):
    return os.environ.get(variable, "0") not in ("", "0")


def bytes_in(path):
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(bytes_in(entry) for entry in path.iterdir())


def remove_outputs(test):
    """Takes %t and all whose names begin so away, if they are large."""
    folder, base = map(pathlib.Path, lit.TestRunner.getTempPaths(test))
    if not folder.is_dir():
        return
    mine = [p for p in folder.iterdir() if p.name.startswith(base.name + ".tmp")]
    try:
        if sum(map(bytes_in, mine)) < LARGE:
            return
    except OSError:  # Something that ends late removes its files.
        pass
    for path in mine:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


class ShellTests(lit.formats.ShTest):
    def execute(self, test, lit_config):
        missing = test.getMissingRequiredFeatures()
        if wanted("REWIND_REQUIRE_ALL") and missing:
            why = "REWIND_REQUIRE_ALL is set, but there is no " + ", ".join(missing)
            return lit.Test.Result(lit.Test.FAIL, why)
        result = super().execute(test, lit_config)
        code = result.code if isinstance(result, lit.Test.Result) else result[0]
        if code is lit.Test.PASS and not wanted("REWIND_KEEP_OUTPUTS"):
            remove_outputs(test)
        return result
