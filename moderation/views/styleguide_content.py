"""Made-up but plausible content for the styleguide: people, posts, verdicts, in several languages."""

from datetime import datetime, timedelta
from typing import Any

from django.templatetags.static import static

FLOOD = (
    "BREAKING: this is downtown right now after the dam failed. They are not showing this on TV. "
    "Share before it gets deleted!"
)
CALL = "Meet at the old market at nine. Bring what you have. They must not get home tonight."
ARABIC = "عاجل: السلطات تقرر قطع الإنترنت في كل المدن ابتداءً من منتصف الليل. انشر قبل الحذف!"
HINDI = "गर्म पानी में नींबू डालकर पीने से डेंगू 24 घंटे में ठीक हो जाता है, डॉक्टर ने बताया।"
PERSIAN = "فوری: از فردا بنزین سهمیه‌بندی می‌شود و کارت سوخت باطل خواهد شد."
LONG = (
    "This is not a drill. My cousin works at the reservoir and says that the dam north of the city has three cracks, "
    "that the engineers were told to keep quiet until after the vote, and that the siren test on Friday is a cover. "
    "Fill your bathtubs tonight.\n\nThey will tell you that it is maintenance. Ask yourself why the road is closed. "
    "Ask yourself why the mayor's family left on Tuesday. Share this with everybody who lives below the bridge, "
    "because nobody else is going to warn them."
)
DEFINITIONS = {
    "false": "No basis in fact, or fabricated; also authentic media offered as proof of an unrelated event.",
    "altered": "The medium itself was edited or synthesised in a way that may mislead.",
    "partly_false": "Some inaccuracies, a mixture, or an opinion that rests on false facts.",
    "missing_context": "May mislead a reader who lacks a fact that is left out.",
    "satire": "Satire or humour that a reader may take for news.",
    "true": "Accurate as it stands.",
    "not_eligible": "Opinion, unverifiable, or outside the programme. Closes the item without a rating.",
}
LABELS = {
    "false": "False",
    "altered": "Altered",
    "partly_false": "Partly false",
    "missing_context": "Missing context",
    "satire": "Satire",
    "true": "True",
    "not_eligible": "Not eligible",
}


def content(now: datetime) -> dict[str, Any]:
    """Made-up but plausible content for every component, relative to `now`."""
    ago = lambda **span: now - timedelta(**span)  # noqa: E731
    ahead = lambda **span: now + timedelta(**span)  # noqa: E731
    curve = [3, 5, 9, 14, 30, 62, 88, 120, 171, 160, 148, 190]
    sink = [150, 171, 182, 176, 90, 41, 22, 15, 11, 9, 8, 6]
    image = {
        "url": static("styleguide/flood.svg"),
        "alt": "A flooded street at dusk, a red car half under water",
        "width": 1200,
        "height": 800,
        "kind": "image",
    }
    daily = {
        "name": "Daily Truth",
        "kind": "page",
        "handle": "@dailytruth",
        "initials": "DT",
        "level": "repeat_offender",
    }
    lidia = {"name": "Lídia Nunes", "kind": "account", "handle": "@lidia.n", "initials": "LN"}
    post = {
        "actor": daily,
        "published_at": ago(hours=5),
        "lang": "en",
        "text": FLOOD,
        "media": [image],
        "media_id": "flood",
        "views": 3_120_441,
        "shares": 48_310,
        "url": "#post",
    }
    plain = {
        "actor": lidia,
        "published_at": ago(minutes=42),
        "lang": "en",
        "text": "Spent the morning at the river with the kids. Water is high, but the footbridge is open again.",
        "views": 412,
        "shares": 3,
        "url": "#post",
    }
    link_post = {
        "actor": {"name": "Health First", "kind": "page", "handle": "@healthfirst", "initials": "HF"},
        "published_at": ago(hours=9),
        "lang": "hi",
        "text": HINDI,
        "views": 840_220,
        "shares": 9_120,
        "url": "#post",
        "link": {
            "url": "https://health-first.example/dengue-lemon",
            "domain": "health-first.example",
            "title": "Doctors do not want you to know: lemon water ends dengue in a day",
            "description": "A simple kitchen recipe that has helped thousands of families this season.",
        },
    }
    arabic_post = {
        "actor": {"name": "أخبار المدينة", "kind": "group", "initials": "أخ", "handle": "@city.news"},
        "published_at": ago(hours=2),
        "lang": "ar",
        "text": ARABIC,
        "views": 91_200,
        "shares": 2_204,
        "url": "#post",
        "edited": True,
    }
    label = {
        "verdict": "false",
        "publisher": "Clarim",
        "level": "warning",
        "headline": "The picture shows a flood in 2011, in another country",
        "url": "https://clarim.example/2026/flood-picture",
        "rated_at": ago(hours=3),
        "why_url": "#why",
    }
    return {
        "now": now,
        "verdicts": list(LABELS),
        "all_verdicts": [*LABELS, "disagree", "investigating", ""],
        "options": [
            {"value": value, "label": LABELS[value], "definition": DEFINITIONS[value], "key": str(i)}
            for i, value in enumerate(LABELS, start=1)
        ],
        "post": post,
        "plain": plain,
        "link_post": link_post,
        "arabic_post": arabic_post,
        "long_post": plain | {"text": LONG, "lang": "en"},
        "label": label,
        "context_label": label
        | {
            "verdict": "missing_context",
            "publisher": "Satya Desk",
            "level": "context",
            "headline": "Lemon water is harmless, but no study shows that it shortens dengue",
        },
        "articles": [
            {
                "headline": "The picture shows a flood in 2011, in another country",
                "url": "https://clarim.example/2026/flood-picture",
                "publisher": "Clarim",
                "published_at": ago(hours=3),
                "verdict": "false",
                "summary": "We found the original in a news agency's archive and spoke to the photographer.",
            }
        ],
        "daily": daily,
        "lidia": lidia,
        "curve": curve,
        "sink": sink,
        "times": {
            "recent": ago(seconds=20),
            "minutes": ago(minutes=12),
            "hours": ago(hours=5),
            "days": ago(days=9),
            "late": ago(hours=3),
            "soon": ahead(minutes=38),
            "later": ahead(hours=5),
            "lease": ahead(minutes=8, seconds=41),
            "lease_soon": ahead(seconds=75),
        },
        "old_text": "Downtown right now after the dam failed. Share before it gets deleted!",
        "new_text": "Picture from 2011: downtown after the dam failed. Share it!",
        "first_key": {
            "name": "Noor Haddad",
            "organisation": "Policy desk",
            "at": ago(minutes=26),
            "words": "Names a place and an hour, and calls to bring weapons. Policy section 4.2.",
        },
        "second_key": {
            "name": "Emil Sato",
            "organisation": "Policy desk",
            "at": ago(minutes=4),
            "words": "Agreed. Not quotation, not reporting.",
        },
        "call_post": plain
        | {
            "actor": {"name": "Market Watch", "kind": "group", "initials": "MW", "level": "notice"},
            "text": CALL,
        },
        "violence_reasons": [
            {"code": "violence", "label": "Calls for violence", "count": 61},
            {"code": "hate", "label": "Hate against a group", "count": 12},
        ],
        "consequences": [
            "14 posts of 6 actors disappear in ET within seconds.",
            "Their authors are told now, with ground, region and how to appeal.",
            "2 100 people saw them today; they are not told.",
        ],
        "confirm_reason": {
            "name": "words",
            "label": "Words to the author",
            "required": True,
            "maxlength": 600,
        },
    }
