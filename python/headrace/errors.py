"""The one exception that the command shows to its user as a message, not as a traceback."""


class HeadraceError(Exception):
    """What went wrong and what to do about it, in one or two sentences."""
