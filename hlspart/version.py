"""The version, for those who must not import the library."""

__version__ = "0.1.0"
