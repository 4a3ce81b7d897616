"""Checks of pages: errors, accessibility (by axe), and width."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, CDPSession, ConsoleMessage, Page, Request, Response

OF_COLOURS = ("color-contrast", "link-in-text-block")  # rules of axe
OPERABLE = "a[href], button, input:not([type=hidden]), select, textarea, summary"
# No lesson opens over the table, and choices are sent at once.
LEARNED = (
    "localStorage.setItem('arena-lessons', 'lama party dice kadabra');"
    "localStorage.setItem('arena-undo', 'off');"
)
# What htmx logs if a request is aborted, by a newer one or by leaving the page.
ABORTED = tuple(
    f"error: htmx:{each}, [object HTMLElement]" for each in ("afterRequest", "sendAbort")
)
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


def slow_down(page: Page) -> CDPSession:
    """Makes pages arrive in parts, as on a slow phone: 30 kB a second until the result is detached.
    Slowing the processor down instead would take it from other tests."""
    session = page.context.new_cdp_session(page)
    network = {
        "offline": False,
        "latency": 50,
        "downloadThroughput": 30_000,
        "uploadThroughput": -1,
    }
    session.send("Network.emulateNetworkConditions", network)
    return session


@contextmanager
def watched(page: Page, expected: int = 200) -> Iterator[Page]:
    """Fails if the page logs to its console, or if a request fails.

    `expected` is a permitted error status.
    """
    complaints: list[str] = []

    def said(message: ConsoleMessage) -> None:
        if not (expected != 200 and f"status of {expected}" in message.text):
            complaints.append(f"{message.type}: {message.text}")

    def answered(response: Response) -> None:
        if response.status >= 400 and response.status != expected:
            complaints.append(f"{response.status}: {response.url}")

    def failed(request: Request) -> None:
        # Leaving a page aborts its stream and its fetches.
        if request.failure != "net::ERR_ABORTED":
            complaints.append(f"{request.failure}: {request.url}")

    listeners: dict[Any, Callable[[Any], None]] = {
        "console": said,
        "response": answered,
        "requestfailed": failed,
        "pageerror": lambda error: complaints.append(f"thrown: {error}"),
        "dialog": lambda dialog: complaints.append(f"dialog: {dialog.message}"),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    yield page
    assert page.evaluate("window.owned") is None
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    for each in ABORTED * complaints.count(ABORTED[-1]):
        complaints.remove(each)
    assert complaints == [], complaints  # pytest does not rewrite assertions in this module


@contextmanager
def opened(
    chromium: Browser, address: str, *scripts: str, calm: bool = True, **options: Any
) -> Iterator[Page]:
    """A watched page in a new browser context with these initial scripts."""
    context = chromium.new_context(
        base_url=address, reduced_motion="reduce" if calm else "no-preference", **options
    )
    for script in scripts:
        context.add_init_script(script)
    with watched(context.new_page()) as page:
        yield page
    context.close()


judged: set[str] = set()  # styles of texts already found to be accessible in this process


def violations(page: Page, *rules: str) -> list[str]:
    """Violations of WCAG 2 A and AA and best practices, or of OF_COLOURS, and duplicate ids.

    To save time, axe checks three of siblings that differ only in their text, and contrast for two
    texts of each style, on the first page that has it.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    new = set(page.evaluate(LOOKS)) - judged
    found: list[Any] = []
    if new or not rules:
        kind = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": TAGS}
        off = {} if new or rules else {rule: {"enabled": False} for rule in OF_COLOURS}
        options = {"runOnly": kind, "rules": off, "resultTypes": ["violations"], "preload": False}
        found = page.evaluate(RUN, [sorted(new), options])
    if not found:
        judged.update(new)
    twice: list[str] = page.evaluate(TWICE)
    return twice + [
        f"{violation['id']}: {node['target']} {node['failureSummary']} {node['html'][:300]}"
        for violation in found
        for node in violation["nodes"]
    ]


# One run for all rules, because axe measures the whole page in each. Siblings are similar if their
# elements have the same attribute names, classes and roles.
RUN = """async ([keys, options]) => {
  const looks = keys.flatMap((key) => window.looks.get(key).slice(0, 2));
  axe.configure({rules: [
    {id: "color-contrast", selector: "[data-look]"},
    {id: "link-in-text-block", selector: "a[href][data-look]"},
  ]});
  const others = / (?!class=|role=|type=|tabindex=|style=)([\\w:-]+)="[^"]*"/g;
  const many = [...document.querySelectorAll("*")].filter((one) => one.childElementCount > 6);
  const similar = many.flatMap((parent) => {
    const seen = new Map();
    return [...parent.children].filter((one) => {
      const sort = one.outerHTML.replace(/>[^<]*</g, "><").replace(others, " $1");
      seen.set(sort, (seen.get(sort) || 0) + 1);
      return seen.get(sort) > 3 && !looks.some((look) => one.contains(look));
    });
  });
  for (const one of looks) one.setAttribute("data-look", "");
  const found = await axe.run(similar.length ? {exclude: similar} : document, options);
  for (const one of looks) one.removeAttribute("data-look");
  return found.violations;
}"""

