"""The page of `headrace report` as a headless browser shows it."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from headrace.report.page import page_of, write_report
from headrace.report.reading import read_bench
from test_report import NAMES, fixture

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="no chromium with chromium-driver to look at the page with"
)
DESKTOP, PHONE = 1280, 390
ENOUGH_CONTRAST_OF_TEXT, ENOUGH_CONTRAST_OF_BARS = 4.5, 3.0

# Each text or bar that is seen, its colour and that of the nearest opaque background behind it.
COLOURS_SEEN = """
const opaque = (colour) => colour && colour !== "transparent" && !/, 0\\)$/.test(colour);
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (opaque(colour)) return colour;
  }
  return "rgb(255, 255, 255)";
};
const seen = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walker.nextNode());) {
  const element = node.parentElement;
  if (!node.data.trim() || element.closest("script, noscript, caption")) continue;
  const style = getComputedStyle(element);
  const colour = element.closest("svg") ? style.fill : style.color;
  seen.push(["text", node.data.trim(), colour, behind(element)]);
}
for (const bar of document.querySelectorAll(".bars .point path, .scatterlayer .point")) {
  const fill = getComputedStyle(bar).fill;
  // A slow one's is a pattern, of the colour that the others have.
  if (!fill.startsWith("url")) seen.push(["bar", bar.closest(".chart").id, fill, behind(bar)]);
}
return seen;
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


Show = Callable[..., webdriver.Chrome]


@pytest.fixture
def show(browser: webdriver.Chrome, tmp_path: Path) -> Show:
    """Opens the page of a fixture and forgets what the browser logged of those before it."""

    def open_page(name: str, width: int = DESKTOP, scheme: str = "light") -> webdriver.Chrome:
        page = tmp_path / f"{name}.html"
        write_report(fixture(name), page)
        for log in ("browser", "performance"):
            browser.get_log(log)
        prefer(browser, scheme)
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE},
        )
        browser.get(page.as_uri())
        return browser

    return open_page


def prefer(browser: webdriver.Chrome, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def count(browser: webdriver.Chrome, selector: str) -> int:
    return len(browser.find_elements(By.CSS_SELECTOR, selector))


def requests_made(browser: webdriver.Chrome) -> list[str]:
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return [parameters["request"]["url"] for parameters in sent]


@pytest.mark.parametrize("name", NAMES)
def test_no_script_error_and_nothing_asked_of_the_network(show: Show, name: str) -> None:
    browser = show(name)
    assert browser.get_log("browser") == []
    assert requests_made(browser) == [browser.current_url]


@pytest.mark.parametrize(
    ("name", "bars"),
    [
        ("full", {"whole-write": 7, "whole-read": 7, "calls-write": 14, "phases-write": 66}),
        ("cut_short", {"whole-write": 4, "calls-write": 8, "phases-write": 44}),
        ("cluster", {"whole-write": 4, "calls-write": 8, "phases-write": 44}),
        ("single_run", {"whole-write": 1, "calls-write": 1, "phases-write": 22}),
    ],
)
def test_every_bar_is_drawn(show: Show, name: str, bars: dict[str, int]) -> None:
    browser = show(name)
    drawn = {chart: count(browser, f"#chart-{chart} .bars .point path") for chart in bars}
    assert drawn == bars


def test_floors_are_lines_and_runs_are_points(show: Show) -> None:
    browser = show("full")
    assert count(browser, "#chart-whole-write .shapelayer path") == 1
    assert count(browser, "#chart-calls-write .shapelayer path") == 2
    runs = sum(len(subject["runs"]) for subject in read_bench(fixture("full"))["subjects"])
    assert count(browser, "#chart-runs-write .scatterlayer .point") == runs


def test_a_longer_bar_is_more_bandwidth(show: Show) -> None:
    browser = show("full")
    bars = browser.find_elements(By.CSS_SELECTOR, "#chart-whole-write .bars .point path")
    widths = [bar.rect["width"] for bar in bars]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 4 * widths[2] > 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [320, PHONE])
def test_page_is_no_wider_than_the_window(show: Show, name: str, width: int) -> None:
    browser = show(name, width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    boxes = browser.execute_script(
        "return [...document.querySelectorAll('figure, .scroll, .chart svg.main-svg')]"
        ".map((box) => box.getBoundingClientRect().right)"
    )
    assert max(boxes) <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["full", "cut_short"])
def test_text_and_bars_stand_out(show: Show, name: str, scheme: str) -> None:
    seen = show(name, scheme=scheme).execute_script(COLOURS_SEEN)
    assert {kind for kind, *_ in seen} == {"text", "bar"}
    needed = {"text": ENOUGH_CONTRAST_OF_TEXT, "bar": ENOUGH_CONTRAST_OF_BARS}
    faint = [
        (kind, what, colour, behind)
        for kind, what, colour, behind in seen
        if contrast(colour, behind) < needed[kind]
    ]
    assert faint == []


