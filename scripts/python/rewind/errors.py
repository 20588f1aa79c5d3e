"""What goes wrong."""


class RewindError(Exception):
    """A command failed: the text is what the command says, without "error:"."""


class NotFound(RewindError):
    """There is no program `rewind`, no plugin or no recording to ask."""
