"""The table in a real browser: lessons, legend, animations, sound, reduced motion."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.games.rules import GAMES
from tests.browser.served import served
from tests.browser.test_play import answered, press_last, sit, ticket, wait
from tests.browser.watch import LEARNED, opened, slow_down, violations, wider_than_the_screen
from tests.integration.play_world import BOTS, PlayWorld, play_world

# Records layout shifts, except within half a second of a click or of a form's answer, or between
# asked() and answered(). The time counts from when a busy machine has handled them.
SHIFTS = """
  window.shifts = [];
  let open = 0, excused = 0;
  const excuse = async (work) => {
    open += 1;
    try { return await work; } finally { open -= 1; excused = performance.now() + 500; }
  };
  let moved;
  window.asked = () => { excuse(new Promise(done => moved = done)); };
  window.answered = () => moved();
  const frame = () => new Promise(requestAnimationFrame);
  document.addEventListener("click", () => excuse(frame().then(frame)), true);
  const send = window.fetch;
  window.fetch = (address, options) => {
    const answer = send(address, options);
    return options?.method === "POST" ? excuse(answer) : answer;
  };
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
    if (entry.hadRecentInput || open || entry.startTime < excused) return;
    const moved = entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.nodeName);
    window.shifts.push([entry.value, Math.round(entry.startTime), ...moved]);
  })).observe({ type: "layout-shift", buffered: true });
"""
# Counts sounds.
HEARD = """
  window.heard = 0;
  const made = AudioContext.prototype.createOscillator;
  AudioContext.prototype.createOscillator = function () {
    window.heard += 1;
    return made.call(this);
  };
"""
# Records flying cards and tokens.
FLOWN = """
  window.flown = [];
  const fly = (node) => {
    if (node.parentElement?.className !== "flight") return;
    window.flown.push(node.textContent || node.className);
  };
  const watcher = new MutationObserver((changes) => {
    for (const change of changes) change.addedNodes.forEach(fly);
  });
  watcher.observe(document, { subtree: true, childList: true });
