"""Examples for the schema, all from one story: a post about a town's well. A test holds them to the schema."""

from typing import Any

POST_ID = "0193787a-5f00-7abc-8def-000000000001"
ACTOR_ID = "0193787a-5f00-7abc-8def-000000000002"
VERSION_ID = "0193787a-5f00-7abc-8def-000000000003"
FLAG_ID = "0193787a-5f00-7abc-8def-000000000004"
SIGNAL_ID = "0193787a-5f00-7abc-8def-000000000005"
CASE_ID = "0193787a-5f00-7abc-8def-000000000006"
PROPOSAL_ID = "0193787a-5f00-7abc-8def-000000000007"
DECISION_ID = "0193787a-5f00-7abc-8def-000000000008"
ORGANISATION_ID = "0193787a-5f00-7abc-8def-000000000009"

Document = dict[str, Any]


def page(*rows: Document) -> Document:
    return {"results": list(rows), "next": None, "previous": None}


ACTOR = {"kind": "page", "external_id": "page/77", "name": "Town Square News", "country": "LK"}
TEXT = "Breaking: the town well is poisoned and nobody tells you."
FIGURES = {"at": "2026-11-30T09:40:00Z", "views": 18250, "shares": 941, "comments": 130}
POST: Document = {
    "external_id": "status/1067",
    "actor": ACTOR,
    "text": TEXT,
    "links": ["https://town-square.example/well"],
    "media": [],
    "language": "en",
    "regions": ["LK"],
    "published_at": "2026-11-30T09:10:00Z",
}
STORED: Document = {"id": POST_ID, "external_id": "status/1067", "version": 1, "status": "added"}
STORED_MANY: Document = {
    "results": [
        {"index": 0, **STORED},
        {
            "index": 1,
            "external_id": "status/1068",
            "status": "refused",
            "error": {
                "code": "invalid",
                "detail": "published_at: This time lies in the future.",
                "errors": {"published_at": [{"code": "future", "detail": "This time lies in the future."}]},
            },
        },
    ]
}
ACTOR_OUT = {"id": ACTOR_ID, **ACTOR}
VERSION_OUT: Document = {
    "id": VERSION_ID,
    "number": 1,
    "seen_at": "2026-11-30T09:11:02Z",
    "text": TEXT,
    "links": POST["links"],
    "media": [],
}
POST_OUT: Document = {
    "id": POST_ID,
    "external_id": "status/1067",
    "actor": ACTOR_OUT,
    "language": "en",
    "regions": ["LK"],
    "topic": "",
    "published_at": "2026-11-30T09:10:00Z",
    "added_at": "2026-11-30T09:11:02Z",
    "deleted_at": None,
    "deleted_by": "",
    "version": VERSION_OUT,
}
POST_DELETED = {**POST_OUT, "deleted_at": "2026-11-30T10:00:00Z", "deleted_by": "author"}
EFFECT: Document = {
    "multipliers": {
        "feed": 0.2,
        "explore": 0.0,
        "recommendations": 0.0,
        "search": 0.2,
        "share": 0.2,
        "ads": 0.0,
    },
    "label": "warning",
    "interstitial": True,
    "warn_before_share": True,
    "ads": False,
    "recommendations": False,
    "monetisation": False,
    "removed": False,
    "ground": None,
    "hidden_until": None,
    "regional": False,
    "articles": [
        {
            "verdict": "false",
            "publisher": "Lanka Checks",
            "headline": "No, the well is not poisoned",
            "url": "https://lanka-checks.example/well",
            "language": "en",
        }
    ],
    "contested": False,
    "made_on_earlier_version": False,
    "provisional": False,
    "actor_level": "notice",
    "policy_version": 1,
    "because": [DECISION_ID],
}
POST_DETAIL = {
    **POST_OUT,
    "reach": {**FIGURES, "views_per_hour": 36500.0},
    "state_version": 3,
    "effect": EFFECT,
}

FLAG: Document = {
    "post": "ext:status/1067",
    "reason": "false_information",
    "note": "The town published the test results on Monday.",
    "flagger": "member/5512",
}
FLAG_OUT: Document = {
    "id": FLAG_ID,
    "post": POST_ID,
    "version": 1,
    "reason": "false_information",
    "note": FLAG["note"],
    "at": "2026-11-30T09:45:00Z",
    "withdrawn_at": None,
    "outcome": "pending",
}
FLAG_RAISED = {**FLAG_OUT, "queued": True}

SIGNAL: Document = {
    "post": "ext:status/1067",
    "source": "well-rumours-2",
    "kind": "likely_false",
    "score": 0.91,
    "at": "2026-11-30T09:30:00Z",
    "details": {"model": "2026-10"},
}
SIGNAL_RECEIVED = {**SIGNAL, "id": SIGNAL_ID, "post": POST_ID}

