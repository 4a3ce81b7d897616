"""Casual games in a real browser: by mouse, by keyboard, and without JavaScript."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from arena.games.rules import GAMES
from tests.browser.served import served, sign_in
from tests.browser.watch import LEARNED, opened, violations, watched, wider_than_the_screen
from tests.integration.people import PASSWORD
from tests.integration.play_world import BOTS, PlayWorld, play_world

TELEPHONE: dict[str, Any] = {
    "is_mobile": True,
    "has_touch": True,
    "viewport": {"width": 360, "height": 740},
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayWorld]:
    with play_world(tmp_path_factory.mktemp("play")) as made:
        yield made


@pytest.fixture
def world(running: PlayWorld) -> PlayWorld:
    running.all_here()
    # These tests start more games than the rate limit allows.
    for counted in running.client.scan_iter("arena:limits*"):
        running.client.delete(counted)
    return running


@pytest.fixture(scope="module")
def address(running: PlayWorld) -> Iterator[str]:
    """The dashboard, served."""
    with served(running.app) as found:
        yield found


@pytest.fixture(scope="module")
def windows(chromium: Browser, address: str) -> Iterator[BrowserContext]:
    """A context that keeps its process and its cache between tests."""
    opened = chromium.new_context(base_url=address, reduced_motion="reduce")
    opened.add_init_script(LEARNED)
    yield opened
    opened.close()


@pytest.fixture
def context(windows: BrowserContext) -> Iterator[BrowserContext]:
    """The context, of a new visitor."""
    yield windows
    for page in windows.pages:
        page.evaluate("localStorage.clear()")
        page.close()
    windows.clear_cookies()


@pytest.fixture
def page(context: BrowserContext, world: PlayWorld) -> Iterator[Page]:
    """A watched page."""
    with watched(context.new_page()) as opened:
        yield opened


def sit(page: Page, game: str, *against: str, length: str = "", called: str = "") -> None:
    page.goto("/play")
    form = page.locator("form:has(.opponents)")
    if called:
        form.get_by_label("Your name").fill(called)
    form.locator(f"input[name=game][value={game}]").check()
    for name in BOTS:
        form.locator(f"input[name=with][value={name}]").set_checked(name in against)
    form.locator(f'input[name=length][value="{length}"]').check()
    form.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/play/\d+$"))  # and all its files
    wait(page)


def wait(page: Page) -> str:
    """Waits for the player's turn or the end."""
    asked = page.locator(".playing[data-turn=mine], .playing[data-turn=over]")
    expect(asked).to_be_visible(timeout=20_000)
    return asked.get_attribute("data-turn") or ""


def ticket(page: Page) -> str:
    return page.locator("input[name=ticket]").get_attribute("value") or ""


def press(page: Page) -> None:
    """Presses the first choice; if cards are selected, the first card and then "Discard"."""
    if page.locator(".discard").count():
        page.locator(".pick-card:visible, [data-cards]:visible").first.click()
        page.locator(".discard").click()
    else:
        page.locator(".act:visible").first.click()


def press_last(page: Page) -> None:
    """Presses the last choice, which quits the round if that is allowed."""
    last = page.locator(".act:visible").last
    leaves = "act-leave" in (last.get_attribute("class") or "")
    last.click()
    if leaves:  # asks for a second press
        last.click()


def answered(page: Page, before: str) -> None:
    """Waits for the next question or the end."""
    page.wait_for_function(
        """before => {
            const turn = document.querySelector(".playing").dataset.turn;
            const ticket = document.querySelector("input[name=ticket]")?.value;
            return turn === "over" || (turn === "mine" && ticket !== before);
        }""",
        arg=before,
        timeout=20_000,
    )


def test_a_whole_game_of_lama_by_clicking(page: Page) -> None:
    sit(page, "lama", "ada", "bob", "cyd")
    page.evaluate("window.same = true")
    clicked = by_hand = 0

    while wait(page) != "over":
        asked = ticket(page)
        in_hand = page.locator(".in-hand")
        if in_hand.count() and clicked % 2:  # cards of the hand are buttons, too
            in_hand.first.click()
            by_hand += 1
        else:
            page.locator(".act").first.click()
        clicked += 1
        answered(page, asked)

    assert clicked > 5
    assert by_hand > 1
    assert page.evaluate("window.same")
    expect(page.locator("#status")).to_have_text(re.compile("win"))
    page.get_by_role("link", name="Replay").click()
    expect(page.locator("#play")).to_be_visible()
    page.locator("#last").click()
    expect(page.locator("#said")).to_have_text(re.compile("The match is over"))


