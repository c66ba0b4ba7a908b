"""How often a mapping with fewer banks exists than are found, for loops with mixed strides.

    python tests/banking/sat_oracle.py [--count N] [--seed S]

Slow, and needs python-sat: a solver is asked for a mapping of every element with one bank less.
"""

from __future__ import annotations

import argparse

from pysat.card import CardEnc
from pysat.solvers import Cadical153
from test_trace import Form, found_for, most_in_a_bank, rows


def fewer(forms: list[Form], trips: int, banks: int, ports: int) -> bool:
    """Whether some mapping has so many banks."""
    number = {x: k for k, x in enumerate(sorted(set().union(*rows(forms, trips))))}
    top = len(number) * banks
    with Cadical153() as solver:
        for k in number.values():
            solver.add_clause([k * banks + b + 1 for b in range(banks)])
        for row in rows(forms, trips):
            for b in range(banks):
                held = [number[x] * banks + b + 1 for x in row]
                if len(held) > ports:
                    limit = CardEnc.atmost(held, ports, top_id=top)
                    top = max(top, limit.nv)
                    for clause in limit.clauses:
                        solver.add_clause(clause)
        return bool(solver.solve())


def main() -> None:
    """Print the patterns with fewer banks, and their share; exit 1 above 5 %."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=270)
    parser.add_argument("--seed", type=int, default=5000)
    asked = parser.parse_args()
    patterns = [(seed, ports) for seed in range(asked.seed, asked.seed + asked.count) for ports in (1, 2)]
    worse = 0
    for seed, ports in patterns:
        found, forms, trips = found_for(seed, ports)
        assert most_in_a_bank(found.layout, forms, trips) <= ports
        if found.banks > 1 and fewer(forms, trips, found.banks - 1, ports):
            worse += 1
            print(f"seed {seed}, {ports} ports: fewer than {found.banks} banks for {forms}, {trips} iterations")
    print(f"{worse} of {len(patterns)} patterns have fewer banks")
    raise SystemExit(worse > 0.05 * len(patterns))


if __name__ == "__main__":
    main()
