"""Declarations that are the whole arm of an `if`, in C++, get a block; nothing else does."""

import pytest

from hlspart.frontend.implicit import with_blocks
from hlspart.frontend.tokens import lex_line


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("{ if ( c ) int n = 0 ; x = 3 ; }", "{ if ( c ) { int n = 0 ; } x = 3 ; }"),
        ("{ if ( c ) ap_uint < 4 > n = 0 ; x = 3 ; }", "{ if ( c ) { ap_uint < 4 > n = 0 ; } x = 3 ; }"),
        ("{ if ( c ) m < i ; x = 3 ; }", "{ if ( c ) m < i ; x = 3 ; }"),  # the next statement is no part of it
    ],
)
def test_only_declarations_get_a_block(text, after):
    assert " ".join(t.text for t in with_blocks(lex_line(text + " int a; int b;"))).startswith(after)
