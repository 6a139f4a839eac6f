"""What the terminal shows of a plan."""

from rich.bar import Bar
from rich.console import Console, Group
from rich.table import Table

from headrace.plan.answer import Bound, Job, Plan
from headrace.tables import plain_table

_BAR_WIDTH = 40


def show(job: Job, plan: Plan, console: Console) -> None:
    parts = (_title(job, plan), _layers(plan), "", _response_times(plan), "", _footnote(plan))
    console.print(Group(*parts))


def _title(job: Job, plan: Plan) -> str:
    return (
        f"{job['workload']}: one call, {plan['bytes'] / 1e6:,.1f} MB of {job['ranks']} ranks on "
        f"{plan['nodes']} nodes; stripes of {job['stripe']} on {job['osts']} targets"
    )


def _layers(plan: Plan) -> Table:
    table = plain_table(show_header=False)
    table.add_column("")
    table.add_column("", justify="right")
    for name, value in _layer_rows(plan):
        table.add_row(name, value)
    return table


def _layer_rows(plan: Plan) -> list[tuple[str, str]]:
    layers = plan["layers"]
    return [
        ("requests, of all ranks", f"{layers['requests_before']:,}"),
        (
            f"after {plan['local_aggregators']} local aggregators",
            f"{layers['requests_after']:,}",
        ),
        (
            f"after {plan['global_aggregators']} global aggregators",
            f"{layers['requests_in_domains']:,}",
        ),
        ("messages between nodes", f"{layers['messages']:,}"),
        ("bytes of data in them", f"{layers['data_bytes']:,}"),
        ("bytes of lists of requests in them", f"{layers['list_bytes']:,}"),
        ("windows", f"{plan['windows']:,}"),
        ("rounds", f"{plan['rounds']:,}"),
        ("degree of windows, min / mean / max", _degree(plan)),
        ("local weights that gw_mdf gathers", f"{plan['weights_to_gather']:,}"),
    ]


def _degree(plan: Plan) -> str:
    degree = plan["degree"]
    return f"{degree['min']} / {degree['mean']:.1f} / {degree['max']}"


def _response_times(plan: Plan) -> Table:
    table = plain_table(title="Response times, in t")
    table.add_column("schedule")
    for header in ("average", "reduction", "slowest"):
        table.add_column(header, justify="right")
    table.add_column("average")
    longest = max(row["average"] for row in [*plan["schedules"], plan["lower_bound"]])
    for row in plan["schedules"]:
        table.add_row(row["schedule"], *_figures(row), f"{row['slowest']:,}", _bar(row, longest))
    table.add_section()
    bound = plan["lower_bound"]
    table.add_row("lower bound", *_figures(bound), "", _bar(bound, longest))
    return table


def _figures(row: Bound) -> tuple[str, str]:
    return f"{row['average']:,.2f}", f"{100 * row['reduction']:.1f} %"


def _bar(row: Bound, longest: float) -> Bar:
    return Bar(max(longest, 1), 0, row["average"], width=_BAR_WIDTH)


def _footnote(plan: Plan) -> str:
    served = {
        "direct": "auto would have each rank write for itself, with no exchange",
        "small": "auto would have one rank write for all, as these are few bytes on one node",
        "two_phase": "auto would take two_phase",
        "tam": "auto would take tam",
    }[plan["service"]]
    return (
        f"For this call {served}. t is the time of one window at one aggregator; all aggregators "
        "work at once, and a rank responds when its last window is served. Reductions are against "
        "offset."
    )
