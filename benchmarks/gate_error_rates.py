"""Measure how often the gate errs: it compares simulated rounds by the rule that it ships.

Usage: gate_error_rates.py [--trials N] [--processes N]

Prints a table in Markdown, then each goal beside what was found. The limit is 5 %, session_noise
its default. The same trials give the same table. The exit status is 1 when a goal is not met.
"""

from __future__ import annotations

import argparse
import math
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from multiprocessing import Pool

import numpy as np
import numpy.typing as npt

from pytest_npuperf.judge.comparison import ALPHA, Outcome, Rule, compare
from pytest_npuperf.model.cases import LOOKS as LATER_LOOKS

MAX_REGRESSION, SESSION_NOISE = 0.05, 0.03
ROUNDS = 5  # of each stored session, and of now at the first look
LOOKS = (ROUNDS, *LATER_LOOKS)
CHANGES = (0.0, 0.03, 0.05, 0.08, 0.10, 0.20)
SESSION_NOISES = (0.0, 0.015, 0.03)
SESSIONS = (0, 1, 5, 10)  # stored; none is an interleaved A/B
TRIALS = 4000

Logs = npt.NDArray[np.float64]
"""Logarithms of times: noise adds up."""
Noise = Callable[[np.random.Generator, tuple[int, ...]], Logs]


def spread(cv: float) -> Noise:
    """Return noise with a coefficient of variation."""
    return lambda random, shape: random.normal(0, cv, shape)


def outliers(random: np.random.Generator, shape: tuple[int, ...]) -> Logs:
    """Return noise in which 8 % of the rounds take 20 to 60 % longer."""
    longer = np.log(random.uniform(1.2, 1.6, shape)) * (random.random(shape) < 0.08)
    return random.normal(0, 0.02, shape) + np.asarray(longer, dtype=np.float64)


def two_clocks(random: np.random.Generator, shape: tuple[int, ...]) -> Logs:
    """Return noise in which 30 % of the rounds are 8 % slower."""
    slower = math.log(1.08) * (random.random(shape) < 0.3)
    return random.normal(0, 0.02, shape) + np.asarray(slower, dtype=np.float64)


NOISES: Mapping[str, Noise] = {
    "CV 1 %": spread(0.01),
    "CV 2 %": spread(0.02),
    "CV 5 %": spread(0.05),
    "CV 2 %, outliers": outliers,
    "CV 2 %, two clock states": two_clocks,
}


@dataclass(frozen=True)
class Cell:
    """One simulated situation."""

    noise: str
    session_noise: float
    sessions: int
    change: float


@dataclass(frozen=True)
class Rates:
    """What became of the trials of a cell: shares of them, and the rounds that one took."""

    worse: float
    undecided: float
    rounds: float


# --- simulating -------------------------------------------------------------------------------


def simulate(cell: Cell, trials: int) -> Rates:
    """Return how the trials of a cell ended."""
    random = np.random.default_rng(zlib.crc32(repr(cell).encode()))
    trial = _interleaved if cell.sessions == 0 else _stored
    ends = list(trial(cell, trials, random))
    outcomes = [outcome for outcome, _ in ends]
    return Rates(
        outcomes.count("worse") / trials,
        outcomes.count("undecided") / trials,
        sum(rounds for _, rounds in ends) / trials,
    )


def _stored(cell: Cell, trials: int, random: np.random.Generator) -> Iterator[tuple[Outcome, int]]:
    """Compare a session with stored ones; only it can be asked for more rounds."""
    kept = _times(cell, random, (trials, cell.sessions), ROUNDS).tolist()
    now = (_times(cell, random, (trials, 1), max(LOOKS)) * (1 + cell.change))[:, 0].tolist()
    rule = Rule(MAX_REGRESSION, session_noise=SESSION_NOISE, alpha=ALPHA / len(LOOKS))
    for rounds, sessions in zip(now, kept, strict=True):
        yield _decide((rounds[:look], sessions, rule) for look in LOOKS)


def _interleaved(
    cell: Cell, trials: int, random: np.random.Generator
) -> Iterator[tuple[Outcome, int]]:
    """Compare two halves of one session, which grow together."""
    both = _times(cell, random, (trials, 1), 2 * max(LOOKS))[:, 0]
    old = both[:, ::2].tolist()
    new = (both[:, 1::2] * (1 + cell.change)).tolist()
    rule = Rule(MAX_REGRESSION, alpha=ALPHA / len(LOOKS))
    for rounds, base in zip(new, old, strict=True):
        yield _decide((rounds[:look], [base[:look]], rule) for look in LOOKS)


def _times(
    cell: Cell, random: np.random.Generator, sessions: tuple[int, int], rounds: int
) -> npt.NDArray[np.float64]:
    """Return the times of rounds, each session with a noise that all of its rounds share."""
    shared = random.normal(0, cell.session_noise, (*sessions, 1))
    logs = shared + NOISES[cell.noise](random, (*sessions, rounds))
    return np.asarray(np.exp(logs), dtype=np.float64)


