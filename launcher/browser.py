"""The browser for the page tests: one that is there, or one that can be had."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from launcher.console import step
from launcher.problems import Problem

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> Path | None:
    """A Chromium of the system, or one that Playwright downloaded earlier."""
    for name in _NAMES:
        if found := shutil.which(name):
            return Path(found)
    downloads = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    return max(downloads.glob("chromium-*/chrome-linux*/chrome"), default=None)


def ensure(*, log: Path, interrupted: Callable[[], bool]) -> Path:
    """A browser, installed when absent: from the system's packages as root, by Playwright otherwise.

    Raises Problem when there is none to be had.
    """
    if found := find():
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for title, argv in (
            ("Updating the package lists", ["apt-get", "update", "-q"]),
            (
                "Installing Chromium",
                ["apt-get", "install", "-q", "-y", "--no-install-recommends", "chromium"],
            ),
        ):
            step(title, argv, doing="install Chromium", env=env, log=log, interrupted=interrupted)
    else:
        download = [sys.executable, "-m", "playwright", "install", "chromium"]
        try:
            step(
                "Downloading Chromium",
                download,
                doing="download Chromium",
                env=os.environ,
                log=log,
                interrupted=interrupted,
            )
        except Problem as problem:
            raise Problem(
                f"The page tests need Chromium: install chromium or google-chrome ({problem})"
            ) from None
    found = find()
    if not found or subprocess.run([found, "--version"], capture_output=True).returncode != 0:
        raise Problem(
            "The page tests need Chromium, and the one installed does not start: install its system packages."
        )
    return found
