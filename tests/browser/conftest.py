"""A real browser at a real server: people signed in, the workers' work, axe and pictures.

Time is the wall clock here. Each person gets a browser context of their own, so that two can meet.
Whatever a page does that the Content-Security-Policy forbids, and every script error, fails the test.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page

from moderation.caller import Caller
from moderation.middleware import ACTING
from moderation.models import User
from moderation.services import notices
from tests.browser.triage_fixtures import partner, queue, rita  # noqa: F401 (fixtures)
from tests.factories import platform

# Playwright's own loop runs in this thread, and Django takes it for an asynchronous view.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")
# Waits for every colour that fades; one that is cut off counts as done.
FADING = """Promise.all(document.getAnimations()
    .map((a) => a instanceof CSSTransition ? a.finished.catch(() => 0) : 0)).then(() => 0)"""
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Open(Protocol):
    def __call__(self, who: Caller | User | None = None, **context: Any) -> Page: ...


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium where there is one, else Playwright's own."""
    as_root = ["--no-sandbox"] if os.getuid() == 0 else []
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return browser_type_launch_args | {"executable_path": found, "args": [*FLAGS, *as_root]}


@pytest.fixture(scope="session")
def base_url(live_server: Any) -> str:
    """So that `page.goto("/feed/")` is enough."""
    return str(live_server.url)


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any], base_url: str) -> dict[str, Any]:
    width, height = SIZES["desktop"]
    return browser_context_args | {
        "base_url": base_url,
        "viewport": {"width": width, "height": height},
        "locale": "en-GB",
        "reduced_motion": "reduce",
    }


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """What went wrong inside the pages of this test; must stay empty. A test that provokes one clears it."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def open_as(
    browser: Browser, browser_context_args: dict[str, Any], faults: list[str], base_url: str
) -> Iterator[Open]:
    """`open_as(caller)` or `open_as(user)` gives a page signed in as them; `open_as()` nobody's page.

    A Caller acts in its role and organisation. Keywords go to the browser context (`viewport`, `locale`,
    `java_script_enabled`, …).
    """

    contexts = []

    def opened(who: Caller | User | None = None, **context: Any) -> Page:
        made = browser.new_context(**(browser_context_args | context))
        contexts.append(made)
        made.set_default_timeout(10_000)
        made.on("weberror", lambda error: faults.append(str(error.error)))
        made.on("console", lambda message: _note(message, faults))
        if who is not None:
            sign_in(made, who, base_url)
        return made.new_page()

    yield opened
    for made in contexts:
        made.close()


def sign_in(context: BrowserContext, who: Caller | User, base_url: str) -> None:
    """Put a session of theirs into the browser's cookies, without the sign-in page."""
    client = Client()
    if isinstance(who, User):
        client.force_login(who, backend=settings.AUTHENTICATION_BACKENDS[0])
    else:
        client.force_login(User.objects.get(pk=who.person_id), backend=settings.AUTHENTICATION_BACKENDS[0])
        session = client.session
        session[ACTING] = f"{who.role}:{who.organisation_id}" if who.organisation else str(who.role)
        session.save()
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": base_url}])


def _note(message: Any, faults: list[str]) -> None:
    if message.type == "error" and "Content Security Policy" in message.text:
        faults.append(message.text)


def look(page: Page, scheme: str) -> None:
    """See the page in this colour scheme, after everything has faded over to it."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.wait_for_function("(scheme) => document.documentElement.dataset.bsTheme === scheme", arg=scheme)
    for _frame in range(3):
        page.evaluate("new Promise(requestAnimationFrame)")
        page.evaluate(FADING)


@pytest.fixture
def work(transactional_db: None) -> Callable[[], None]:
    """`work()` does what the workers would do now: the outbox, the change feed, the notices that are due."""

    def worked() -> None:
        platform.settle(timezone.now)  # type: ignore[arg-type]  # the wall clock is a clock too
        notices.deliver(now=timezone.now())

    return worked


@pytest.fixture
def axe() -> Callable[..., None]:
    """`axe(page)` asserts that axe finds nothing on the page as it stands, in light and in dark."""

    def checked(page: Page, *, schemes: tuple[str, ...] = SCHEMES) -> None:
        found = []
        for scheme in schemes:
            look(page, scheme)
            results = Axe().run(page)
            found += [
                f"{scheme}: {violation['id']}: {violation['help']}: {node['html'][:300]}"
                for violation in results.response["violations"]
                for node in violation["nodes"]
            ]
        page.emulate_media(color_scheme=None)
        assert found == [], "\n".join(found)

    return checked


@pytest.fixture
def shoot(tmp_path: Path) -> Callable[..., list[Path]]:
    """`shoot(page, "feed")` takes feed-{desktop,phone}-{light,dark}.png, into SCREENSHOTS if that is set."""
    folder = Path(os.environ.get("SCREENSHOTS", tmp_path))

    def taken(page: Page, name: str, *, full_page: bool = False) -> list[Path]:
        folder.mkdir(parents=True, exist_ok=True)
        before = page.viewport_size
        paths = []
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for scheme in SCHEMES:
                look(page, scheme)
                page.evaluate("document.fonts.ready")
                path = folder / f"{name}-{size}-{scheme}.png"
                page.screenshot(path=path, full_page=full_page, animations="disabled")
                paths.append(path)
        page.emulate_media(color_scheme=None)
        if before:
            page.set_viewport_size(before)
        return paths

    return taken