@pytest.mark.parametrize("game", ["party", "dice", "kadabra"])
def test_a_round_of_the_other_games_by_clicking(page: Page, game: str) -> None:
    sit(page, game, *BOTS, length="1")
    while wait(page) != "over":
        asked = ticket(page)
        press(page)
        answered(page, asked)

    expect(page.locator(".winner")).not_to_have_count(0)


@pytest.mark.parametrize("game", GAMES)
def test_hint_shows_the_value_of_each_action_without_moving(page: Page, game: str) -> None:
    sit(page, game, *BOTS)
    asked, choices = ticket(page), page.locator(".act").count()
    page.get_by_role("button", name="Hint").click()

    told = page.locator(".act .told")
    expect(told).to_have_count(choices, timeout=20_000)
    expect(told.first).to_have_text(re.compile(r"^\d+\.\d%(, best)? ± \d+\.\d$"))
    expect(page.locator(".act.best .is-best")).to_have_count(1)
    expect(page.locator(".hinting")).to_contain_text("1 hint so far")
    expect(page.locator("#said")).to_have_text(
        re.compile(r"^Hint: \S.* is best, with an expected score of \d+\.\d%\.$")
    )
    assert ticket(page) == asked
    press(page)
    answered(page, asked)


def test_keys_press_the_buttons_but_leaving_the_round_takes_two(page: Page) -> None:
    sit(page, "lama", "ada")
    first = ticket(page)

    page.keyboard.press("q")

    expect(page.locator(".act-leave")).to_be_focused()
    assert ticket(page) == first
    page.keyboard.press("d")
    answered(page, first)
    expect(page.locator(".event.own").first).to_contain_text("You draw")
    second = ticket(page)
    expect(page.locator("#panel")).to_be_focused()
    page.keyboard.press("q")
    page.keyboard.press("Enter")
    answered(page, second)


def test_keys_can_be_switched_off(page: Page) -> None:
    sit(page, "lama", "ada")
    page.locator("#keys-on").uncheck()

    page.keyboard.press("q")

    expect(page.locator(".act-leave")).not_to_be_focused()