# Texts have the same style if element, class, font, colour and background are the same. Single
# letters are separate, because axe cannot judge them.
LOOKS = """() => {
  const chains = new Map(), looks = new Map();
  const behind = (one) => {
    if (!chains.has(one)) {
      const look = getComputedStyle(one);
      const own = [look.backgroundColor, look.backgroundImage, look.opacity, look.filter].join();
      const seen = own === "rgba(0, 0, 0, 0),none,1,none" ? "" : own;
      chains.set(one, one.parentElement ? `${behind(one.parentElement)}/${seen}` : seen);
    }
    return chains.get(one).replace(/\\/+/g, "/");
  };
  const kind = (one) => `${one.tagName}.${one.getAttribute("class")}`;
  for (const one of document.querySelectorAll("body *")) {
    const says = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim();
    const texts = one.matches("input, select, textarea") || [...one.childNodes].some(says);
    if (!texts || !one.checkVisibility()) continue;
    const look = getComputedStyle(one), around = one.parentElement;
    const key = [
      kind(one), look.color, look.fill, getComputedStyle(around).color, look.fontSize,
      look.fontWeight, look.textShadow, look.textDecorationLine, one.disabled,
      one.textContent.trim().length === 1, behind(one),
    ].join("|");
    looks.set(key, [...(looks.get(key) || []), one]);
  }
  window.looks = looks;
  return [...looks.keys()];
}"""
TWICE = """() => {
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) < at))].map((id) => `twice: ${id}`);
}"""


def wider_than_the_screen(page: Page) -> list[Any]:
    """Empty, or the width of the page and the elements that are too wide."""
    found: list[Any] = page.evaluate(WIDER)
    return found


WIDER = """() => {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return [];
  const cut = (one) => one !== document.body && getComputedStyle(one).overflowX !== "visible";
  const within = (one) => one && one !== root && (cut(one) || within(one.parentElement));
  const wide = [...document.querySelectorAll("body *")].filter(
    (one) => one.getBoundingClientRect().right > root.clientWidth && !within(one.parentElement));
  return [root.scrollWidth, ...wide.slice(0, 5).map((one) => one.outerHTML.slice(0, 160))];
}"""


def hard_to_operate(page: Page) -> list[str]:
    """Targets that are too small (WCAG 2.5.8), and regions that the keyboard cannot scroll.

    These depend on the width of the page, and axe needs ten times as long for them.
    """
    found: list[str] = page.evaluate(HARD_TO_OPERATE, OPERABLE)
    return found


# A target is part of a text, or has 24 pixels in both directions that no other target overlaps, or
# has as much distance to others.
HARD_TO_OPERATE = """(operable) => {
  const clipped = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const x = (left + right) / 2, y = (top + bottom) / 2;
    for (let around = one; (around = around.parentElement) !== document.body;) {
      if (getComputedStyle(around).overflow === "visible") continue;
      const box = around.getBoundingClientRect();
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) return true;
    }
    return false;
  };
  const shown = [...document.querySelectorAll(operable)].filter((one) => one.tabIndex >= 0
    && one.checkVisibility({ visibilityProperty: true }) && one.offsetWidth && !clipped(one));
  const block = (one) =>
    /^inline(-block)?$/.test(getComputedStyle(one).display) ? block(one.parentElement) : one;
  const inText = (one) => {
    const around = block(one), texts = document.createTreeWalker(around, NodeFilter.SHOW_TEXT);
    while (around !== one && texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      const own = !shown.includes(parentElement.closest(operable));
      if (data.trim() && own && block(parentElement) === around) return true;
    }
    return false;
  };
  const targets = shown.map((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return { one, left, right, top, bottom, x: (left + right) / 2, y: (top + bottom) / 2 };
  });
  const nested = (a, b) => a.one.contains(b.one) || b.one.contains(a.one);
  const large = ({ left, right, top, bottom }) => right - left >= 24 && bottom - top >= 24;
  const overlap = (a, b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  for (const a of targets) {
    const over = targets.filter((b) => !nested(a, b) && overlap(a, b));
    const beside = (b) =>
      [{ right: b.left }, { left: b.right }, { bottom: b.top }, { top: b.bottom }];
    a.small = !large(a) || !over.every((b) => beside(b).some((cut) => large({ ...a, ...cut })));
  }
  const near = (a, b) => b.small
    ? Math.hypot(a.x - b.x, a.y - b.y) < 24
    : Math.hypot(a.x - Math.max(b.left, Math.min(a.x, b.right)),
                 a.y - Math.max(b.top, Math.min(a.y, b.bottom))) < 12;
  const small = targets.filter(
    (a) => a.small && !inText(a.one) && targets.some((b) => !nested(a, b) && near(a, b)));
  const scrolls = (one) => {
    const { overflowX, overflowY } = getComputedStyle(one);
    const moves = (overflow) => overflow === "auto" || overflow === "scroll";
    return (moves(overflowX) && one.scrollWidth > one.clientWidth + 1)
      || (moves(overflowY) && one.scrollHeight > one.clientHeight + 1);
  };
  const stuck = [...document.querySelectorAll("body *")].filter((one) => scrolls(one)
    && !one.matches(`${operable}, [tabindex]`) && !shown.some((other) => one.contains(other)));
  const tell = (fault) => (one) => `${fault}: ${one.outerHTML.slice(0, 160)}`;
  return [...small.map((a) => a.one).map(tell("target-size")),
          ...stuck.map(tell("scrollable-region-focusable"))];
}"""