LOOKUP: Document = {"posts": ["ext:status/1067", "ext:status/1066", "ext:status/9"], "region": "LK"}
LOOKED_UP: Document = {
    "posts": [
        {"post": "ext:status/1067", "id": POST_ID, "version": 3, "state": "effect", **EFFECT},
        {"post": "ext:status/1066", "id": ACTOR_ID, "version": 0, "state": "none"},
        {"post": "ext:status/9", "id": None, "version": 0, "state": "unknown"},
    ]
}
STATE: Document = {
    "post": POST_ID,
    "external_id": "status/1067",
    "version": 3,
    "state": "effect",
    **EFFECT,
    "regions": {},
    "by_preference": {"do_not_reduce": {"feed": 1.0}, "reduce_more": {"feed": 0.1}},
}
CHANGES: Document = {
    "changes": [{**STATE, "at": "2026-11-30T09:59:12Z"}],
    "cursor": "41-5b0c9d1e",
    "more": False,
}
SNAPSHOT: Document = {"states": [STATE], "next": None, "changes_cursor": "41-5b0c9d1e"}

ESCALATION: Document = {
    "post": "ext:status/1067",
    "ground": "imminent_harm",
    "note": "People were seen gathering at the well keeper's house.",
    "regions": ["LK"],
}
CASE: Document = {
    "id": CASE_ID,
    "post": {
        "id": POST_ID,
        "external_id": "status/1067",
        "actor": ACTOR_OUT,
        "published_at": "2026-11-30T09:10:00Z",
        "deleted_at": None,
    },
    "post_version": VERSION_ID,
    "ground": "imminent_harm",
    "regions": ["LK"],
    "note": ESCALATION["note"],
    "status": "proposed",
    "opened_for": ORGANISATION_ID,
    "opened_at": "2026-11-30T09:50:00Z",
    "due_at": "2026-11-30T11:50:00Z",
    "decided_at": None,
    "version": 2,
}
PROPOSAL: Document = {
    "id": PROPOSAL_ID,
    "action": "remove",
    "ground": "imminent_harm",
    "regions": ["LK"],
    "explanation": "It names a person to attack over a false rumour.",
    "policy_section": "Harm 2.1",
    "status": "waiting",
    "proposed_at": "2026-11-30T09:55:00Z",
    "judged_at": None,
    "reason": "",
    "yours": True,
}
CASE_FILE: Document = {
    **CASE,
    "shown": VERSION_ID,
    "withheld": False,
    "versions": [VERSION_OUT],
    "flags": [{"reason": "imminent_harm", "count": 14}],
    "flag_notes": [
        {"reason": "imminent_harm", "note": "They know where he lives.", "at": "2026-11-30T09:48:00Z"}
    ],
    "signals": [],
    "decisions": [],
    "proposals": [PROPOSAL],
    "removed": False,
    "strikes": [],
}
ON_CASE: Document = {
    "version": 2,
    "shown": VERSION_ID,
    "explanation": "Until a second specialist has looked.",
}
DECISION: Document = {
    "action": "remove",
    "version": 1,
    "shown": VERSION_ID,
    "explanation": PROPOSAL["explanation"],
    "policy_section": "Harm 2.1",
    "regions": ["LK"],
}

