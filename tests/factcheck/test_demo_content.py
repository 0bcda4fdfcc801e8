"""The demo's files hold together, and show what the demo is there to show."""

import json
import re
from collections import Counter, defaultdict
from itertools import chain, pairwise
from typing import Any
from urllib.parse import urlsplit

import pytest

from factcheck.demo import content
from factcheck.enums import ARTICLE_NEEDED, NOT_ELIGIBLE, Verdict
from factcheck.folding import text_key
from factcheck.policy import SEVERITY
from moderation.enums import ActorKind, FlagReason, Ground, Role

LANGUAGES = {"en", "es", "fr", "ar", "hi", "fa"}
KINDS = {
    "true", "opinion", "satire", "false", "altered", "partly_false", "missing_context", "incitement", "hate",
    "harmless",
}  # fmt: skip
TOPICS = {
    "health", "politics", "climate", "science", "crime", "economy", "migration", "technology", "sport", "culture",
    "local",
}  # fmt: skip
COPIES = {"original", "exact", "paraphrase", "negation", "correction"}
REGION = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?")
OUTSIDE_MEMBER = re.compile(r"m-0[0-3]\d\d|m-0400")
MEDIA_BUDGET_BYTES = 1_200_000

# Words so common that a text of some length in the language has one of them.
COMMON = {
    "en": "the a and of to is it that in for on i you not",
    "es": "el la de que y los las en un una no se por es con para del al lo su",
    "fr": "le la les de des et un une est du à pas que je il a dans au ne sur pour qui en",
}


def by(name: str, key: str) -> dict[str, dict[str, Any]]:
    rows = content.rows(name)
    found = {row[key]: row for row in rows}
    assert len(found) == len(rows), f"{name}: {key} is not unique"
    return found


PARTNERS = by("partners", "slug")
PEOPLE = by("people", "email")
ACTORS = by("actors", "external_id")
POSTS = by("posts", "external_id")
FLAGS = content.rows("flags")
RATINGS = content.rows("ratings")
ESCALATIONS = content.rows("escalations")


def roles() -> list[tuple[str, str, str | None]]:
    return [(p["email"], held["role"], held["partner"]) for p in PEOPLE.values() for held in p["roles"]]


def clusters() -> dict[str, dict[str, list[dict[str, Any]]]]:
    found: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for post in POSTS.values():
        assert ("cluster" in post) == ("copy" in post)
        if "cluster" in post:
            found[post["cluster"]][post["copy"]].append(post)
    return found


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return list(chain.from_iterable(strings(v) for v in value.values()))
    if isinstance(value, list):
        return list(chain.from_iterable(strings(v) for v in value))
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("name", ["partners", "people", "actors", "posts", "flags", "ratings", "escalations"])
def test_every_address_in_the_files_is_an_example(name: str) -> None:
    everything = strings(content.rows(name))
    for url in re.findall(r"https?://\S+", "\n".join(everything)):
        assert (urlsplit(url).hostname or "").endswith(".example"), url
    for address in re.findall(r"\S+@\S+", "\n".join(everything)):
        assert address.endswith(".example"), address


def test_texts_can_be_stored_as_they_are() -> None:
    for text in strings([*POSTS.values(), *FLAGS, *RATINGS, *ESCALATIONS]):
        assert "\x00" not in text
        assert text.encode("utf-8").decode("utf-8") == text
        assert len(text) <= 20_000


def test_twelve_partners_work_in_at_least_ten_countries_and_all_languages() -> None:
    assert len(PARTNERS) == 12
    assert len({country for p in PARTNERS.values() for country in p["countries"]}) >= 10
    assert {language for p in PARTNERS.values() for language in p["languages"]} == LANGUAGES
    left = [p["certification"]["until_days_ahead"] for p in PARTNERS.values()]
    assert sum(days < 0 for days in left) == 1
    assert sum(0 < days <= 20 for days in left) == 1
    domains = [domain for p in PARTNERS.values() for domain in p["domains"]]
    assert len(set(domains)) == len(domains)
    assert all(domain.endswith(".example") for domain in domains)