def test_keys_that_are_switched_off_on_any_page_stay_off(page: Page) -> None:
    page.goto("/rules")
    page.keyboard.press("?")
    page.get_by_label("Use single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    sit(page, "lama", "ada")

    page.keyboard.press("q")

    expect(page.locator(".act-leave")).not_to_be_focused()
    page.locator("#keys-on").check()
    page.reload()
    page.keyboard.press("q")
    expect(page.locator(".act-leave")).to_be_focused()


def test_keys_play_nothing_behind_a_dialog(page: Page) -> None:
    sit(page, "lama", "ada")
    asked = ticket(page)
    shown = page.locator("dialog[open]")

    page.keyboard.press("?")
    expect(shown).to_have_count(1)
    page.keyboard.press("d")
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)

    page.get_by_role("button", name="How to play").click()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Back").press("Enter")
    expect(page.get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("d")
    page.keyboard.press("Escape")

    page.wait_for_timeout(300)
    assert ticket(page) == asked


# Fetches the live part now.
POLL = "document.dispatchEvent(new Event('visibilitychange'))"


def test_a_running_clock_moves_no_focus_and_is_announced_twice(page: Page) -> None:
    left = iter((60, 40, 30, 25, 10, 5))

    def pass_time(route: Route) -> None:
        answer = route.fetch(url=route.request.url.partition("?")[0])
        seconds = next(left, 5)
        clock = f'<p class="remark clock">About {seconds} s left for this move.</p>'
        body = answer.text().replace(
            'class="times">', f'class="times" data-left="{seconds}">{clock}'
        )
        route.fulfill(response=answer, body=body)

    sit(page, "lama", "ada")
    page.evaluate(
        """() => {
            window.heard = [];
            const said = document.getElementById("said");
            new MutationObserver(() => said.textContent && window.heard.push(said.textContent))
                .observe(said, { childList: true });
        }"""
    )
    page.route("**/play/*/live*", pass_time)
    page.locator(".act").last.focus()
    for seconds in (60, 40, 30, 25, 10, 5):
        page.evaluate(POLL)
        expect(page.locator(".clock")).to_have_text(f"About {seconds} s left for this move.")
        expect(page.locator(".act").last).to_be_focused()

    said = page.evaluate("window.heard")
    assert said == [f"About {seconds} s left for this move." for seconds in (30, 10)]


def test_moves_are_announced_once_and_the_status_unless_it_gets_the_focus(page: Page) -> None:
    sit(page, "lama", "ada", "bob")
    asked = ticket(page)
    page.keyboard.press("d")
    answered(page, asked)
    said = page.locator("#said")
    expect(said).to_have_text(re.compile(r"^You draw.*\."))
    expect(page.locator("#panel")).to_be_focused()
    assert "Your turn" not in (said.text_content() or "")

    def change(route: Route) -> None:  # as if something else had changed
        answer = route.fetch(url=route.request.url.partition("?")[0])
        route.fulfill(response=answer, body=answer.text().replace('data-mark="', 'data-mark="x'))

    page.evaluate("document.activeElement.blur()")
    page.route("**/play/*/live*", change)
    page.evaluate(POLL)
    expect(said).to_have_text("Your turn.")


def test_an_outage_is_announced_once_and_forgotten_when_it_is_over(
    chromium: Browser, world: PlayWorld, address: str
) -> None:
    context = chromium.new_context(base_url=address, reduced_motion="reduce")
    context.add_init_script(LEARNED)
    page = context.new_page()
    sit(page, "lama", "ada")
    page.route("**/play/*/live*", lambda route: route.abort())
    page.evaluate(POLL)
    line = page.locator(".notice-line")
    expect(line).to_have_text("The dashboard cannot be reached. Trying again.")
    page.evaluate(
        """() => {
            window.changes = 0;
            new MutationObserver(() => window.changes += 1)
                .observe(document.querySelector(".notice-line"), { childList: true });
        }"""
    )
    for _ in range(3):
        with page.expect_request("**/play/*/live*"):
            page.evaluate(POLL)
    assert page.evaluate("window.changes") == 0

    page.unroute("**/play/*/live*")
    page.evaluate(POLL)
    expect(line).to_have_count(0)

    page.route("**/play/*", lambda route: route.abort())
    press(page)
    expect(line).to_have_text("The dashboard cannot be reached. Press again in a moment.")
    with page.expect_response("**/play/*/live*"):
        page.evaluate(POLL)
    expect(line).to_have_count(1)
    context.close()


def test_a_double_click_answers_once(page: Page) -> None:
    sit(page, "dice", "ada")
    first = ticket(page)

    page.locator(".act").first.dblclick()

    answered(page, first)
    wait(page)
    expect(page.locator(".notice-line")).to_have_count(0)


def test_reloading_and_going_back_change_nothing(page: Page) -> None:
    sit(page, "lama", "ada", "bob")
    first = ticket(page)
    page.reload()
    assert ticket(page) == first

    press(page)
    answered(page, first)
    second = ticket(page)
    page.goto("/rules")
    page.go_back()

    wait(page)
    expect(page.locator("input[name=ticket]")).to_have_value(second)


def test_another_tab_catches_up(page: Page, context: BrowserContext) -> None:
    sit(page, "lama", "ada", "bob")
    other = context.new_page()
    other.goto(page.url)
    first = ticket(other)

    page.locator(".act").first.click()
    answered(page, first)

    answered(other, first)


def test_without_javascript_buttons_are_forms(
    chromium: Browser, address: str, world: PlayWorld
) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    sit(page, "lama", "ada", length="1")
    pressed = 0
    while page.locator(".playing").get_attribute("data-turn") != "over":
        if page.locator(".act").count():
            page.locator(".act").first.click()
            pressed += 1
        else:
            page.goto(page.url)  # as its refresh does
    context.close()

    assert pressed > 0


def test_leaving_is_asked_for_and_ends_the_match(page: Page) -> None:
    sit(page, "lama", "ada")
    page.get_by_text("Leave the table").click()
    page.get_by_role("button", name="Leave for good").click()

    expect(page.locator("#status")).to_have_text("You have forfeited the match.", timeout=20_000)


def test_the_table_fits_its_window(page: Page) -> None:
    sit(page, "kadabra", *BOTS, length="1")

    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".act .told").first).to_be_visible(timeout=20_000)
    for width in (360, 1280, 2560):
        page.set_viewport_size({"width": width, "height": 780})
        assert wider_than_the_screen(page) == []
        assert page.locator("#panel").evaluate("one => one.scrollWidth <= one.clientWidth")
        box = page.locator(".act").last.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("game", GAMES)
