"""What a bench says, in words: the best method against the best peer and the floors.

Ratios are of speed, ours in those of the peer: below 1 Headrace is behind, and the words say so.
"""

from dataclasses import dataclass

from headrace.bench_format import Bench, Operation, Subject
from headrace.report import quantities as q
from headrace.report.floors import network_seconds
from headrace.report.subjects import having, is_trusted, operations_of, whole

_THIRD_PERSON = {"write": "writes", "read": "reads"}


@dataclass(frozen=True)
class Verdict:
    """Of one operation."""

    operation: Operation
    number: str
    label: str
    sentences: list[str]


@dataclass(frozen=True)
class Match:
    """The verified methods and peers that did the operation, the fastest first."""

    operation: Operation
    methods: list[Subject]
    peers: list[Subject]

    def seconds(self, subject: Subject) -> float:
        return whole(subject, self.operation)["median"]

    def ratio(self, method: Subject) -> float:
        return self.seconds(self.peers[0]) / self.seconds(method)

    @property
    def is_within_noise(self) -> bool:
        """Whether the runs of the best method and of the best peer overlap."""
        if not self.peers:
            return False
        ours, theirs = (whole(s, self.operation) for s in (self.methods[0], self.peers[0]))
        return ours["min"] <= theirs["max"] and theirs["min"] <= ours["max"]

    @property
    def measure(self) -> str:
        """How fast the best method is: against the best peer, or alone."""
        if self.peers:
            return q.times(self.ratio(self.methods[0]))
        return q.bandwidth(whole(self.methods[0], self.operation)["bandwidth"])


def headline(bench: Bench) -> str:
    name = bench["workload"]["name"]
    matches = [match_of(bench, operation) for operation in operations_of(bench)]
    matches = [match for match in matches if match.methods]
    if not matches:
        return f"{name}: no method of Headrace was measured and verified"
    parts = [_headline_part(match, name) for match in matches[:1]]
    parts += [f"and {_headline_part(match, 'it')}" for match in matches[1:]]
    return f"Headrace {', '.join(parts)}"


def _headline_part(match: Match, what: str) -> str:
    beside = "the speed of the best peer" if match.peers else "with no peer beside it"
    noise = " (within the noise)" if match.is_within_noise else ""
    return f"{_THIRD_PERSON[match.operation]} {what} at {match.measure} {beside}{noise}"


def verdicts(bench: Bench) -> list[Verdict]:
    return [_verdict(bench, match_of(bench, operation)) for operation in operations_of(bench)]


def match_of(bench: Bench, operation: Operation) -> Match:
    trusted = [subject for subject in having(operation, bench["subjects"]) if is_trusted(subject)]
    trusted.sort(key=lambda subject: whole(subject, operation)["median"])
    methods = [subject for subject in trusted if subject["kind"] == "method"]
    return Match(operation, methods, [subject for subject in trusted if subject["kind"] == "peer"])


def subject_line(bench: Bench) -> str:
    workload = bench["workload"]
    places = f"{q.counted(workload['ranks'], 'rank')} on {q.counted(workload['nodes'], 'node')}"
    return f"{workload['name']}, {places}"


def what_was_measured(bench: Bench) -> str:
    workload, machine = bench["workload"], bench["machine"]
    each = " each" if workload["calls"] > 1 else ""
    return (
        f"{subject_line(bench)}: {q.counted(workload['calls'], 'collective call')} of "
        f"{q.size(workload['bytes_per_call'])} and "
        f"{q.counted(workload['requests_per_call'], 'request')}{each}, into one file on "
        f"{machine['file_system']}, from open to close. {_repeated(bench)}{_nodes(bench)}"
    )


def _repeated(bench: Bench) -> str:
    if bench["repeat"] == 1:
        return "One run of each."
    up_to = "" if bench["complete"] else "up to "
    return f"Figures are medians of {up_to}{bench['repeat']} runs, taken in turns."


def _nodes(bench: Bench) -> str:
    cluster = bench["cluster"]
    if cluster:
        links = f"with links of {cluster['rate']}" if cluster["rate"] else "with unshaped links"
        return f" The {cluster['nodes']} nodes are network namespaces of one machine, {links}."
    if bench["workload"]["nodes"] > 1:
        return " The nodes are make-believe: one machine, no network between them."
    return ""


def _verdict(bench: Bench, match: Match) -> Verdict:
    operation = match.operation
    if not match.methods:
        told = "No method of Headrace was measured and verified."
        return Verdict(operation, "\N{EM DASH}", operation, [told])
    sentences = [_comparison(match), _noise(match), _against_floors(bench, match), _behind(match)]
    label = f"the best peer's speed, {operation}" if match.peers else f"{operation}, no peer"
    return Verdict(operation, match.measure, label, [told for told in sentences if told])


def _comparison(match: Match) -> str:
    best = match.methods[0]
    verb = _THIRD_PERSON[match.operation]
    ours = f"The best method, {best['title']}, {verb} in {_time(match, best)}"
    if not match.peers:
        return f"{ours}. No peer was measured and verified."
    peer = match.peers[0]
    is_behind = match.ratio(best) < 1
    verdict = " Headrace is behind." if is_behind else ""
    return f"{ours}; the best peer, {peer['title']}, in {_time(match, peer)}.{verdict}"


def _time(match: Match, subject: Subject) -> str:
    speed = q.bandwidth(whole(subject, match.operation)["bandwidth"])
    return f"{q.seconds(match.seconds(subject))} ({speed})"


def _noise(match: Match) -> str:
    compared = [
        whole(subject, match.operation) for subject in (match.methods[:1] + match.peers[:1])
    ]
    if any(figures["n"] == 1 for figures in compared):
        return "With a single run nothing is known of the noise."
    overlap = "The ranges of their runs overlap: the difference may be noise."
    return overlap if match.is_within_noise else ""


def _against_floors(bench: Bench, match: Match) -> str:
    told = []
    best, operation = match.methods[0], match.operation
    ratio = whole(best, operation)["ratio_to_floor"]
    if ratio is not None:
        told.append(f"{q.percent(ratio)} of the contiguous floor's bandwidth")
    network = network_seconds(bench, operation)
    if network:
        share = q.percent(network / match.seconds(best))
        told.append(f"{share} of what the links between the nodes allow")
    return f"It reaches {' and '.join(told)}." if told else ""


def _behind(match: Match) -> str:
    """The other methods that a user would be worse off with."""
    if not match.peers:
        return ""
    slower = [method for method in match.methods[1:] if match.ratio(method) < 1]
    told = [f"{method['title']} ({q.times(match.ratio(method))})" for method in slower]
    return f"Behind the best peer: {', '.join(told)}." if told else ""