def test_forty_people_fill_every_role() -> None:
    assert len(PEOPLE) == 40
    count = Counter(role for _, role, _ in roles())
    assert set(count) <= set(Role)
    assert (count["policy_specialist"], count["administrator"], count["auditor"]) == (3, 2, 1)
    assert count["reviewer"] >= 16
    assert count["lead"] >= 5
    assert count["member"] >= 12
    for email, role, partner in roles():
        assert (partner in PARTNERS) == (role in ("reviewer", "lead")), email
    busy = [p for p in PEOPLE.values() if len({held["partner"] for held in p["roles"]}) == 2]
    assert len(busy) == 1
    reviewing = {partner for _, role, partner in roles() if role == "reviewer"}
    assert len(reviewing) >= 8
    assert {language for slug in reviewing for language in PARTNERS[str(slug)]["languages"]} == LANGUAGES


@pytest.mark.parametrize(
    "name",
    ["member", "reviewer", "lead", "policy", "policy2", "policy3", "admin", "admin2", "auditor"],
)  # fmt: skip
def test_each_role_has_an_account_that_is_easy_to_remember(name: str) -> None:
    begins = {"policy2": "policy", "policy3": "policy", "admin2": "admin"}.get(name, name)
    assert PEOPLE[f"{name}@veracity.example"]["roles"][0]["role"].startswith(begins)


def test_sixty_actors_of_every_kind_publish() -> None:
    assert len(ACTORS) == 60
    assert {a["kind"] for a in ACTORS.values()} == set(ActorKind)
    owners = [a["person"] for a in ACTORS.values() if "person" in a]
    assert len(owners) == len(set(owners)) > 5
    assert set(owners) <= set(PEOPLE)
    assert {p["actor"] for p in POSTS.values()} == set(ACTORS)


def test_the_feed_has_about_six_hundred_posts_in_six_languages() -> None:
    assert 550 <= len(POSTS) <= 700
    count = Counter(p["language"] for p in POSTS.values())
    assert set(count) == LANGUAGES
    assert all(count[language] >= 60 for language in LANGUAGES)
    assert {p["kind"] for p in POSTS.values()} == KINDS
    assert {p["topic"] for p in POSTS.values()} == TOPICS


def test_most_posts_are_harmless_or_true() -> None:
    calm = sum(p["kind"] in ("harmless", "true") for p in POSTS.values())
    assert calm / len(POSTS) > 0.5


@pytest.mark.parametrize("post", POSTS.values(), ids=POSTS)
def test_a_post_is_complete(post: dict[str, Any]) -> None:
    assert post["text"].strip()
    assert post["actor"] in ACTORS
    assert 0.2 <= post["hours_ago"] <= 240
    assert post["regions"]
    assert all(REGION.fullmatch(region) for region in post["regions"])
    assert len(post["links"]) <= 20
    for picture in post["media"]:
        assert (content.MEDIA / picture["file"]).is_file()
        assert picture["alt"]
    reach = post["reach"]
    assert 8 <= len(reach["curve"]) <= 16
    assert all(earlier <= later for earlier, later in pairwise(reach["curve"]))
    assert reach["curve"][-1] == reach["views"] >= max(reach["shares"], reach["comments"])


