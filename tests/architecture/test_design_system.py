"""Habits of templates and static files that no other tool checks."""

import re

from launcher.places import ROOT

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SPRITE = set(
    re.findall(r'<symbol id="([\w-]+)"', (ROOT / "static/icons/sprite.svg").read_text(encoding="utf-8"))
)
ICON = re.compile(r"""\{%\s*icon\s+"([\w-]+)"|(?<![-\w])icon="([\w-]+)"|_icon="([\w-]+)\"""")


def test_every_icon_a_template_names_is_in_the_sprite():
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in TEMPLATES
        for found in ICON.findall(path.read_text(encoding="utf-8"))
        for name in found
        if name and name not in SPRITE
    }

    assert missing == set()


def test_no_template_has_inline_style_or_script():
    """The Content-Security-Policy would silently drop them."""
    inline = re.compile(
        r"<style|\sstyle=|<script(?![^>]*\bsrc=)|\son[a-z]+=|javascript:|\shx-on", re.IGNORECASE
    )

    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in TEMPLATES
        for match in inline.finditer(path.read_text(encoding="utf-8"))
    }

    assert found == set()


def test_styles_know_no_left_and_right():
    """Logical properties only, so that pages mirror for right-to-left languages."""
    physical = re.compile(
        r"^\s*(?:[^/*]*[{;]\s*)?((?:margin|padding|border)-(?:left|right)\b|(?:left|right):)", re.M
    )

    found = {
        f"{path.name}: {match[1]}"
        for path in sorted((ROOT / "static/css").glob("*.css"))
        for match in physical.finditer(path.read_text(encoding="utf-8"))
    }

    assert found == set()


def test_every_module_the_pages_load_is_there():
    loaded = {
        name
        for path in TEMPLATES
        for name in re.findall(
            r'\{%\s*static\s+"((?:js|css|vendor|icons|styleguide)/[^"]+)"', path.read_text()
        )
    }

    assert {name for name in loaded if not (ROOT / "static" / name).exists()} == set()
