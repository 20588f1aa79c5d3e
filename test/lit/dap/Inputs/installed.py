"""Rewind is there without being asked for."""
from protocol import arguments, attach, disconnect

(trace,) = arguments
attach(["rewind load " + trace], [])
disconnect()
