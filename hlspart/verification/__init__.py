"""Two C files -> equal, or the first difference: compiled and run on the same data."""

from hlspart.verification.comparison import VerifyOptions, verify, verify_and_save, verify_many

__all__ = ["VerifyOptions", "verify", "verify_and_save", "verify_many"]