def test_all_choices_are_visible_at_once(page: Page, game: str) -> None:
    """Includes the hint, the text of each choice, and the hand. With many choices, the lower edge
    of the hand may be covered."""

    def all_in_sight(parts: Locator) -> None:
        for width, height in ((1920, 1080), (1440, 900), (1200, 760)):
            page.set_viewport_size({"width": width, "height": height})
            in_sight(parts)
            assert covered(page) < allowed(acts)
            assert page.evaluate("scrollY") == 0  # without scrolling

    page.set_viewport_size({"width": 1200, "height": 760})
    sit(page, game, *BOTS)
    for _ in range(3):
        asked, acts = ticket(page), page.locator("#move [name=choice]:not(.discard)").count()
        hint = page.get_by_role("button", name="Hint")
        all_in_sight(page.locator("#move .act:visible").or_(hint))

        hint.click()
        expect(page.locator(".act .told")).to_have_count(acts, timeout=20_000)
        all_in_sight(page.locator("#move .act:visible"))

        draw = page.locator(".act[data-key=d]:not(.discard)")  # gives more choices the next time
        draw.click() if draw.count() else press(page)
        answered(page, asked)
        assert page.evaluate("scrollY") == 0
        if wait(page) == "over":
            break


@pytest.mark.parametrize("game", GAMES)
def test_choices_do_not_cover_the_hand_on_a_low_phone(
    chromium: Browser, world: PlayWorld, address: str, game: str
) -> None:
    """Six seats are the narrowest case. More than `most` choices may cover more of the hand."""
    most, part = {"dice": (3, 1.0), "kadabra": (3, 1.0)}.get(game, (4, 0.2))
    with opened(chromium, address, LEARNED, **TELEPHONE) as page:
        sit(page, game, *BOTS)
        for _ in range(3):
            asked, acts = ticket(page), page.locator("#move [name=choice]:not(.discard)").count()
            page.get_by_role("button", name="Hint").tap()
            expect(page.locator(".act .told")).to_have_count(acts, timeout=20_000)
            if acts <= most:
                in_sight(page.locator("#move .act:visible"))
                assert covered(page) < part
            press(page)
            answered(page, asked)
            if wait(page) == "over":
                break


def test_choice_with_a_hint_has_room_for_a_long_name_on_a_phone(
    chromium: Browser, world: PlayWorld, address: str
) -> None:
    """LLAMA Kadabra has such choices: the player who gets a token."""
    with opened(chromium, address, LEARNED, **TELEPHONE) as page:
        sit(page, "kadabra", *BOTS)
        page.get_by_role("button", name="Hint").tap()
        expect(page.locator(".act .told").first).to_be_visible(timeout=20_000)
        page.locator(".act bdi").last.evaluate("one => one.textContent = 'm'.repeat(40)")

        assert wider_than_the_screen(page) == []
        assert page.locator("#panel").evaluate("one => one.scrollWidth <= one.clientWidth")


def test_page_starts_at_the_seats_on_a_phone_even_before_the_deal(
    chromium: Browser, world: PlayWorld, address: str
) -> None:
    without = []

    def undealt(route: Route) -> None:
        if route.request.resource_type != "document":
            return route.continue_()
        answer = route.fetch()
        older = re.sub(
            '(data-key)="[^"]*" data-turn="[^"]*"', r'\1="" data-turn="others"', answer.text()
        )
        without.append(older.replace('class="board ', 'class="'))
        return route.fulfill(response=answer, body=without[-1])

    with opened(chromium, address, LEARNED, **TELEPHONE) as page:
        sit(page, "lama", *BOTS)
        table = page.url
        page.goto("/play")
        page.route(table, undealt)
        page.goto(table)
        expect(page.locator(".board")).to_be_visible(timeout=20_000)

        assert len(without) == 1
        box = page.locator(".board").bounding_box()
        assert box is not None
        assert 0 <= box["y"] < 10