def _decide(
    looks: Iterable[tuple[Sequence[float], Sequence[Sequence[float]], Rule]],
) -> tuple[Outcome, int]:
    """Look with more rounds each time, until it is decided."""
    outcome: Outcome = "undecided"
    rounds = 0
    for now, sessions, rule in looks:
        outcome, rounds = compare(now, sessions, rule).verdict, len(now)
        if outcome != "undecided":
            break
    return outcome, rounds


# --- the table and the goals ------------------------------------------------------------------


@dataclass(frozen=True)
class Goal:
    """A bound on the share of trials that are found worse, in every noise between rounds."""

    title: str
    change: float
    share: float
    at_least: bool
    session_noises: tuple[float, ...]
    sessions: tuple[int, ...]

    def holds_of(self, cell: Cell) -> bool:
        """Return whether the goal is one of this cell."""
        return (
            cell.change == self.change
            and cell.session_noise in self.session_noises
            and cell.sessions in self.sessions
        )

    def found(self, table: Mapping[Cell, Rates]) -> float:
        """Return the share in the worst of its cells."""
        shares = [rates.worse for cell, rates in table.items() if self.holds_of(cell)]
        return min(shares) if self.at_least else max(shares)

    def met(self, found: float) -> bool:
        """Return whether a share is good enough."""
        return found >= self.share if self.at_least else found <= self.share


_QUIET = (0.0, 0.015)
GOALS = (
    Goal("interleaved A/B, no change", 0.0, 0.025, False, SESSION_NOISES, (0,)),
    Goal("interleaved A/B, +10 %", 0.10, 0.99, True, SESSION_NOISES, (0,)),
    Goal("stored, session noise up to 1.5 %, no change", 0.0, 0.02, False, _QUIET, (1, 5, 10)),
    Goal("stored, session noise up to 1.5 %, +20 %", 0.20, 0.95, True, _QUIET, (1, 5, 10)),
    Goal("stored, session noise 3 %, 1 session, no change", 0.0, 0.055, False, (0.03,), (1,)),
    Goal("stored, session noise 3 %, 1 session, +20 %", 0.20, 0.90, True, (0.03,), (1,)),
    Goal("stored, session noise 3 %, from 5 on, no change", 0.0, 0.025, False, (0.03,), (5, 10)),
    Goal("stored, session noise 3 %, from 5 on, +20 %", 0.20, 0.70, True, (0.03,), (5, 10)),
)


def cells() -> list[Cell]:
    """Return every situation, in the order of the table."""
    every = product(SESSIONS, SESSION_NOISES, NOISES, CHANGES)
    return [Cell(noise, between, sessions, change) for sessions, between, noise, change in every]


def markdown(table: Mapping[Cell, Rates]) -> list[str]:
    """Return the lines of the table: a row for all the changes of one situation."""
    heads = [_percent(change, "+.0f") if change else "no change" for change in CHANGES]
    lines = [
        "| baseline | between sessions | between rounds | "
        + " | ".join(heads)
        + " | undecided | rounds |",
        "|---|---|---|" + "--:|" * (len(CHANGES) + 2),
    ]
    for sessions, between, noise in product(SESSIONS, SESSION_NOISES, NOISES):
        row = [table[Cell(noise, between, sessions, change)] for change in CHANGES]
        baseline = f"{sessions} session{'s' * (sessions > 1)}" if sessions else "interleaved"
        shares = [_percent(rates.worse) for rates in row]
        ends = [_percent(row[0].undecided), f"{row[0].rounds:.1f}"]
        names = [baseline, _percent(between, "g"), noise]
        lines.append("| " + " | ".join(names + shares + ends) + " |")
    return lines


def _percent(share: float, form: str = ".1f") -> str:
    return f"{100 * share:{form}} %"


def judge(table: Mapping[Cell, Rates]) -> bool:
    """Print each goal beside what was found; return whether all are met."""
    results = []
    for goal in GOALS:
        found = goal.found(table)
        results.append(goal.met(found))
        wanted = f"at {'least' if goal.at_least else 'most'} {_percent(goal.share)}"
        word = "met" if results[-1] else "NOT MET"
        print(f"{goal.title}: FAILED {_percent(found)}, goal {wanted}: {word}")
    return all(results)


def main() -> int:
    """Simulate every cell, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=TRIALS, help="of each situation")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    every = cells()
    with Pool(options.processes) as pool:
        rates = pool.starmap(simulate, [(cell, options.trials) for cell in every], chunksize=1)
    table = dict(zip(every, rates, strict=True))
    print(*markdown(table), "", sep="\n")
    return 0 if judge(table) else 1


if __name__ == "__main__":
    sys.exit(main())
