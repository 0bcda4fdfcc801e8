from moderation.models.clusters import Cluster, ClusterMember
from moderation.models.decisions import Decision
from moderation.models.effects import (
    ChangeFeed,
    EffectiveState,
    FanOut,
    FeedPending,
    Outbox,
    Strike,
)
from moderation.models.escalations import Escalation, Proposal
from moderation.models.flags import Flag, Reporter, Signal
from moderation.models.items import ItemNote, ReviewItem
from moderation.models.people import ApiClient, RoleGrant, User
from moderation.models.policies import PolicyDraft, PolicyVersion
from moderation.models.posts import (
    Actor,
    Post,
    PostContent,
    PostReach,
    PostVersion,
    ReachSample,
)
from moderation.models.records import (
    AuditRow,
    AuditSeal,
    IdempotencyKey,
    Notice,
)
from moderation.models.switches import Switch
from moderation.models.webhooks import ActorStanding, WebhookDelivery, WebhookEndpoint, WebhookEvent

__all__ = [
    "Actor",
    "ActorStanding",
    "ApiClient",
    "AuditRow",
    "AuditSeal",
    "ChangeFeed",
    "Cluster",
    "ClusterMember",
    "Decision",
    "EffectiveState",
    "Escalation",
    "FanOut",
    "FeedPending",
    "Flag",
    "IdempotencyKey",
    "ItemNote",
    "Notice",
    "Outbox",
    "PolicyDraft",
    "PolicyVersion",
    "Post",
    "PostContent",
    "PostReach",
    "PostVersion",
    "Proposal",
    "ReachSample",
    "Reporter",
    "ReviewItem",
    "RoleGrant",
    "Signal",
    "Strike",
    "Switch",
    "User",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookEvent",
]