def test_focused_element_is_not_behind_the_choices(page: Page) -> None:
    page.set_viewport_size({"width": 820, "height": 500})
    sit(page, "kadabra", *BOTS)
    panel = page.locator("#panel")
    links = page.locator(".felt a").all()
    assert links
    for link in links:
        page.evaluate("scrollTo(0, 0)")
        link.focus()
        inside, below = link.bounding_box(), panel.bounding_box()
        assert inside is not None
        assert below is not None
        assert inside["y"] + inside["height"] <= below["y"]


def in_sight(parts: Locator) -> None:
    """Waits until the elements are completely in the viewport; one script for all is fast."""
    assert parts.count()
    assert parts.evaluate_all(HIDDEN) == []


HIDDEN = """(parts) => new Promise((done) => {
  const hidden = new Set(parts);
  const told = () => done([...hidden].map((one) => one.outerHTML.slice(0, 160)));
  const observer = new IntersectionObserver((seen) => {
    for (const each of seen) hidden[each.intersectionRatio > 0.999 ? "delete" : "add"](each.target);
    if (!hidden.size) told();
  }, { threshold: [0, 0.5, 0.9, 1] });
  for (const one of parts) observer.observe(one);
  setTimeout(told, 5000);
})"""


def allowed(acts: int) -> float:
    return 0.2 if acts <= 5 else 1.0


def covered(page: Page) -> float:
    """The share of the hand's height that the choices cover."""
    hand = page.locator(".own .hand-line").bounding_box()
    panel = page.locator("#panel").bounding_box()
    assert hand is not None
    assert panel is not None
    assert hand["y"] >= 0
    return (hand["y"] + hand["height"] - panel["y"]) / hand["height"]


# Keys, second thoughts, and the end


def test_keys_match_the_cards(page: Page) -> None:
    sit(page, "lama", *BOTS)
    pressed = 0
    while pressed < 3 and wait(page) != "over":
        asked = ticket(page)
        cards = page.locator(".act-cards")
        for one in cards.all():
            name = one.locator(".card").inner_text()
            assert one.get_attribute("data-key") == ("l" if name == "llama" else name)
        if cards.count():
            chosen = cards.first.locator(".card").inner_text()
            page.keyboard.press("l" if chosen == "llama" else chosen)
            pressed += 1
        else:
            page.keyboard.press("d")
        answered(page, asked)
    assert pressed == 3


def test_quitting_by_mouse_takes_two_presses(page: Page) -> None:
    sit(page, "lama", *BOTS)
    asked, leave = ticket(page), page.locator(".act-leave")

    leave.click()

    expect(leave).to_contain_text("Quit? Press again")
    assert ticket(page) == asked
    leave.click()
    answered(page, asked)


