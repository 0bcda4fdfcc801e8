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
    """A browser and a driver that start, installed when absent: from the system's packages as root, the
    browser by Playwright otherwise.

    Raises Problem when they are not to be had.
    """
    install = _Installer(log, interrupted)
    found = find() or install.chromium()
    if not _starts(found):
        raise Problem(
            "The page tests need Chromium, and the one installed does not start: install its system packages."
        )
    driver = [sys.executable, "-m", "playwright"]
    if not _starts(*driver):
        install.system_package("libatomic1")  # what its Node.js needs and a small Debian lacks
        if not _starts(*driver):
            raise Problem(
                f"Playwright's driver does not start: see what “{' '.join(driver)} --version” says."
            )
    return found


class _Installer:
    def __init__(self, log: Path, interrupted: Callable[[], bool]) -> None:
        self._log = log
        self._interrupted = interrupted
        self._may = os.geteuid() == 0 and shutil.which("apt-get") is not None

    def chromium(self) -> Path:
        """Raises Problem."""
        if self._may:
            self.system_package("chromium")
        else:
            try:
                download = [sys.executable, "-m", "playwright", "install", "chromium"]
                self._step("Downloading Chromium", download, doing="download Chromium")
            except Problem as problem:
                raise Problem(
                    f"The page tests need Chromium: install chromium or google-chrome ({problem})"
                ) from None
        found = find()
        if found is None:
            raise Problem("The page tests need Chromium: install chromium or google-chrome.")
        return found

    def system_package(self, name: str) -> None:
        """Raises Problem."""
        if not self._may:
            raise Problem(f"The page tests need the system package {name}: install it.")
        install = ["apt-get", "install", "-q", "-y", "--no-install-recommends", name]
        self._step(
            "Updating the package lists", ["apt-get", "update", "-q"], doing="update the package lists"
        )
        self._step(f"Installing {name}", install, doing=f"install {name}")

    def _step(self, title: str, argv: list[str], *, doing: str) -> None:
        env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        step(title, argv, doing=doing, env=env, log=self._log, interrupted=self._interrupted)


def _starts(*program: str | Path) -> bool:
    return subprocess.run([*program, "--version"], capture_output=True).returncode == 0
