"""A post as a member is shown it: what templates/components/post.html takes, made from the effective state."""

import re
import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from moderation.enums import StandingLevel
from moderation.policy import FULL, LABEL_SEVERITY
from moderation.selectors.feed import FeedPost
from moderation.views import media

EXCERPT = 700  # characters of a text that a list shows before "Read the whole post"
_JOINS = {"\u200c", "\u200d", "\ufe0e", "\ufe0f"}  # joiners and variation selectors belong to what is before
_OWN_MEDIA = re.compile(rf"^{re.escape(settings.MEDIA_URL)}[0-9a-f]{{2}}/[0-9a-f]{{64}}\.([a-z0-9]{{3,4}})$")
_BIDI_CONTROLS = dict.fromkeys(
    map(ord, "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
)

DIALOGS = "#dialogs"  # where lists keep the place for a post's dialogs


def card(shown: FeedPost, rules: Mapping[str, Any], *, whole: bool = False) -> dict[str, Any]:
    """The parameters of the post component. `rules`: the policy's data. `whole`: nothing is cut."""
    post, effect = shown.post, shown.effect or {}
    url = reverse("post", args=[post.pk])
    found = label(effect, rules)
    articles = web_articles(effect)
    left = round(shown.multiplier * FULL)
    if found and left == FULL:  # else the line about the weight links there
        found["why_url"] = f"{url}#why"
    return {
        "id": post.pk,
        "post": {
            "actor": {
                "name": post.actor.name,
                "kind": post.actor.kind,
                "initials": initials(post.actor.name),
                "level": _public_level(effect),
            },
            "published_at": post.published_at,
            "lang": post.language,
            "views": shown.reach.views if shown.reach else None,
            "shares": shown.reach.shares if shown.reach else None,
            "url": "" if whole else url,
            "edited": bool(post.current_version and post.current_version.number > 1),
            "media_id": f"media-{post.pk}",
            **content(shown.content, url="" if whole else url),
        },
        "label": found,
        "hidden": bool(found) and rated_interstitial(effect, rules),
        "veil": _veil(effect, rules),
        # One article is linked from the label; several, or one without a label, are shown.
        "articles": articles if len(articles) > 1 or not found else [],
        "lowered": left if left < FULL else None,
        "why_url": f"{url}#why",
        "flag_url": reverse("flag", args=[post.pk]) + f"?version={post.current_version_id}",
        "share_url": reverse("share", args=[post.pk]),
        "flagged": shown.flagged,
        "flag_slot": f"flag-{post.pk}",
    }


def content(of: Any, *, url: str = "") -> dict[str, Any]:
    """Text, media and links of a post's content; a text that is cut goes on at `url`."""
    text = excerpt(of.text) if url else of.text
    links = [link for link in map(web_link, of.links) if link]
    media_own, elsewhere = split_media(of.media)
    return {
        "text": text,
        "whole_url": url if text != of.text else "",
        "media": media_own,
        "elsewhere": elsewhere,
        "link": links[0] if links else None,
        "links": links[1:],
    }


def label(effect: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the banner on the post says, from the most severe verdict's article; None without a label."""
    level = effect.get("label")
    if not level:
        return None
    articles = web_articles(effect)
    earlier = bool(effect.get("made_on_earlier_version"))
    if effect.get("contested") and level == rules["contested_label"]:
        names = get_text_list(list(dict.fromkeys(a["publisher"] for a in articles)), _("and"))
        return {"verdict": "disagree", "publisher": names, "level": "context", "earlier_version": earlier}
    lead = max(articles, key=lambda a: _severity(a["verdict"], rules), default=None)
    if lead is None:  # the decision came without an article: say what it demands
        verdict = next(code for code, rule in rules["verdicts"].items() if rule["label"] == level)
        lead = {"verdict": verdict, "publisher": _("independent fact-checkers"), "headline": "", "url": ""}
    return {
        "verdict": lead["verdict"],
        "publisher": lead["publisher"],
        "headline": lead["headline"],
        "url": lead["url"],
        "level": level,
        "earlier_version": earlier,
    }


def rated_interstitial(effect: Mapping[str, Any], rules: Mapping[str, Any]) -> bool:
    """Whether a verdict demands the interstitial. A contested one demands nothing."""
    asks = {code for code, rule in rules["verdicts"].items() if rule["interstitial"]}
    return bool(effect.get("interstitial")) and any(a["verdict"] in asks for a in effect.get("articles", ()))


def web_articles(effect: Mapping[str, Any]) -> list[dict[str, str]]:
    """The articles of the verdicts in force, most recent decision last; only web addresses are linked."""
    return [{**a, "url": a["url"] if is_web(a["url"]) else ""} for a in effect.get("articles", ())]


def excerpt(text: str, most: int = EXCERPT) -> str:
    """The beginning of a text, cut between words where it has words, never inside what reads as one letter."""
    if len(text) <= most:
        return text
    cut = max(text.rfind(" ", most // 2, most), text.rfind("\n", most // 2, most))
    if cut < 0:
        cut = most
        while cut > 1 and (_continues(text[cut]) or text[cut - 1] == "\u200d"):
            cut -= 1
    return text[:cut].rstrip(" \n.…") + "…"


def initials(name: str) -> str:
    """At most two letters for the face beside a name; "?" for a name without letters or digits."""
    firsts = [next((c for c in word if unicodedata.category(c)[0] in "LN"), "") for word in name.split()]
    firsts = [c for c in firsts if c]
    return "".join(firsts[:1] + firsts[1:][-1:]).upper() or "?"


def plain(name: str) -> str:
    """A name for a place without markup (a title, a message): its direction controls are left out."""
    return name.translate(_BIDI_CONTROLS)


def split_media(items: Sequence[Mapping[str, str]]) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Media that we keep, and media of other sites, which no reader's browser fetches (field lesson UI-01)."""
    own, elsewhere = [], []
    for item in items:
        url, alt = str(item.get("url", "")), str(item.get("alt", ""))
        match = _OWN_MEDIA.match(url)
        if match and match[1] in media.TYPES:
            own.append({"url": url, "alt": alt, "kind": media.TYPES[match[1]].split("/")[0]})
        else:
            elsewhere.append({"alt": alt, "url": url if is_web(url) else "", "host": _host(url)})
    return own, elsewhere


def web_link(url: str) -> dict[str, str] | None:
    """A link card; None for what is no web address."""
    return {"url": url, "domain": _host(url)} if is_web(url) else None


def is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def post_url(post_id: uuid.UUID) -> str:
    return reverse("post", args=[post_id])


def _public_level(effect: Mapping[str, Any]) -> str:
    """A level that takes reach is everybody's to see; a single strike is the author's own matter."""
    level = str(effect.get("actor_level", ""))
    return "" if level == StandingLevel.NOTICE else level


def _veil(effect: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, str] | None:
    """The cover of a restricted post that no verdict covers already."""
    if not effect.get("interstitial") or rated_interstitial(effect, rules):
        return None
    return {
        "title": _("Restricted by the policy desk"),
        "text": _("What this post shows may disturb or do harm. You can still see it."),
    }


def _severity(verdict: str, rules: Mapping[str, Any]) -> tuple[int, int]:
    rule = rules["verdicts"].get(verdict)
    if rule is None:
        return -1, 0
    return LABEL_SEVERITY.index(rule["label"]), -rule["multiplier"]["feed"]


def _continues(char: str) -> bool:
    return char in _JOINS or bool(unicodedata.combining(char)) or "\U0001f3fb" <= char <= "\U0001f3ff"


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
