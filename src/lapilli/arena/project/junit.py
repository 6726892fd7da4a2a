"""Writes the results of a project's tests as JUnit XML, which CI services read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree

from lapilli.arena.project.results import CaseResult, CaseStatus, ProjectResult

SUITES_NAME = "lapilli test"
"""Attribute `name` of the outermost XML element. In a bot's folder, it marks a file that Lapilli has written."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(result: ProjectResult) -> bytes:
    """Returns a JUnit XML file: a suite for the builds, a suite for each test, and a test case for each opponent.

    A test case fails if the bot had too many faults or was too weak. A test case is an error if a bot was not built or
    not started, or if the matches were not finished.
    """
    whole = ElementTree.Element("testsuites", {"name": SUITES_NAME, **_counts(result.cases)})
    groups: dict[str, list[CaseResult]] = {}
    for case in result.cases:
        groups.setdefault(case.group, []).append(case)
    began = datetime.fromtimestamp(result.began, UTC).isoformat(timespec="seconds")
    for name, cases in groups.items():
        suite = ElementTree.SubElement(whole, "testsuite", {"name": _text(name), **_counts(cases), "timestamp": began})
        for case in cases:
            _add_case(suite, case)
    ElementTree.indent(whole)
    encoded: bytes = ElementTree.tostring(whole, encoding="utf-8", xml_declaration=True)
    return encoded + b"\n"


def _add_case(suite: ElementTree.Element, case: CaseResult) -> None:
    names = {"classname": _text(case.group), "name": _text(case.name), "time": f"{case.seconds:.3f}"}
    element = ElementTree.SubElement(suite, "testcase", names)
    sentence = _text(case.sentence)
    tag = {CaseStatus.FAILED: "failure", CaseStatus.ERROR: "error", CaseStatus.SKIPPED: "skipped"}.get(case.status)
    if tag:
        ElementTree.SubElement(element, tag, {"message": sentence}).text = None if tag == "skipped" else sentence
    else:
        ElementTree.SubElement(element, "system-out").text = sentence
    if case.output:
        ElementTree.SubElement(element, "system-err").text = _text(case.output)


def _counts(cases: Sequence[CaseResult]) -> dict[str, str]:
    statuses = [case.status for case in cases]
    return {
        "tests": str(len(cases)),
        "failures": str(statuses.count(CaseStatus.FAILED)),
        "errors": str(statuses.count(CaseStatus.ERROR)),
        "skipped": str(statuses.count(CaseStatus.SKIPPED)),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


def _text(text: str) -> str:
    r"""Replaces the characters that XML does not allow by escapes such as \x1b."""
    return _NOT_XML.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
