"""``python -m hlspart``."""

from hlspart.cli import main

main()
