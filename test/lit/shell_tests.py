"""The format of the .test files: lit's shell tests, none of which may be left out
if REWIND_REQUIRE_ALL is in the environment."""
import os

import lit.formats
import lit.Test

REQUIRE_ALL = os.environ.get("REWIND_REQUIRE_ALL", "0") not in ("", "0")


class ShellTests(lit.formats.ShTest):
    def execute(self, test, lit_config):
        missing = test.getMissingRequiredFeatures()
        if REQUIRE_ALL and missing:
            why = "REWIND_REQUIRE_ALL is set, but there is no " + ", ".join(missing)
            return lit.Test.Result(lit.Test.FAIL, why)
        return super().execute(test, lit_config)