def test_dice_are_selected_first_and_discarded_together(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    sit(page, "dice", "ada")
    for _ in range(40):
        if page.locator(".pick-card").count() > 1:
            break
        asked = ticket(page)
        press(page)
        answered(page, asked)
        if wait(page) == "over":
            sit(page, "dice", "ada")
    asked, discard = ticket(page), page.locator(".discard")
    expect(discard).to_be_disabled()

    page.locator(".pick-card").nth(0).click()
    page.locator(".pick-card").nth(1).click()
    expect(discard).to_have_text(re.compile("^Discard 2 cards"))
    picked = page.locator(".in-hand.picked").first
    assert (picked.get_attribute("aria-label") or "").startswith("Select ")
    expect(picked).to_have_attribute("aria-pressed", "true")
    picked.click()  # also deselects a card of the hand
    expect(discard).to_have_text(re.compile("^Discard 1 card"))
    assert ticket(page) == asked
    page.keyboard.press("d")
    answered(page, asked)


def test_a_choice_that_reveals_nothing_can_be_undone(
    chromium: Browser, world: PlayWorld, address: str
) -> None:
    with opened(
        chromium, address, LEARNED.partition("localStorage.setItem('arena-undo'")[0]
    ) as page:
        sit(page, "lama", *BOTS)
        while not page.locator(".act-cards").count():
            asked = ticket(page)
            page.keyboard.press("d")  # draws at once, because a drawn card is revealed
            answered(page, asked)
        asked, card = ticket(page), page.locator(".act-cards").first
        card.click()
        page.get_by_role("button", name="Undo", exact=True).click()
        expect(card).to_be_enabled()
        page.wait_for_timeout(1200)
        assert ticket(page) == asked

        card.click()
        answered(page, asked)

        page.locator("[data-tool=undo]").click()  # switches undo off
        asked = ticket(page)
        press(page)
        answered(page, asked)
        assert page.evaluate("localStorage.getItem('arena-undo')") == "off"


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (360, 740)])
def test_end_shows_the_next_steps_without_scrolling(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    sit(page, "lama", "ada", "bob", length="3")
    while wait(page) != "over":
        asked = ticket(page)
        press_last(page)
        answered(page, asked)

    again = page.get_by_role("button", name="Play again")
    replay = page.get_by_role("link", name="Replay")
    for one in (again, page.get_by_role("button", name="Review"), replay):
        expect(one).to_be_in_viewport(ratio=1)
    assert page.locator(".playing .moment-rows:visible").count() == 1
    rounds = page.locator(".score-sheet tbody tr")
    assert rounds.count() in (2, 3)  # the match ends earlier if a player has 40 points
    assert rounds.last.locator("td.own").inner_text().split()[0].isdigit()
    before = page.url
    again.click()
    page.wait_for_url(lambda url: url != before)
    wait(page)


def test_nothing_says_your_turn_while_others_move(
    chromium: Browser, world: PlayWorld, address: str
) -> None:
    with opened(chromium, address, LEARNED, calm=False) as page:
        sit(page, "lama", *BOTS)
        page.evaluate(
            """() => {
                window.said = [];
                new MutationObserver(() => {
                    if (document.querySelector(".flight"))
                        window.said.push(document.querySelector(".playing").innerText);
                }).observe(document.body, { childList: true });
            }"""
        )
        asked = ticket(page)
        page.keyboard.press("d")
        answered(page, asked)

        said = page.evaluate("window.said")
        assert said
        assert not any(re.search("your turn", text, re.IGNORECASE) for text in said)


def test_opponents_have_avatars_and_a_quick_round_needs_no_form(page: Page) -> None:
    page.goto("/play")
    assert page.locator(".opponent .face").count() == len(BOTS)

    page.get_by_role("button", name="Play one round now").click()

    page.wait_for_url(re.compile(r"/play/\d+$"))
    wait(page)
    expect(page.locator(".goal")).to_contain_text("one round")


def test_two_friends_play_a_match_and_a_spectator_follows(
    chromium: Browser, world: PlayWorld, address: str
) -> None:
    def move(page: Page) -> None:
        """Makes the player's move, if it is their turn."""
        if page.locator(".playing").get_attribute("data-turn") == "mine":
            asked = ticket(page)
            press_last(page)
            page.wait_for_function(
                """before => document.querySelector("input[name=ticket]")?.value !== before""",
                arg=asked,
            )

    with (
        opened(chromium, address, LEARNED) as host,
        opened(chromium, address, LEARNED, **TELEPHONE) as friend,
        opened(chromium, address, LEARNED) as spectator,
    ):
        host.goto("/play")
        host.get_by_role("link", name="Play with friends").click()
        host.get_by_label("Your name").fill("Hal")
        host.locator("input[name=seats][value='2']").check()
        host.locator("input[name=length][value='3']").check()
        host.get_by_role("button", name="Open the table").click()
        link = host.get_by_role("region", name="Link to this table").inner_text()
        assert link == host.url

        friend.goto(link)
        friend.get_by_label("Your name").fill("Mia")
        friend.get_by_role("button", name="Join").tap()
        friend.get_by_role("button", name="Ready").tap()
        expect(friend.get_by_role("button", name="Not ready")).to_be_visible()
        expect(host.locator(".seated")).to_contain_text("Mia (guest)")  # without a reload
        assert violations(host) == []
        host.get_by_role("button", name="Ready", exact=True).click()  # the table is full: it starts
        for page in (host, friend):
            page.wait_for_url(re.compile(r"/play/\d+$"))
        spectator.goto(link)
        expect(spectator.locator("#programme")).to_contain_text("Nothing on the table yet")

        for each in (host, friend):
            expect(each.locator(".playing .board")).to_be_visible()
            expect(each.locator(".seat:not(.own) .hand .card.back")).not_to_have_count(0)
        while host.locator(".score-sheet").count() == 0:
            for player in (host, friend):
                if host.locator(".score-sheet").count() == 0:
                    move(player)
                host.reload()  # so that no player moves on before the spectator has seen the round
                friend.reload()
        expect(spectator.locator("#stage .seat .who-sits")).to_have_count(2)
        expect(spectator.locator("#programme")).to_contain_text("one round behind")
        assert violations(spectator) == []
        while host.locator(".winner").count() == 0:
            move(host)
            move(friend)
        expect(friend.locator("#status")).to_contain_text(re.compile("win"))
        expect(host.locator("#panel")).to_contain_text("Games with friends are not rated")
        spectator.wait_for_url(re.compile(r"/replay(\?|$)"))  # its script adds the move
        host.get_by_role("button", name="Play again").click()
        expect(host.locator(".seated")).to_contain_text("Hal (guest)")
        friend.get_by_role("button", name="Play again").tap()
        expect(host.locator(".seated")).to_contain_text("Mia (guest)")


def test_a_name_that_is_being_typed_stays_while_others_join(
    chromium: Browser, world: PlayWorld, address: str
) -> None:
    with (
        opened(chromium, address, LEARNED) as host,
        opened(chromium, address, LEARNED) as friend,
        opened(chromium, address, LEARNED) as other,
    ):
        host.goto("/play/tables")
        host.get_by_label("Your name").fill("Hal")
        host.locator("input[name=seats][value='4']").check()
        host.get_by_role("button", name="Open the table").click()
        for page in (friend, other):
            page.goto(host.url)
        other.get_by_label("Your name").fill("Zer")
        other.get_by_label("Your name").press("Tab")

        friend.get_by_label("Your name").fill("Mia")
        friend.get_by_role("button", name="Join").click()

        expect(other.locator(".seated")).to_contain_text("Mia (guest)")
        expect(other.get_by_label("Your name")).to_have_value("Zer")


def test_a_guest_takes_the_record_along_to_an_account(
    chromium: Browser, page: Page, address: str
) -> None:
    sit(page, "lama", "ada", length="1", called="Zoe")
    expect(page.locator(".playing")).to_contain_text("You")
    while wait(page) != "over":
        asked = ticket(page)
        press_last(page)
        answered(page, asked)
    match = page.get_by_role("link", name="Replay").get_attribute("href") or ""
    with opened(chromium, address, LEARNED) as other:
        other.goto(match)
        expect(other.locator("main")).to_contain_text("Zoe (guest)")

    page.goto("/play/record")
    see_one_game(page)
    page.get_by_role("link", name="Sign up", exact=True).last.click()
    page.get_by_label("Name").fill("zoe")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    page.goto("/play/record")
    page.get_by_role("button", name="Add to my account").click()
    expect(page.get_by_role("button", name="Add to my account")).to_have_count(0)
    see_one_game(page)

    with opened(chromium, address, LEARNED) as elsewhere:
        sign_in(elsewhere, "zoe", PASSWORD)
        elsewhere.goto("/play/record")
        see_one_game(elsewhere)


def see_one_game(page: Page) -> None:
    """The record has one game against ada, with date, place and points."""
    expect(page.get_by_role("region", name="Against each bot")).to_contain_text("ada")
    line = page.get_by_role("region", name="Games", exact=True).locator("tbody tr")
    expect(line).to_have_count(1)
    expect(line.locator("td").nth(1)).to_have_text(re.compile("^[12] of 2$"))
    expect(line.locator("td").nth(2)).to_have_text(re.compile(r"^\d+$"))
