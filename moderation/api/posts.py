"""/posts: the platform tells what was published, edited, seen and deleted."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from moderation import enums
from moderation.api import examples
from moderation.errors import DomainError, NotFound
from moderation.http import fields
from moderation.http.documents import EffectOut, PostOut, ReachOut
from moderation.http.problems import refusal
from moderation.http.schema import RefusalOut, answered, sent
from moderation.http.shapes import Input, check, read
from moderation.http.views import ApiView
from moderation.permissions import may_see_posts, may_write_posts
from moderation.selectors import distribution
from moderation.selectors import posts as find
from moderation.services import posts
from moderation.services.posts import ActorDraft, PostDraft, Reach, Upserted


class ActorIn(Input):
    kind = fields.Choice(enums.ActorKind.choices)
    external_id = fields.ExternalId()
    name = fields.Text(max_length=fields.LONGEST_NAME)
    country = fields.Region(
        countries_only=True,
        allow_blank=True,
        required=False,
        help_text="Where it is at home; left out, what was sent before stays.",
    )


class MediaIn(Input):
    url = fields.Link()
    sha256 = fields.Digest(required=False)
    alt = fields.Text(max_length=fields.LONGEST_NOTE, allow_blank=True, required=False)


class FiguresIn(Input):
    at = fields.Moment(past=True)
    views = fields.Whole()
    shares = fields.Whole(default=0)
    comments = fields.Whole(default=0)


class PostIn(Input):
    """The whole post as it is now: what is left out is taken away, and a changed text, link or medium
    makes a new version."""

    external_id = fields.ExternalId()
    actor = ActorIn()
    text = fields.Text(allow_blank=True)
    links = fields.Listed(fields.Link(), most=fields.MOST_LINKS, default=list)
    media = fields.Listed(MediaIn(), most=fields.MOST_MEDIA, default=list)
    language = fields.Language()
    regions = fields.Listed(fields.Region(), most=50, default=list)
    topic = fields.Text(max_length=32, allow_blank=True, default="")
    published_at = fields.Moment(past=True)
    reach = FiguresIn(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs["text"].strip() and not attrs["links"] and not attrs["media"]:
            raise ValidationError({"text": ["A post has a text, a link or a medium."]}, code="required")
        return attrs


class PostsIn(Input):
    posts = fields.Unchecked(PostIn(), most=fields.MOST_AT_ONCE)


class StoredOut(serializers.Serializer):
    id = serializers.UUIDField()
    external_id = serializers.CharField()
    version = serializers.IntegerField(help_text="The number of its newest version.")
    status = serializers.ChoiceField(["added", "edited", "unchanged"])


class StoredOneOut(serializers.Serializer):
    """One entry's result: as for a single post, or `error` where it was refused."""

    index = serializers.IntegerField()
    external_id = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(["added", "edited", "unchanged", "refused"])
    id = serializers.UUIDField(required=False)
    version = serializers.IntegerField(required=False)
    error = RefusalOut(required=False)


class StoredManyOut(serializers.Serializer):
    results = StoredOneOut(many=True, help_text="In the order of the request.")


class PostDetailOut(PostOut):
    reach = ReachOut(allow_null=True)
    state_version = serializers.IntegerField(help_text="Rises with each change of the effect.")
    effect = EffectOut(allow_null=True, help_text="Null: nothing is to be done.")


class PostsView(ApiView):
    @extend_schema(
        summary="Add or update a post",
        request=PostIn,
        responses={200: StoredOut, 201: StoredOut},
        examples=[
            sent(examples.POST),
            answered(examples.STORED, status=201),
            answered({**examples.STORED, "status": "unchanged"}, "Known already"),
        ],
    )
    def post(self, request: Request) -> Response:
        may_write_posts(self.caller).require()
        result = self.store(read(PostIn, request))
        return Response(_stored(result), status=201 if result.added else 200)

    @transaction.atomic
    def store(self, data: dict[str, Any]) -> Upserted:
        result = posts.upsert(draft_of(data), **self.who)
        if "reach" in data:
            posts.record_reach([Reach(result.post.pk, **data["reach"])], **self.who)
        return result


class PostsBulkView(PostsView):
    body_limit = fields.BULK_BODY

    @extend_schema(
        summary="Add or update up to 500 posts",
        description="Each entry is stored or refused by itself. Sending the same again changes nothing.",
        request=PostsIn,
        responses=StoredManyOut,
        examples=[sent({"posts": [examples.POST]}), answered(examples.STORED_MANY)],
    )
    def post(self, request: Request) -> Response:
        may_write_posts(self.caller).require()
        entries = read(PostsIn, request)["posts"]
        results: list[dict[str, Any]] = [{}] * len(entries)
        # One order for all requests, so that two that bring the same posts wait instead of deadlocking.
        for index in sorted(range(len(entries)), key=lambda i: _order(entries[i])):
            results[index] = {"index": index, **self._one(entries[index])}
        return Response({"results": results})

    def _one(self, entry: Any) -> dict[str, Any]:
        try:
            return _stored(self.store(check(PostIn, entry)))
        except (ValidationError, DomainError) as error:
            given = entry.get("external_id") if isinstance(entry, dict) else None
            named = given if isinstance(given, str) else None
            return {"external_id": named, "status": "refused", "error": refusal(error)}


class PostView(ApiView):
    @extend_schema(
        summary="One post with its newest version and its effect",
        responses=PostDetailOut,
        examples=[answered(examples.POST_DETAIL)],
    )
    def get(self, request: Request, post: str) -> Response:
        may_see_posts(self.caller).require()
        found = find.by_ref(post)
        if found is None:
            raise NotFound("There is no such post.")
        answer = distribution.lookup([str(found.pk)], now=self.now)[0]
        reach = getattr(found, "reach", None)
        return Response(
            {
                **PostOut(found).data,
                "reach": ReachOut(reach).data if reach else None,
                "state_version": answer.version,
                "effect": answer.document,
            }
        )

    @extend_schema(
        summary="The author deleted the post",
        description="It leaves a tombstone: flags, ratings, evidence and strikes stay. Twice changes nothing.",
        responses={200: PostOut},
        examples=[answered(examples.POST_DELETED)],
    )
    def delete(self, request: Request, post: str) -> Response:
        may_write_posts(self.caller).require()
        found = find.by_ref(post)
        if found is None:
            raise NotFound("There is no such post.")
        gone = posts.delete(found.pk, **self.who)
        found.deleted_at, found.deleted_by = gone.deleted_at, gone.deleted_by
        return Response(PostOut(found).data)


def draft_of(data: dict[str, Any]) -> PostDraft:
    """A checked PostIn as the service takes it."""
    told = {name: value for name, value in data.items() if name not in ("actor", "reach")}
    return PostDraft(actor=ActorDraft(**data["actor"]), **told)


def _order(entry: Any) -> tuple[str, ...]:
    if not isinstance(entry, dict):
        return ("",)
    actor = entry.get("actor")
    who = (actor.get("kind"), actor.get("external_id")) if isinstance(actor, dict) else ()
    return tuple(str(part) for part in (*who, entry.get("external_id")))


def _stored(result: Upserted) -> dict[str, Any]:
    status = "added" if result.added else "edited" if result.edited else "unchanged"
    return {
        "id": result.post.pk,
        "external_id": result.post.external_id,
        "version": result.version.number,
        "status": status,
    }
