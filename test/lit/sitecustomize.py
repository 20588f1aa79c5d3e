"""Python imports this by itself when it starts as %python of lit.cfg.py.

The runtime of a sanitizer that is loaded before LLDB is for the plugin in this
Python; a program that a test starts from here brings its own, or has none.
"""

import os

os.environ.pop("LD_PRELOAD", None)
