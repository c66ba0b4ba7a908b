"""Two C files -> equal, or the first difference: compiled and run on the same data."""

from hlspart.verify.comparison import VerifyOptions, verify, verify_and_save, verify_many

__all__ = ["VerifyOptions", "verify", "verify_and_save", "verify_many"]
