"""hlspart: memory partitioning for high-level synthesis C, inferred, checked and rewritten."""

__version__ = "0.1.0"
