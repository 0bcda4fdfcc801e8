"""Made-up work for the styleguide: queue, desk, matches, what happened, health, and what stands around them."""

from datetime import datetime, timedelta
from typing import Any

from moderation.views.styleguide_content import ARABIC, CALL, FLOOD, HINDI, LONG, PERSIAN


def work(now: datetime) -> dict[str, Any]:
    """Rows, cases, matches and events, relative to `now`."""
    ago = lambda **span: now - timedelta(**span)  # noqa: E731
    ahead = lambda **span: now + timedelta(**span)  # noqa: E731
    curve = [3, 5, 9, 14, 30, 62, 88, 120, 171, 160, 148, 190]
    reasons = [
        {"code": "false_information", "label": "False information", "count": 941},
        {"code": "imminent_harm", "label": "May lead to harm soon", "count": 38},
        {"code": "altered_media", "label": "Altered media", "count": 12},
    ]
    base_row = {
        "url": "#item",
        "actor_kind": "page",
        "actor_name": "Daily Truth",
        "values": curve,
        "reasons": reasons[:1],
        "due_at": ahead(hours=5),
        "opened_at": ago(minutes=51),
    }
    rows = [
        base_row
        | {
            "text": FLOOD,
            "views": 3_120_441,
            "urgent": True,
            "reasons": reasons[:2],
            "due_at": ahead(minutes=38),
            "opened_at": ago(minutes=12),
            "mine": True,
            "similar": 3,
        },
        base_row
        | {
            "text": HINDI,
            "lang": "hi",
            "actor_name": "Health First",
            "views": 840_220,
            "due_at": ago(hours=3),
            "similar": 1,
            "opened_at": ago(hours=9),
            "values": [1, 2, 2, 8, 9, 40, 44, 60],
        },
        base_row
        | {
            "text": ARABIC,
            "lang": "ar",
            "actor_name": "أخبار المدينة",
            "actor_kind": "group",
            "views": 91_200,
            "opened_at": ago(hours=2),
            "investigating": "Noqta",
            "values": [4, 9, 12, 11, 18, 30],
        },
        base_row
        | {
            "text": "Parliament votes to replace its members with goats, effective Monday",
            "actor_name": "The Weekly Goose",
            "views": 12_400,
            "holder": "Iris Vale",
            "reasons": [{"code": "satire_unlabelled", "label": "Satire that is not marked", "count": 31}],
        },
        base_row
        | {
            "text": LONG,
            "actor_name": "River Neighbourhood Watch and Community Safety Group",
            "actor_kind": "group",
            "views": 4_870,
            "kind_label": "Re-check after an edit",
            "due_at": ahead(hours=20),
        },
        base_row
        | {
            "text": "The curve of crime cuts off its first three years. Look at the axis.",
            "actor_name": "graphwatch.example",
            "actor_kind": "domain",
            "views": 96_004,
            "due_at": None,
            "reasons": [{"code": "misleading", "label": "Misleading or missing context", "count": 77}],
        },
        base_row
        | {
            "text": PERSIAN,
            "lang": "fa",
            "actor_name": "خبر فوری",
            "actor_kind": "account",
            "views": 30_411,
            "opened_at": ago(days=1, hours=3),
            "due_at": ahead(days=2, hours=4),
        },
        base_row
        | {
            "text": "5G masts switched off after birds were found dead in the park",
            "actor_name": "Truth Seekers",
            "actor_kind": "group",
            "views": 426_110,
            "opened_at": ago(days=2),
            "due_at": ahead(hours=28),
        },
    ]
    desk_rows = [
        {
            "url": "#case",
            "text": CALL,
            "ground_label": "Incites violence",
            "regions": ["ET"],
            "opened_at": ago(minutes=18),
            "due_at": ahead(minutes=42),
            "requested_by": "Sahel Check",
            "state_label": "Hidden for up to 24 h",
            "tone": "warn",
            "urgent": True,
        },
        {
            "url": "#case",
            "text": HINDI,
            "lang": "hi",
            "ground_label": "False and likely to contribute to harm soon",
            "regions": ["IN", "NP"],
            "opened_at": ago(hours=4),
            "due_at": ahead(hours=3),
            "requested_by": "Satya Desk",
            "state_label": "Waits for a second key",
            "tone": "warn",
            "second_key": True,
        },
        {
            "url": "#case",
            "text": ARABIC,
            "lang": "ar",
            "ground_label": "Unverifiable rumour",
            "regions": ["SD", "EG", "TD"],
            "opened_at": ago(days=1),
            "due_at": ago(hours=2),
            "requested_by": "Noqta",
            "state_label": "Open",
            "tone": "info",
        },
        {
            "url": "#case",
            "text": LONG,
            "ground_label": "Harassment",
            "regions": ["PT"],
            "opened_at": ago(days=3),
            "due_at": None,
            "requested_by": "Clarim",
            "state_label": "Kept",
            "tone": "good",
        },
    ]
    matches = [
        {
            "claim": "A photo shows the city centre under water after the dam failed this week",
            "publisher": "Clarim",
            "verdict": "false",
            "posts": 6712,
            "score": "0.94",
            "at": ago(hours=3),
        },
        {
            "claim": "Video of the 2011 flood is shown as today's",
            "publisher": "Lente",
            "verdict": "false",
            "posts": 311,
            "score": "0.88",
            "at": ago(days=12),
        },
        {
            "claim": "The dam north of the city has cracks",
            "publisher": "Verità Sud",
            "verdict": "missing_context",
            "posts": 40,
            "score": "0.71",
            "at": ago(days=30),
        },
    ]
    return {
        "reasons": reasons,
        "rows": rows,
        "desk_rows": desk_rows,
        "matches": matches,
        "factors": [
            {"name": "Reach", "words": "190 000 views in the last hour, still rising", "share": 92},
            {"name": "Harm", "words": "people may act on it today", "share": 80},
            {"name": "Flaggers", "words": "941 people, mostly right before", "share": 61},
            {"name": "Region", "words": "region at risk: dam area, until 14 December", "share": 55},
            {"name": "Waiting", "words": "12 minutes", "share": 8},
        ],
        "events": [
            {
                "at": ago(hours=5),
                "icon": "edit",
                "title": "Published",
                "by": "Daily Truth",
                "tone": "neutral",
            },
            {"at": ago(hours=4), "icon": "flag", "title": "First flag", "text": "False information"},
            {
                "at": ago(hours=3),
                "icon": "gavel",
                "title": "Rated false",
                "by": "Clarim",
                "tone": "bad",
                "url": "#",
            },
            {
                "at": ago(hours=3),
                "icon": "trending-down",
                "title": "6 712 posts answered",
                "tone": "info",
                "text": "Feed distribution is 20% of what it was.",
            },
            {
                "at": ago(minutes=20),
                "icon": "message-report",
                "title": "Disputed by the page",
                "tone": "warn",
                "text": "“The picture is from our own correspondent.”",
            },
        ],
        "health": [
            {
                "name": "urgent",
                "state": "ok",
                "words": "answers in 41 ms",
                "figure": "0",
                "figure_label": "waiting",
                "values": [1, 0, 2, 1, 0, 0, 1, 0],
            },
            {
                "name": "effects",
                "state": "late",
                "words": "oldest has waited 48 s; a fan-out of 100 000 posts is running",
                "figure": "12.4k",
                "figure_label": "waiting",
                "values": [10, 12, 60, 90, 120, 100, 80, 70],
            },
            {
                "name": "delivery",
                "state": "down",
                "words": "no answer for 3 min; start a worker for this queue",
                "figure": "318",
                "figure_label": "waiting",
                "values": [1, 1, 8, 20, 40, 80, 120, 318],
            },
            {
                "name": "matching",
                "state": "unknown",
                "words": "not asked yet",
                "figure": "–",
                "figure_label": "waiting",
                "values": [],
            },
        ],
        "chart_rows": [
            [f"2026-11-{day:02d}", before, after]
            for day, before, after in zip(
                range(16, 30),
                [190, 240, 310, 420, 510, 480, 350, 300, 280, 240, 230, 210, 200, 190],
                [0, 0, 0, 10, 60, 110, 90, 70, 52, 44, 41, 38, 30, 24],
                strict=True,
            )
        ],
    }