DRAFT_ID = "01a22a41-93c4-7d5e-8f6a-1b2c3d4e5f60"
_FLOOR: Document = {"floor": {"feed": 500, "search": 500, "share": 500}}
_CHANGES = [{"path": "floor.feed", "before": 500, "after": 800}]
FAN_OUT: Document = {
    "id": "01a22a41-93c4-7d5e-8f6a-1b2c3d4e5f61",
    "cluster": "01a22a41-93c4-7d5e-8f6a-1b2c3d4e5f62",
    "actor": None,
    "policy": None,
    "switch": None,
    "total": 100_000,
    "done": 32_500,
    "started_at": "2026-11-30T10:06:00Z",
    "finished_at": None,
    "superseded_by": None,
    "paused_at": None,
}
POLICY: Document = {
    "number": 2,
    "state": "scheduled",
    "begins": "2026-12-07T00:00:00Z",
    "ends": None,
    "reason": "Corrections need readers.",
    "approved_at": "2026-11-30T10:00:00Z",
}
POLICY_DATA: Document = {
    **POLICY,
    "data": {"floor": {"feed": 800, "search": 500, "share": 500}},
    "changes": _CHANGES,
}
POLICY_DRAFT_BRIEF: Document = {
    "id": DRAFT_ID,
    "base": 1,
    "status": "draft",
    "reason": POLICY["reason"],
    "valid_from": POLICY["begins"],
    "at": "2026-11-30T09:00:00Z",
    "version": 3,
    "became": None,
    "refusal": "",
    "yours": True,
}
POLICY_DRAFT: Document = {
    **POLICY_DRAFT_BRIEF,
    "data": POLICY_DATA["data"],
    "changes": _CHANGES,
    "dry_run": {
        "run": "01a22a42-0000-7000-8000-000000000000",
        "at": "2026-12-07T00:00:00+00:00",
        "started_at": "2026-11-30T09:30:00+00:00",
        "ended_at": "2026-11-30T09:30:09+00:00",
        "posts": 12_041,
        "total": 12_041,
        "changed": 310,
        "by": {"feed": 310},
        "sample": [{"post": POST_ID, "changes": [{"what": "feed", "before": 0.05, "after": 0.08}]}],
        "rise": 0,
        "fall": 0,
        "actor_sample": [],
    },
}
POLICY_DRAFT_IN: Document = {"base": 1, "reason": POLICY["reason"], "valid_from": POLICY["begins"]}
POLICY_DRAFT_CHANGE: Document = {
    "version": 2,
    "data": _FLOOR,
    "reason": POLICY["reason"],
    "valid_from": None,
}
POLICY_STEP: Document = {"version": 3}
POLICY_REFUSAL: Document = {"version": 3, "reason": "Ask the partners first."}

SWITCH_ID = "01a22a41-93c4-7d5e-8f6a-1b2c3d4e5f61"
SWITCH: Document = {
    "id": SWITCH_ID,
    "kind": "lift_effects",
    "country": "LK",
    "organisation": {"id": ORGANISATION_ID, "name": "Harbour Line"},
    "outcome": "",
    "reason": "The partner leaves the programme in Sri Lanka.",
    "status": "proposed",
    "version": 1,
    "proposed_at": "2026-11-30T09:00:00Z",
    "confirmed_at": None,
    "ended_at": None,
    "refusal": "",
    "yours": True,
    "dry_run": {
        **POLICY_DRAFT["dry_run"],
        "at": "2026-11-30T09:00:00+00:00",
        "changed": 118,
        "by": {"feed": 90, "label": 118},
        "sample": [{"post": POST_ID, "changes": [{"what": "label", "before": "warning", "after": None}]}],
    },
}
SWITCH_ON: Document = {
    **SWITCH,
    "status": "on",
    "version": 2,
    "confirmed_at": "2026-11-30T10:00:00Z",
    "yours": False,
}
SWITCH_IN: Document = {
    "kind": "lift_effects",
    "country": "LK",
    "organisation": ORGANISATION_ID,
    "reason": SWITCH["reason"],
}
SWITCH_STEP: Document = {"version": 1}
SWITCH_REFUSAL: Document = {"version": 1, "reason": "The contract runs until March."}

WEBHOOK_ID = "0193787a-5f00-7abc-8def-00000000000a"
EVENT_ID = "0193787a-5f00-7abc-8def-00000000000b"
WEBHOOK_IN: Document = {
    "name": "Feed ranking",
    "url": "https://hooks.platform.example/veracity",
    "events": ["post.removed", "post.restored"],
}
WEBHOOK: Document = {
    "id": WEBHOOK_ID,
    **WEBHOOK_IN,
    "organisation": None,
    "created_at": "2026-11-30T09:00:00Z",
    "old_secret_until": None,
    "disabled_at": None,
    "disabled_reason": "",
    "failing_since": None,
    "waiting": 0,
    "dead": 0,
}
WEBHOOK_WITH_SECRET: Document = {**WEBHOOK, "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD6LuPGbkQ8fY="}
WEBHOOK_ROTATE: Document = {"overlap_hours": 24}
DELIVERY: Document = {
    "id": "0193787a-5f00-7abc-8def-00000000000c",
    "event": EVENT_ID,
    "type": "post.removed",
    "object": POST_ID,
    "version": 2,
    "state": "waiting",
    "attempts": 1,
    "created_at": "2026-11-30T10:00:00Z",
    "next_at": "2026-11-30T10:00:05Z",
    "last_at": "2026-11-30T10:00:00Z",
    "last_status": 503,
    "last_error": "",
    "done_at": None,
    "dead_at": None,
}
DELIVERY_PING: Document = {
    **DELIVERY,
    "type": "webhook.ping",
    "object": EVENT_ID,
    "version": 1,
    "attempts": 0,
    "next_at": "2026-11-30T10:00:00Z",
    "last_at": None,
    "last_status": None,
}