def test_half_of_the_posts_are_younger_than_two_days() -> None:
    ages = sorted(p["hours_ago"] for p in POSTS.values())
    assert ages[len(ages) // 2] < 48
    assert ages[-1] > 200


def sees(partner: dict[str, Any], post: dict[str, Any]) -> bool:
    """Whether the post's item would be in the partner's queue."""
    return post["language"] in partner["languages"] and bool({*post["regions"]} & {*partner["countries"]})


def speaks(language: str, text: str) -> bool:
    """Whether the text is in the language, as far as its letters and commonest words tell."""
    if language == "hi":
        return len(re.findall(r"[\u0900-\u097f]", text)) > len(text) * 0.4
    if language in ("ar", "fa"):
        letters = len(re.findall(r"[\u0621-\u06cc]", text))
        arabic, persian = len(re.findall(r"[ةىيكؤإأ]", text)), len(re.findall(r"[پچژگکی]", text))
        return letters > len(text) * 0.4 and (arabic > persian) == (language == "ar")
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {code: sum(word in common.split() for word in words) for code, common in COMMON.items()}
    return counts[language] == max(counts.values())


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_posts_are_in_the_language_they_name(language: str) -> None:
    # Copies in disguise have other letters on purpose; a few one-liners are too short to tell.
    texts = [p["text"] for p in POSTS.values() if p["language"] == language and p.get("copy") != "exact"]
    doubtful = [text for text in texts if not speaks(language, text)]
    assert len(doubtful) <= len(texts) * 0.03, doubtful


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_notes_of_flags_are_in_the_language_of_the_post(language: str) -> None:
    notes = [f["note"] for f in FLAGS if f["note"] and POSTS[f["post"]]["language"] == language]
    long_enough = [note for note in notes if len(note.split()) >= 6]
    doubtful = [note for note in long_enough if not speaks(language, note)]
    assert len(doubtful) <= max(1, len(long_enough) * 0.05), doubtful


def test_clusters_have_one_original_that_came_first() -> None:
    assert 40 <= len(clusters()) <= 55
    for name, copies in clusters().items():
        assert set(copies) <= COPIES
        [original] = copies["original"]
        posts = list(chain.from_iterable(copies.values()))
        assert 2 <= len(posts) <= 9, name
        assert len({p["language"] for p in posts}) == 1
        assert max(p["hours_ago"] for p in posts) == original["hours_ago"], name


def test_exact_copies_match_by_themselves_and_nothing_else_does() -> None:
    groups: dict[str, set[str]] = defaultdict(set)
    for post in POSTS.values():
        if key := text_key(post["text"]):
            groups[key].add(post["external_id"])
    same = {frozenset(ids) for ids in groups.values() if len(ids) > 1}
    meant = {
        frozenset(p["external_id"] for p in copies["original"] + copies["exact"])
        for copies in clusters().values()
        if copies["exact"]
    }
    assert same == meant


def test_copies_come_in_disguise() -> None:
    exact = [p for copies in clusters().values() for p in copies["exact"]]
    originals = {p["text"] for copies in clusters().values() for p in copies["original"]}
    assert sum(p["text"] not in originals for p in exact) > len(exact) * 0.7
    assert sum(any(mark in p["text"] for mark in "\u200b\u00ad\u2060") for p in exact) > 10


def test_difficult_texts_are_there() -> None:
    texts = [p["text"] for p in POSTS.values()]
    assert any("👨‍👩‍👧‍👦" in text for text in texts)
    assert any("\u202e" in text for text in texts)
    assert sum("\u200c" in p["text"] for p in POSTS.values() if p["language"] == "fa") > 20
    assert any("क्\u200dष" in text for text in texts)
    assert any(re.search(r"[\u0600-\u06ff].*\d.*[\u0600-\u06ff]", text) for text in texts)
    assert max(map(len, texts)) > 15_000
    assert max(len(p["links"]) for p in POSTS.values()) == 20


def test_flags_point_to_posts_and_one_member_flags_a_post_once() -> None:
    assert 800 <= len(FLAGS) <= 1000
    assert len({(f["post"], f["member"]) for f in FLAGS}) == len(FLAGS)
    for flag in FLAGS:
        post = POSTS[flag["post"]]
        assert flag["member"] in PEOPLE or OUTSIDE_MEMBER.fullmatch(flag["member"])
        assert ACTORS[post["actor"]].get("person") != flag["member"]
        assert flag["reason"] in set(FlagReason)
        assert 0 <= flag["minutes_after_post"] <= post["hours_ago"] * 60
    assert {f["reason"] for f in FLAGS} == set(FlagReason)
    assert 0.1 < sum(bool(f["note"]) for f in FLAGS) / len(FLAGS) < 0.25


def test_some_certified_partner_sees_every_flagged_post() -> None:
    certified = [p for p in PARTNERS.values() if p["certification"]["until_days_ahead"] > 0]
    for post in {f["post"] for f in FLAGS}:
        assert any(sees(partner, POSTS[post]) for partner in certified), POSTS[post]


def test_some_harmless_opinions_are_flagged_by_a_crowd() -> None:
    count = Counter(f["post"] for f in FLAGS)
    brigaded = [p for p in POSTS.values() if p["kind"] == "opinion" and count[p["external_id"]] >= 20]
    assert len(brigaded) >= 3
    calm = [p for p in POSTS.values() if p["kind"] in ("harmless", "true")]
    assert sum(count[p["external_id"]] for p in calm) < len(calm) * 0.3


@pytest.mark.parametrize("rating", RATINGS, ids=lambda r: f"{r['post']}-{r['partner']}")
def test_a_rating_can_be_made_by_its_partner(rating: dict[str, Any]) -> None:
    post, partner = POSTS[rating["post"]], PARTNERS[rating["partner"]]
    assert partner["certification"]["until_days_ahead"] > 0
    assert partner["certification"]["from_days_ago"] * 24 > post["hours_ago"]
    assert sees(partner, post)
    assert any(p == rating["partner"] for _, _, p in roles())
    assert rating["headline"]
    assert rating["explanation"]
    assert speaks(post["language"], rating["explanation"])
    assert rating["fragment"] in post["text"]
    assert all(REGION.fullmatch(country) for country in rating["countries"])
    assert all(source["url"] and source["title"] for source in rating["evidence"])
    if rating["verdict"] == NOT_ELIGIBLE:
        return
    assert rating["claim"]
    assert rating["evidence"]
    for verdict in (rating["verdict"], rating.get("revise", rating)["verdict"]):
        assert verdict in set(Verdict)
        assert rating["article_url"] or verdict not in ARTICLE_NEEDED
    article = urlsplit(rating["article_url"])
    assert (article.scheme, article.hostname) in {("https", domain) for domain in partner["domains"]}


def test_ratings_cover_every_verdict_and_every_turn_a_rating_can_take() -> None:
    assert 40 <= len(RATINGS) <= 50
    assert {r["verdict"] for r in RATINGS} == {*Verdict, NOT_ELIGIBLE}
    assert sum(r["verdict"] == NOT_ELIGIBLE for r in RATINGS) == 4
    assert sum(r["verdict"] in (Verdict.SATIRE, Verdict.TRUE) for r in RATINGS) == 5
    assert sum("revise" in r for r in RATINGS) == 2
    assert sum(bool(r.get("withdraw", {}).get("reason")) for r in RATINGS) == 2
    together = defaultdict(list)
    for rating in RATINGS:
        together[rating["post"]].append(rating)
    differing = [pair for pair in together.values() if len(pair) > 1]
    assert len(differing) == 3
    for one, other in differing:
        assert one["partner"] != other["partner"]
        assert SEVERITY[Verdict(one["verdict"])] != SEVERITY[Verdict(other["verdict"])]


def test_some_actors_are_repeat_offenders() -> None:
    struck = Counter(
        POSTS[r["post"]]["actor"]
        for r in RATINGS
        if r["verdict"] in (Verdict.FALSE, Verdict.ALTERED) and not {"revise", "withdraw"} & set(r)
    )
    assert sum(number >= 2 for number in struck.values()) >= 3
    assert max(struck.values()) >= 4


def test_escalations_show_every_outcome_of_the_desk() -> None:
    assert 9 <= len(ESCALATIONS) <= 12
    assert {e["outcome"] for e in ESCALATIONS} == {"removed", "kept", "hidden", "proposed", "open"}
    removed = [e for e in ESCALATIONS if e["outcome"] == "removed"]
    assert {bool(e["regions"]) for e in removed} == {True, False}
    assert {e["ground"] for e in ESCALATIONS} == {
        Ground.INCITES_VIOLENCE,
        Ground.HATE,
        Ground.HARASSMENT,
        Ground.IMMINENT_HARM,
    }
    for case in ESCALATIONS:
        assert sees(PARTNERS[case["partner"]], POSTS[case["post"]])
        assert case["note"]
        assert all(REGION.fullmatch(region) for region in case["regions"])
        if case["outcome"] != "open":
            assert case["explanation"]
            assert case["policy_section"]
        if case["outcome"] == "hidden":  # hidden three hours ago, after a quarter of the post's life
            assert POSTS[case["post"]]["hours_ago"] > 12


def test_dangerous_posts_wait_for_the_desk_beyond_those_escalated() -> None:
    dangerous = {FlagReason.VIOLENCE, FlagReason.HARASSMENT, FlagReason.IMMINENT_HARM}
    count = Counter(f["post"] for f in FLAGS if f["reason"] in dangerous)
    waiting = {post for post, number in count.items() if number >= 3} - {e["post"] for e in ESCALATIONS}
    assert len(waiting) >= 3


def test_pictures_are_small_rasters_and_all_in_use() -> None:
    files = sorted(content.MEDIA.iterdir())
    used = {picture["file"] for p in POSTS.values() for picture in p["media"]}
    assert {file.name for file in files} == used
    assert sum(file.stat().st_size for file in files) < MEDIA_BUDGET_BYTES
    for file in files:
        head = file.read_bytes()[:12]
        assert (head[:4], head[8:]) == (b"RIFF", b"WEBP"), file.name
    several = Counter(picture["file"] for p in POSTS.values() for picture in p["media"])
    assert sum(number > 2 for number in several.values()) > 5
    assert len({file.read_bytes() for file in files}) < len(files)  # one picture under two names


def test_files_are_json_without_repeated_keys() -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    for file in content.FOLDER.glob("*.json*"):
        text = file.read_text(encoding="utf-8")
        for part in text.splitlines() if file.suffix == ".jsonl" else [text]:
            json.loads(part, object_pairs_hook=once)
