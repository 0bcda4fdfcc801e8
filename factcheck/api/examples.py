"""Examples for the schema, going on with the platform's story of the town's well. A test holds them to it."""

from typing import Any

PARTNER_ID = "0193787a-5f00-7abc-8def-000000000009"
POST_ID = "0193787a-5f00-7abc-8def-000000000001"
ACTOR_ID = "0193787a-5f00-7abc-8def-000000000002"
VERSION_ID = "0193787a-5f00-7abc-8def-000000000003"
CASE_ID = "0193787a-5f00-7abc-8def-000000000006"
ITEM_ID = "0193787a-5f00-7abc-8def-00000000000a"
CLAIM_ID = "0193787a-5f00-7abc-8def-00000000000b"
RATING_ID = "0193787a-5f00-7abc-8def-00000000000c"
MATCH_ID = "0193787a-5f00-7abc-8def-00000000000d"
NOTE_ID = "0193787a-5f00-7abc-8def-00000000000e"
DECISION_ID = "0193787a-5f00-7abc-8def-00000000000f"
MEMBERSHIP_ID = "0193787a-5f00-7abc-8def-000000000010"

Document = dict[str, Any]


def page(*rows: Document) -> Document:
    return {"results": list(rows), "next": None, "previous": None}


TEXT = "Breaking: the town well is poisoned and nobody tells you."
PARTNER_BRIEF = {"id": PARTNER_ID, "name": "Lanka Checks"}
ITEM: Document = {
    "id": ITEM_ID,
    "kind": "review",
    "status": "open",
    "outcome": "",
    "version": 1,
    "language": "en",
    "countries": ["LK"],
    "topic": "",
    "opened_at": "2026-11-30T09:45:00Z",
    "due_at": "2026-11-30T15:45:00Z",
    "closed_at": None,
    "picked": False,
    "priority": 11.42,
    "factors": [
        {"factor": "reach_velocity", "value": 4.1, "words": "36,500 views an hour"},
        {"factor": "harm", "value": 1.0, "words": "most harmful reason given: false information"},
    ],
    "flaggers": 14,
    "reasons": {"false_information": 14},
    "signals": 1,
    "claim": None,
    "post": {
        "id": POST_ID,
        "external_id": "status/1067",
        "actor": {
            "id": ACTOR_ID,
            "kind": "page",
            "external_id": "page/77",
            "name": "Town Square News",
            "country": "LK",
        },
        "published_at": "2026-11-30T09:10:00Z",
        "deleted_at": None,
        "version": 1,
        "version_id": VERSION_ID,
        "text": TEXT,
        "links": ["https://town-square.example/well"],
        "media": [],
    },
    "lease": {
        "held": True,
        "yours": True,
        "organisation": PARTNER_BRIEF,
        "since": "2026-11-30T10:00:00Z",
        "until": "2026-11-30T10:10:00Z",
    },
}
ITEM_FREE: Document = {
    **ITEM,
    "lease": {"held": False, "yours": False, "organisation": None, "since": None, "until": None},
}
SUMMARY: Document = {
    "open": 41,
    "free": 36,
    "late": 2,
    "set_aside": 3,
    "next_due": "2026-11-30T10:45:00Z",
    "by_language": {"en": 30, "si": 11},
    "nothing": "",
}
VERDICT_IN: Document = {
    "verdict": "false",
    "headline": "No, the well is not poisoned",
    "explanation": "The town published the laboratory's results on Monday: the water is clean.",
    "article_url": "https://lanka-checks.example/well",
    "evidence": [{"url": "https://town.example/lab-report", "title": "The laboratory's report"}],
    "countries": ["LK"],
    "language": "en",
}
RATING_IN: Document = {
    **VERDICT_IN,
    "version": 1,
    "claim": {"text": "The town well is poisoned.", "fragment": "the town well is poisoned"},
}
RATING: Document = {
    "id": RATING_ID,
    "claim": CLAIM_ID,
    "partner": PARTNER_BRIEF,
    **VERDICT_IN,
    "post_version": VERSION_ID,
    "at": "2026-11-30T10:06:00Z",
    "supersedes": None,
    "superseded_by": None,
    "withdrawn_at": None,
    "state": "in_force",
}
RATING_WITHDRAWN = {**RATING, "withdrawn_at": "2026-11-30T10:06:20Z", "state": "withdrawn"}
CLAIM: Document = {
    "id": CLAIM_ID,
    "text": "The town well is poisoned.",
    "language": "en",
    "added_at": "2026-11-30T10:06:00Z",
    "ratings": [RATING],
}
MEASURED_CLAIM: Document = {
    **CLAIM,
    "measured": [
        {
            "rating": RATING_ID,
            "at": "2026-11-30T10:06:00Z",
            "posts": 3,
            "sampled_posts": 2,
            "samples": 14,
            "views_before": 9000,
            "views_between": 200,
            "views_after": 800,
            "share_after_least": 0.08,
            "share_after_most": 0.1,
            "seconds_to_rating": 1260.0,
        }
    ],
}
MATCH: Document = {
    "id": MATCH_ID,
    "claim": CLAIM_ID,
    "post": POST_ID,
    "post_version": VERSION_ID,
    "kind": "exact",
    "score": 1.0,
    "fragment": "",
    "state": "confirmed",
    "at": "2026-11-30T10:06:01Z",
}
NOT_ELIGIBLE: Document = {
    "id": DECISION_ID,
    "kind": "not_eligible",
    "outcome": "not_eligible",
    "contested": False,
    "ends": False,
    "ground": "",
    "regions": [],
    "presentation": {"reason": "An opinion; there is nothing to check."},
    "in_force_from": "2026-11-30T10:06:00Z",
    "in_force_until": None,
    "supersedes": None,
    "policy_version": 1,
}
ESCALATION: Document = {
    "ground": "imminent_harm",
    "note": "People were seen gathering at the well keeper's house.",
    "regions": ["LK"],
}
ESCALATED: Document = {
    "id": CASE_ID,
    "post": POST_ID,
    "ground": "imminent_harm",
    "status": "open",
    "opened_at": "2026-11-30T10:02:00Z",
    "due_at": "2026-11-30T12:02:00Z",
    "version": 1,
}
NOTE: Document = {
    "id": NOTE_ID,
    "organisation": PARTNER_BRIEF,
    "text": "The town hall calls back at three.",
    "at": "2026-11-30T10:03:00Z",
}
ITEM_FILE: Document = {
    **ITEM,
    "posts": 1,
    "versions": [
        {
            "id": VERSION_ID,
            "number": 1,
            "seen_at": "2026-11-30T09:11:02Z",
            "text": TEXT,
            "links": ["https://town-square.example/well"],
            "media": [],
        }
    ],
    "flags": [{"reason": "false_information", "count": 14}],
    "flag_notes": [
        {"reason": "false_information", "note": "The tests are public.", "at": "2026-11-30T09:45:00Z"}
    ],
    "signal_list": [],
    "reach": [{"at": "2026-11-30T09:40:00Z", "views": 18250, "shares": 941, "comments": 130}],
    "decisions": [],
    "state_version": 0,
    "effect": None,
    "standing": {"level": "none", "strikes": [], "posts": 12, "removals": 0},
    "claims": [],
    "matches": [],
    "alike": [{"claim": CLAIM, "share": 0.8}],
    "cases": [
        {
            "id": CASE_ID,
            "ground": "imminent_harm",
            "status": "open",
            "opened_at": "2026-11-30T10:02:00Z",
        }
    ],
    "notes": [NOTE],
}
PARTNER_CHANGE: Document = {
    "name": "Lanka Checks",
    "languages": ["si", "ta", "en"],
    "countries": ["LK"],
    "domains": ["lanka-checks.example"],
    "time_zone": "Asia/Colombo",
    "country": "LK",
}
PARTNER_IN: Document = {"slug": "lanka-checks", **PARTNER_CHANGE}
PARTNER: Document = {
    "id": PARTNER_ID,
    **PARTNER_IN,
    "status": "active",
    "added_at": "2026-01-05T08:00:00Z",
    "suspended_at": None,
    "certified_until": "2027-03-31T23:59:59Z",
}
PARTNER_SUSPENDED: Document = {**PARTNER, "status": "suspended", "suspended_at": "2026-11-30T11:00:00Z"}
CERTIFICATION_IN: Document = {
    "body": "International Fact-Checking Network",
    "valid_from": "2026-04-01T00:00:00Z",
    "valid_until": "2027-03-31T23:59:59Z",
}
CERTIFICATION: Document = {
    "id": DECISION_ID,
    **CERTIFICATION_IN,
    "recorded_at": "2026-04-02T09:00:00Z",
}
MEMBERSHIP: Document = {
    "id": MEMBERSHIP_ID,
    "role": "reviewer",
    "status": "active",
    "joined_at": "2026-02-01T08:00:00Z",
    "person": {"name": "Rita Perera", "email": "rita@lanka-checks.example"},
}
OPEN_INVITATION: Document = {
    "id": MEMBERSHIP_ID,
    "email": "rita@lanka-checks.example",
    "role": "reviewer",
    "invited_at": "2026-11-30T11:00:00Z",
    "expires_at": "2026-12-07T11:00:00Z",
}
INVITATION: Document = {**OPEN_INVITATION, "mailed": True}
