"""The page in a real Chromium: played with the mouse and with the keyboard, at phone and at desktop width.

Screenshots are kept in .cache/screenshots. Without a Chromium (Debian's package chromium) these tests are skipped.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pokerkit
import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is missing: scripts/setup_venv test")

CHROMIUM = os.environ.get("JAXPOKER_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
NO_CHROMIUM = "no Chromium: install Debian's chromium, or name one in JAXPOKER_CHROMIUM"
pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM), pytest.mark.thorough]

DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
IDLE = "body:not([data-busy])"


@pytest.fixture(scope="module")
def client(room, serving, repository):
    with serving(room, runs=repository / "runs") as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM)
        yield found
        found.close()


@pytest.fixture
def open_page(browser, client):
    """``open_page(viewport, scheme)``: the page at a new table; errors of its scripts fail the test."""
    contexts, errors = [], []

    def open_one(viewport=DESKTOP, scheme="light"):
        context = browser.new_context(viewport=viewport, color_scheme=scheme, accept_downloads=True)
        context.set_default_timeout(120_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(error))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(f"http://127.0.0.1:{client.port}/?pace=0")
        page.wait_for_selector(IDLE)
        return page

    yield open_one
    for context in contexts:
        for page in context.pages:
            session = page.evaluate("() => localStorage.getItem('jaxpoker-session')")
            type(client)(client.port, session).post("/api/leave", {})
        context.close()
    assert not errors


@pytest.fixture(scope="session")
def screenshots(repository: Path) -> Path:
    folder = repository / ".cache" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def choose(page, by_keyboard: bool, prefer: tuple[int, ...] = (1,)) -> None:
    """Takes the first of the ``prefer``red actions that is enabled."""
    enabled = [a for a in prefer if page.locator(f"button[data-action='{a}']").is_enabled()]
    if by_keyboard:
        page.keyboard.press(str(enabled[0] + 1))
    else:
        page.click(f"button[data-action='{enabled[0]}']")
    page.wait_for_selector(IDLE)


def is_over(page) -> bool:
    return page.locator("#new-hand").is_enabled()


def stacks(page) -> list[str]:
    """Of the person and the bot, in big blinds."""
    return [page.inner_text(f"#{seat}-stack").removesuffix(" BB") for seat in ("you", "bot")]


def saved_hand(page, button: str = "#save-hand") -> str:
    with page.expect_download() as saving:
        page.click(button)
    return Path(saving.value.path()).read_text()


def test_five_hands_by_buttons_and_by_keyboard(open_page, screenshots):
    page = open_page()
    page.screenshot(path=screenshots / "desktop-light.png")
    log = page.locator("#log")
    for hand in range(1, 6):
        by_keyboard = hand > 2
        assert f"Hand {hand}." in log.inner_text()
        if hand == 1:
            page.click("#ask-coach")
            page.wait_for_selector("#coach .recommended")
            coach = page.inner_text("#coach")
            assert "equity" in coach and "± " in coach and "SPR" in coach and "rollouts each" in coach
            page.screenshot(path=screenshots / "desktop-light-advice.png", full_page=True)
        while not is_over(page):
            choose(page, by_keyboard, prefer=(5, 6, 7, 1) if hand == 2 else (1,))
        assert re.search(r"(win|wins) [\d.]+ BB|split", log.inner_text().splitlines()[-1])
        assert page.inner_text("#score-hands") == str(hand)

        history = pokerkit.HandHistory.loads(saved_hand(page))
        *_, end = history
        assert history.hand == hand and not end.status
        place = history.players.index("You")
        assert [f"{end.stacks[i] / 10:g}" for i in (place, 1 - place)] == stacks(page)
        if hand < 5:
            page.keyboard.press("n") if by_keyboard else page.click("#new-hand")
            page.wait_for_selector(IDLE)
    assert saved_hand(page, "#save-all").count("variant = 'NT'") == 5


def test_only_legal_actions_are_enabled_and_each_says_what_it_is(open_page):
    page = open_page()
    buttons = page.locator("#actions button")
    assert buttons.count() == 9
    named = {i: buttons.nth(i).get_attribute("aria-label") for i in range(9) if buttons.nth(i).is_enabled()}
    assert named[0] == "Fold (key 1 or F)" and named[6] == "Raise to 2.5 BB (key 7)"
    assert set(named) == {0, 1, 2, 5, 6, 7, 8}
    page.keyboard.press("4")  # a quarter of the pot is less than the smallest raise: nothing happens
    assert page.locator("#log li").count() == 1
    page.keyboard.press("f")
    page.wait_for_selector("#new-hand:enabled")
    assert not any(buttons.nth(i).is_enabled() for i in range(9)) and page.locator("#ask-coach").is_disabled()


def test_a_double_click_acts_once(open_page):
    page = open_page()
    page.dblclick("button[data-action='1']", delay=100)  # the table has answered before the second click
    page.wait_for_selector(IDLE)
    assert page.inner_text("#log").count("You: ") == 1 and page.locator("#toast").is_hidden()


def test_a_reloaded_or_reopened_tab_finds_its_game(open_page):
    page = open_page()
    page.keyboard.press("c")
    page.wait_for_selector(IDLE)
    board, log = page.get_attribute("#board", "aria-label"), page.inner_text("#log")
    page.reload()
    page.wait_for_selector(IDLE)
    assert (page.get_attribute("#board", "aria-label"), page.inner_text("#log")) == (board, log)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(IDLE)
    assert other.inner_text("#log") == log
    page.close()


def test_a_new_table_begins_from_nothing(open_page):
    page = open_page()
    page.keyboard.press("c")
    page.wait_for_selector(IDLE)
    page.dispatch_event("#opponent", "change")  # as if somebody else had been chosen
    page.wait_for_selector(IDLE)
    assert page.inner_text("#log") == "Hand 1. You have the button." and page.inner_text("#pot") == "Pot 1.5 BB"
    assert page.get_attribute("#board", "aria-label") == "No board yet"


def test_a_review_when_the_hand_is_over(open_page):
    page = open_page()
    page.check("#auto-review")
    page.keyboard.press("f")
    page.wait_for_selector("#review li")
    page.wait_for_selector("#coach[aria-busy='false']")
    assert "You: Fold" in page.inner_text("#review") and "in all" in page.inner_text("#review-sum")
    page.click("#review button")
    assert "What each action is worth" in page.inner_text("#coach")
    page.click("#back-to-review")
    assert page.locator("#review li").count() == 1


def test_strategy_and_experiments(open_page):
    page = open_page()
    page.keyboard.press("s")
    page.wait_for_selector("#strategy .grid")
    assert page.locator("#strategy .grid span").count() == 169
    assert page.locator("#strategy .yours").count() == 1 and "Raise to 2.5 BB" in page.inner_text("#strategy")
    page.keyboard.press("Tab")
    page.click("#tab-runs")
    page.wait_for_selector("#runs .metric, #runs .empty")
    page.focus("#tab-runs")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#tab-coach", "aria-selected") == "true" and page.locator("#panel-coach").is_visible()


@pytest.mark.parametrize("viewport, name", [(DESKTOP, "desktop"), (PHONE, "phone")])
def test_it_fits_in_the_dark_and_can_be_read_aloud(open_page, screenshots, viewport, name):
    page = open_page(viewport, "dark")
    page.keyboard.press("c")
    page.wait_for_selector(IDLE)
    if not is_over(page):
        page.keyboard.press("h")
        page.wait_for_selector("#coach .recommended")
    page.screenshot(path=screenshots / f"{name}-dark-advice.png", full_page=True)
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")  # nothing to scroll sideways
    assert page.locator("#status[aria-live], #log[role=log], #coach[aria-live]").count() == 3
    assert re.match(r"Your cards: \w+ of \w+, \w+ of \w+", page.get_attribute("#you-cards", "aria-label"))
    nameless = page.evaluate(
        "() => [...document.querySelectorAll('button, select, input')].filter(e =>"
        " !(e.ariaLabel || e.innerText?.trim() || e.closest('label'))).map(e => e.outerHTML)"
    )
    assert nameless == []
    small = page.evaluate(
        "() => [...document.querySelectorAll('.choice, .after button')].filter(e => e.offsetParent)"
        ".filter(e => e.offsetHeight < 44).map(e => e.textContent)"
    )
    assert small == []  # large enough for a finger
