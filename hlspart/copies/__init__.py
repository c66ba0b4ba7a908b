"""Copies of a program for its analysis alone: calls expanded, structures taken apart. No text is made of them."""

__all__ = ["inline", "members"]