def furniture() -> dict[str, Any]:
    """What stands around the content: columns, filters, tabs, key hints."""

    def select(name: str, label: str, *options: str) -> dict[str, Any]:
        return {
            "name": name,
            "label": label,
            "options": [
                {"value": o if i else "", "label": o, "selected": i == 0} for i, o in enumerate(options)
            ],
        }

    return {
        "chart_columns": ["Day", "Before rating", "After rating"],
        "table_columns": [{"label": "Name"}, {"label": "Scopes"}, {"label": "Last used", "numeric": True}],
        "selects": [
            select("language", "Language", "All languages", "English", "العربية"),
            select("reason", "Reason", "All reasons", "False information", "Scam or fraud"),
        ],
        "queue_selects": [
            select("language", "Language", "All languages", "Português", "English", "العربية"),
            select("order", "Order", "By priority", "Newest", "Due first"),
        ],
        "views": [
            {"label": "All", "url": "#", "active": True, "count": 1284},
            {"label": "Due today", "url": "#", "count": 37},
            {"label": "Health", "url": "#", "count": 112},
        ],
        "desk_selects": [
            select("ground", "Ground", "All grounds"),
            select("region", "Region", "All regions"),
        ],
        "desk_views": [
            {"label": "Open", "url": "#", "active": True, "count": 9},
            {"label": "Your key", "url": "#", "count": 1},
            {"label": "Closed", "url": "#", "count": 204},
        ],
        "item_tabs": [
            {"label": "Rated alike", "url": "#", "badge": 3, "active": True},
            {"label": "Why", "url": "#"},
            {"label": "Flags", "url": "#", "badge": 941},
            {"label": "Actor", "url": "#"},
            {"label": "Links", "url": "#", "badge": 2},
            {"label": "Notes", "url": "#", "badge": 0},
            {"label": "Partners", "url": "#"},
        ],
        "hints": [
            {"keys": "j k", "label": "move"},
            {"keys": "Enter", "label": "open"},
            {"keys": "c", "label": "take"},
            {"keys": "1 – 7", "label": "verdict"},
            {"keys": "m", "label": "same claim"},
            {"keys": "b v", "label": "media"},
            {"keys": "n", "label": "submit and next"},
            {"keys": "u", "label": "undo"},
        ],
        "desk_hints": [
            {"keys": "j k", "label": "move"},
            {"keys": "Enter", "label": "open"},
            {"keys": "b v", "label": "media"},
        ],
    }
