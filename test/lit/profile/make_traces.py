"""make_traces.py <rewind> <c++> <name>...: traces of other formats."""
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs"))
from traces import Traces

traces = Traces(None, shlex.split(sys.argv[2]), sys.argv[1])
for name in sys.argv[3:]:
    problem = traces.make(name, os.getcwd())
    if problem:
        sys.exit(problem)