"""
OLD_HAND_REM = 1.45 * 1.95  # former height of a card in the hand
# Checks that the values in a hand are uncovered, and returns their pictures.
PICTURES = """async () => {
  const cards = [...document.querySelectorAll(".own .hand .card")];
  const edges = cards.map((card) => card.getBoundingClientRect().left).slice(1);
  const shown = cards.slice(0, -1).every((card, n) => card.matches(".card-llama")
    || card.firstElementChild.getBoundingClientRect().right <= edges[n] + 1);
  const found = await Promise.all(cards.map(async (card) => {
    const address = getComputedStyle(card).backgroundImage.slice(5, -2);
    const [file, view] = address.split("#");
    const picture = new DOMParser().parseFromString(await (await fetch(file)).text(), "text/xml");
    return picture.querySelector("view#" + view) && card.classList.contains(view);
  }));
  return shown && found.every(Boolean) && found.length;
}"""
REM = "parseFloat(getComputedStyle(document.documentElement).fontSize)"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayWorld]:
    with play_world(tmp_path_factory.mktemp("table")) as made:
        yield made


@pytest.fixture
def world(running: PlayWorld) -> PlayWorld:
    running.all_here()
    for counted in running.client.scan_iter("arena:limits*"):
        running.client.delete(counted)
    return running


@pytest.fixture(scope="module")
def address(running: PlayWorld) -> Iterator[str]:
    with served(running.app) as found:
        yield found


def shifted(page: Page) -> float:
    """The sum of layout shifts on a page with SHIFTS."""
    return sum(float(value) for value, *_ in page.evaluate("window.shifts"))


def play_to_the_end(page: Page, game: str) -> None:
    """Plays on a page with SHIFTS.

    At LLAMA Kadabra, what is below the table moves when opponents take over half a second, as they
    do on a busy machine: cards in the middle take a second row. So their moves are excused there.
    """
    excused = game == "kadabra"
    while wait(page) != "over":
        asked = ticket(page)
        if excused:
            page.evaluate("window.asked()")
        press_last(page)
        answered(page, asked)
        if excused:
            page.evaluate("window.answered()")


def test_the_first_visit_to_a_game_teaches_it_and_the_next_one_does_not(
    chromium: Browser, address: str, world: PlayWorld
) -> None:
    with opened(chromium, address) as page:
        sit(page, "kadabra", "ada", length="1")
        lesson = page.locator("#lesson")
        expect(lesson).to_be_visible()
        assert violations(page) == []

        steps = 1
        while page.get_by_role("button", name="Next", exact=True).is_visible():
            page.keyboard.press("ArrowRight")
            steps += 1
            expect(page.locator(".lesson-count")).to_have_text(re.compile(f"^{steps} of"))
        page.get_by_role("button", name="Play", exact=True).click()
        expect(lesson).not_to_be_visible()
        assert steps == page.locator(".lesson-step").count()

        page.reload()
        expect(page.locator("#tools")).to_be_visible()
        expect(lesson).not_to_be_visible()
        page.get_by_role("button", name="How to play").click()
        expect(lesson).to_be_visible()
        page.keyboard.press("Escape")
        expect(lesson).not_to_be_visible()


@pytest.mark.parametrize("game", GAMES)
def test_table_shows_its_goal_and_legend_and_does_not_jump(
    chromium: Browser, address: str, world: PlayWorld, game: str
) -> None:
    with opened(chromium, address, LEARNED, SHIFTS) as page:
        slow = slow_down(page)
        sit(page, game, *BOTS[:3], length="1")
        slow.detach()
        expect(page.locator(".goal")).to_have_text(re.compile("^Fewest points win"))
        page.locator("#legend summary").click()
        explained = " ".join(page.locator("#legend dt").all_text_contents())
        for sign in {"party": ["6+"], "kadabra": ["1○", "2□", "2★", "Magic stage"]}.get(game, []):
            assert sign in explained
        assert violations(page) == []

        play_to_the_end(page, game)

        expect(page.locator(".moment-match")).to_contain_text(re.compile("win"))
        assert violations(page) == []
        assert shifted(page) < 0.02, page.evaluate("window.shifts")


def test_cards_are_twice_as_large_and_the_table_uses_its_window(
    chromium: Browser, address: str, world: PlayWorld
) -> None:
    with opened(chromium, address, LEARNED) as page:
        sit(page, "lama", *BOTS[:3], length="1")
        for width in (768, 1440, 2560):
            page.set_viewport_size({"width": width, "height": width * 10 // 16})
            card = page.locator(".own .hand .card").first.bounding_box()
            felt = page.locator(".felt").bounding_box()
            assert card
            assert felt
            assert card["height"] >= 2 * OLD_HAND_REM * page.evaluate(REM)
            assert felt["width"] > width * 0.5
            assert wider_than_the_screen(page) == []


@pytest.mark.parametrize("game", ["lama", "party", "kadabra"])
def test_cards_have_pictures_and_show_their_values_on_a_phone(
    chromium: Browser, address: str, world: PlayWorld, game: str
) -> None:
    with opened(chromium, address, LEARNED, viewport={"width": 360, "height": 740}) as page:
        sit(page, game, *BOTS[:1], length="1")
        assert page.evaluate(PICTURES) == 6  # cards


def test_moves_fly_over_the_table(chromium: Browser, address: str, world: PlayWorld) -> None:
    with opened(chromium, address, LEARNED, FLOWN, calm=False) as page:
        sit(page, "lama", *BOTS[:2], length="1")
        asked = ticket(page)
        page.keyboard.press("d")  # draw
        answered(page, asked)

        flown = page.evaluate("window.flown")

        assert len(flown) >= 2  # the drawn card, and an opponent's move
        expect(page.locator(".flight")).to_have_count(0)  # landed


def test_nothing_flies_with_reduced_motion(
    chromium: Browser, address: str, world: PlayWorld
) -> None:
    with opened(chromium, address, LEARNED, FLOWN) as page:
        sit(page, "lama", *BOTS[:2], length="1")
        asked = ticket(page)
        page.keyboard.press("d")
        answered(page, asked)

        assert page.evaluate("window.flown") == []


def test_the_end_of_a_round_is_a_moment(chromium: Browser, address: str, world: PlayWorld) -> None:
    with opened(chromium, address, LEARNED) as page:
        sit(page, "lama", "ada", length="3")
        page.evaluate(
            """() => new MutationObserver(() => {
                const title = document.querySelector("#moment .moment-title");
                window.seen = title?.textContent || window.seen;
            }).observe(document.getElementById("moment"), { childList: true })"""
        )
        while not page.evaluate("window.seen") and wait(page) != "over":
            asked = ticket(page)
            press_last(page)
            answered(page, asked)

        assert page.evaluate("window.seen") == "Round 1 is over"


def test_sound_is_off_until_it_is_switched_on(
    chromium: Browser, address: str, world: PlayWorld
) -> None:
    with opened(chromium, address, LEARNED, HEARD) as page:
        sit(page, "lama", "ada", length="3")
        asked = ticket(page)
        page.locator(".act").first.click()
        answered(page, asked)
        assert page.evaluate("window.heard") == 0

        button = page.locator("[data-tool=sound]")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        assert page.evaluate("window.heard") > 0

        page.reload()  # the choice is kept
        expect(button).to_have_attribute("aria-pressed", "true")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "false")
