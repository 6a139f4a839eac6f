"""What test runners report, as counts: read from the JUnit files that ctest and pytest write."""

import re
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tally:
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.passed += other.passed
        self.failures += other.failures
        self.skips += other.skips

    def __str__(self) -> str:
        return f"{self.passed} passed, {len(self.failures)} failed, {len(self.skips)} skipped"


def failed(what: str) -> Tally:
    return Tally(failures=[what])


def of_junit(file: Path) -> Tally:
    """A run that left no file, or that executed no test, is a failure."""
    if not file.exists():
        return failed(f"{file.name}: the test runner did not finish")
    tally = Tally()
    for case in xml.parse(file).iter("testcase"):
        _count(case, tally)
    if not (tally.passed or tally.failures):
        tally.failures.append(f"{file.name}: no test was run")
    return tally


def _count(case: xml.Element, tally: Tally) -> None:
    name = case.get("name", "?")
    if case.find("failure") is not None or case.find("error") is not None:
        tally.failures.append(name)
    elif (skipped := case.find("skipped")) is not None:
        tally.skips.append(f"{name}: {_reason(case, skipped)}")
    else:
        tally.passed += 1


def _reason(case: xml.Element, skipped: xml.Element) -> str:
    """The test's own words, of GoogleTest or of "skipped: ...", where ctest only has its rule."""
    output = case.findtext("system-out") or ""
    told = re.search(r"(?:: Skipped\n|^skipped: )(.+)", output, re.MULTILINE)
    return told.group(1).strip() if told else skipped.get("message", "no reason given")