def contrast(first: str, second: str) -> float:
    """WCAG 2.2's contrast ratio of two colours as CSS computes them."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def bar_colour(browser: webdriver.Chrome) -> str:
    bar = browser.find_element(By.CSS_SELECTOR, "#chart-whole-write .bars .point path")
    return bar.value_of_css_property("fill")


def test_charts_follow_the_scheme_while_open(show: Show) -> None:
    browser = show("single_run")
    light = bar_colour(browser)
    prefer(browser, "dark")
    WebDriverWait(browser, 20).until(lambda _: bar_colour(browser) != light)
    prefer(browser, "light")
    WebDriverWait(browser, 20).until(lambda _: bar_colour(browser) == light)


def test_print_is_light_and_the_screen_as_before_afterwards(show: Show) -> None:
    light = bar_colour(show("single_run"))
    browser = show("single_run", scheme="dark")
    dark = bar_colour(browser)
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert bar_colour(browser) == light
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert bar_colour(browser) == dark


def pasted(browser: webdriver.Chrome) -> str:
    """What a person would get who now pastes into a text area."""
    area = browser.execute_script(
        "const area = document.createElement('textarea');"
        "document.body.append(area); area.focus(); return area;"
    )
    area.send_keys(Keys.CONTROL, "v")
    return area.get_attribute("value")


@pytest.mark.parametrize("has_clipboard", [True, False])
def test_tables_are_copied_with_tabs_and_all_digits(show: Show, has_clipboard: bool) -> None:
    browser = show("full")
    if not has_clipboard:
        browser.execute_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    browser.find_element(By.CSS_SELECTOR, "[data-table=counters-write]").click()
    status = browser.find_element(By.CLASS_NAME, "status")
    WebDriverWait(browser, 20).until(lambda _: status.text == "Copied")
    lines = [line.split("\t") for line in pasted(browser).splitlines()]
    assert lines[0] == [
        *("counter", "Headrace tam", "Headrace auto", "Headrace two_phase", "meaning")
    ]
    assert ["requests_after", "1048576", "1048576", "8388608"] in [line[:4] for line in lines]


def test_command_is_copied_as_it_is(show: Show) -> None:
    browser = show("full")
    browser.find_element(By.CSS_SELECTOR, "[data-text=command]").click()
    status = browser.find_element(By.CLASS_NAME, "status")
    WebDriverWait(browser, 20).until(lambda _: status.text == "Copied")
    assert pasted(browser) == read_bench(fixture("full"))["command"]


def test_charts_and_tables_have_names_for_who_cannot_see_them(show: Show) -> None:
    browser = show("full")
    charts = browser.find_elements(By.CLASS_NAME, "chart")
    assert [chart.aria_role for chart in charts] == ["image"] * 8
    assert "Headrace tam, open to close: 2.69" in charts[0].accessible_name
    for table in browser.find_elements(By.TAG_NAME, "table"):
        assert table.find_element(By.TAG_NAME, "caption").get_attribute("textContent")
        assert count(browser, f"#{table.get_attribute('id')} th[scope=row]") > 0
    headings = browser.find_elements(By.CSS_SELECTOR, "h1, h2, h3")
    levels = [int(heading.tag_name[1]) for heading in headings]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_subjects_that_need_a_word_have_it(show: Show) -> None:
    page = show("full").find_element(By.TAG_NAME, "body").text
    assert "OMPIO (MPICH): failed: MPICH has no OMPIO" in page
    assert "ROMIO (MPICH, yielding): slow: over the peer limit of 30 s: run once" in page
    assert "Cut short." not in page
    assert "Cut short." in show("cut_short").find_element(By.TAG_NAME, "header").text


def test_scripts_of_the_bench_do_not_run(browser: webdriver.Chrome, tmp_path: Path) -> None:
    hostile = "<img src=x onerror='document.title=1'><script>document.title=1</script>"
    bench = read_bench(fixture("single_run"))
    bench["command"] = bench["workload"]["name"] = bench["subjects"][0]["title"] = hostile
    page = tmp_path / "page.html"
    page.write_text(page_of(bench))
    browser.get_log("browser")
    browser.get(page.as_uri())
    assert hostile in browser.find_element(By.TAG_NAME, "h1").text
    label = browser.find_element(By.CSS_SELECTOR, "#chart-whole-write .annotation-text")
    assert hostile in label.get_attribute("textContent")
    assert browser.get_log("browser") == []
    assert count(browser, "img") == 0
    assert browser.title != "1"
