"""What the tests of the triage's pages share: posts in the queue, addresses, the form, a page as it reads."""

import re

from django.urls import reverse

from moderation.models import ReviewItem
from tests.factories import platform as p


def flagged(clock, text="The water of the town well was tested and found clean.", **fields):
    """A post in the queue."""
    post = p.post(text, clock=clock, **fields)
    p.flag(post, clock=clock)
    p.settle(clock)
    return post


def item_of(post):
    return ReviewItem.objects.get(post=post, status="open")


def page(item):
    return reverse("factcheck:triage_item", args=[item.pk])


def verb(name, item):
    return reverse(f"factcheck:triage_{name}", args=[item.pk])


def filled(item, partner, verdict="false", **changes):
    """What the form of the page sends."""
    return {
        "version": item.version,
        "seen": str(item.displayed_version_id),
        "verdict": verdict,
        "claim_text": "The well is poisoned.",
        "fragment": "the town well",
        "headline": "No, the well is not poisoned",
        "explanation": "The laboratory's results were published on Monday.",
        "article_url": f"https://{partner.domains[0]}/checks/well",
        "evidence_url_0": "https://example.org/results",
        "evidence_title_0": "The results",
        "countries": "pt, BR",
        "act": "next",
        **changes,
    }


def words(response):
    """The page as read: without tags, spaces joined."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def poll_of(response):
    """The address and version that the list of a page asks with."""
    html = response.content.decode()
    url = re.search(r'id="queue" data-poll="([^"]+)"', html)[1].replace("&amp;", "&")
    return url, re.search(r'data-version="([^"]+)"', html)[1]


def ask(client, url, version):
    """The poll, as poll.js asks."""
    given = dict(part.split("=", 1) for part in url.partition("?")[2].split("&") if part)
    return client.get(url, {**given, "version": version})
