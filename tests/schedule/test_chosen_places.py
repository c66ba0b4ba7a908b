"""Elements that are chosen while a loop runs, in arrays with completely partitioned dimensions."""

import math

import pytest
from predicting import loop

LANES = 8


def table(partition, reads=1):
    """Look-ups in a row of its own for each lane, the column by data."""
    looked = " + ".join(f"t[b][(x[n] >> {k}) & 15]" for k in range(reads))
    return f"""void f(const int t[{LANES}][16], const int x[64], int out[64][{LANES}]) {{
{partition}
#pragma HLS ARRAY_PARTITION variable=out dim=2 complete
L:  for (int n = 0; n < 64; n++) {{
#pragma HLS PIPELINE II=1
        for (int b = 0; b < {LANES}; b++) {{
#pragma HLS UNROLL
            out[n][b] = {looked};
        }}
    }}
}}"""


def busiest(bank, reads, ports=2):
    """Cycles that the busiest memory needs, whatever the data, if an access takes a port of all it may reach."""
    taken = {}
    for row in range(LANES):
        for _ in range(reads):
            for place in {bank(row, column) for column in range(16)}:
                taken[place] = taken.get(place, 0) + 1
    return math.ceil(max(taken.values()) / ports)


@pytest.mark.parametrize("reads", [1, 2, 4])
@pytest.mark.parametrize(
    ("partition", "bank"),
    [
        ("#pragma HLS ARRAY_PARTITION variable=t dim=1 complete", lambda r, c: r),
        ("#pragma HLS ARRAY_PARTITION variable=t dim=2 complete", lambda r, c: c),
        ("", lambda r, c: 0),
    ],
)
def test_an_element_by_data_stays_in_the_memory_of_its_row(partition, bank, reads):
    found = loop(table(partition, reads))
    assert found.ii == busiest(bank, reads), found.cause


@pytest.mark.parametrize(("other", "ii"), [(1, 1), (0, 2)])
def test_rows_that_are_memories_of_their_own_do_not_meet(other, ii):
    found = loop(f"""void f(const int x[64], int out[64], int h[2][64]) {{
#pragma HLS ARRAY_PARTITION variable=h dim=1 complete
L:  for (int n = 0; n < 64; n++) {{
#pragma HLS PIPELINE II=1
        out[n] = h[{other}][x[n] & 63] + 1;
        h[0][(x[n] + n) & 63] = n;
    }}
}}""")
    assert found.ii == ii
    if ii is None:
        assert "same element" in (found.cause or "")


def test_a_loop_whose_ii_has_bounds_has_bounds_of_its_latency():
    """They hold what the same loop takes when its user says how iterations meet."""

    def counted(said):
        return loop(f"""void f(const unsigned char x[256], int h[256]) {{
L:  for (int n = 0; n < 256; n++) {{
#pragma HLS PIPELINE II=1
{said}
        h[x[n]] = n, h[x[255 - n]] = 1;
    }}
}}""")

    apart = counted("#pragma HLS DEPENDENCE variable=h type=inter dependent=false")
    near = counted("#pragma HLS DEPENDENCE variable=h type=inter direction=WAW distance=1 dependent=true")
    unsaid = counted("")
    assert unsaid.ii is None and unsaid.bounds == (apart.ii, near.ii) and apart.ii < near.ii
    assert unsaid.latency.min <= apart.latency.min < near.latency.max <= unsaid.latency.max
    assert unsaid.depth is None


@pytest.mark.parametrize("banks", [2, 4, 8])
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("k & 7", lambda k: k & 7),
        ("k % 8", lambda k: k % 8),
        ("k / 2", lambda k: k // 2),
        ("(k * 5) % 8", lambda k: k * 5 % 8),
    ],
)
def test_remainders_and_quotients_of_copies_are_the_numbers_that_they_are(text, number, banks):
    """A loop with the numbers written out is the same loop."""

    def figure(statements):
        found = loop(f"""void f(int a[64], const int b[64]) {{
#pragma HLS ARRAY_PARTITION variable=a cyclic factor={banks}
L:  for (int i = 0; i < 8; i++) {{
#pragma HLS PIPELINE II=1
        {statements}
    }}
}}""")
        assert found.cause is None
        return found.ii, found.depth

    rolled = figure(f"for (int k = 0; k < 16; k++) a[i * 8 + ({text})] += b[i * 4];")
    assert rolled == figure(" ".join(f"a[i * 8 + {number(k)}] += b[i * 4];" for k in range(16)))
    assert rolled[0] == 8 // banks


@pytest.mark.parametrize(("type_", "wraps"), [("unsigned char", True), ("short", False), ("int", False)])
def test_an_index_that_a_conversion_may_wrap_around_is_no_form_of_the_iterators(type_, wraps):
    found = loop(f"""void f(int a[512], const int b[64]) {{
L:  for (int k = 0; k < 64; k++) {{
#pragma HLS PIPELINE II=1
        for (int j = 0; j < 4; j++) a[({type_})(3 * k + 250) + j] += b[k];
    }}
}}""")
    (port,) = (x for x in found.limits if x.kind == "memory-port" and x.array == "a")
    assert ("a[3k + 25" in port.text) is not wraps
