"""What ./check counts in the files that ctest and pytest leave."""

from pathlib import Path

import pytest

import tally

CASES = """
<testsuite>
  <testcase name="good" status="run"><system-out>fine</system-out></testcase>
  <testcase name="bad" status="fail"><failure message="1 != 2"/></testcase>
  <testcase name="broken"><error message="no fixture"/></testcase>
  <testcase name="script" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
    <system-out>some output
skipped: needs root
</system-out></testcase>
  <testcase name="gtest" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
    <system-out>a_test.cpp:9: Skipped
needs 2 nodes

</system-out></testcase>
  <testcase name="pytest"><skipped message="not installed"/></testcase>
</testsuite>
"""


@pytest.fixture
def junit(tmp_path: Path) -> Path:
    path = tmp_path / "junit.xml"
    path.write_text(CASES.strip())
    return path


def test_counts_are_by_outcome(junit: Path) -> None:
    assert str(tally.of_junit(junit)) == "1 passed, 2 failed, 3 skipped"


def test_every_skip_names_the_tests_own_reason(junit: Path) -> None:
    assert tally.of_junit(junit).skips == [
        "script: needs root",
        "gtest: needs 2 nodes",
        "pytest: not installed",
    ]


def test_run_that_left_no_file_has_failed(tmp_path: Path) -> None:
    assert tally.of_junit(tmp_path / "none.xml").failures


def test_run_of_no_test_has_failed(junit: Path) -> None:
    junit.write_text("<testsuite/>")
    assert tally.of_junit(junit).failures == ["junit.xml: no test was run"]
