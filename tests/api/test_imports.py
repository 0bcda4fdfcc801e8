"""Files of posts: bad lines are named and set aside, the rest is stored once."""

import json
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from moderation.models import Post, PostReach
from moderation.services import imports

pytestmark = pytest.mark.django_db


def row(number, **fields):
    return {
        "external_id": f"import-{number}",
        "actor": {"kind": "page", "external_id": "gazette", "name": "Gazette"},
        "text": f"Story {number}",
        "language": "en",
        "published_at": "2026-11-01T08:00:00Z",
        **fields,
    }


@pytest.fixture
def jsonl(tmp_path, settings):
    settings.VAR_DIR = tmp_path / "var"
    file = tmp_path / "posts.jsonl"

    def write(*lines):
        file.write_bytes(
            b"".join(x if isinstance(x, bytes) else json.dumps(x).encode() + b"\n" for x in lines)
        )
        return file

    return write


def load(file, **options):
    call_command("import_posts", str(file), format_name="jsonl", **options)


def test_bad_lines_are_named_and_set_aside_and_the_others_are_stored(jsonl, capsys, settings):
    file = jsonl(
        row(1),
        b"{not json\n",
        row(3, language="tlh-x-yz"),
        row(4, published_at="2999-01-01T00:00:00Z"),
        b'{"external_id": "\xff"}\n',
        b"\n",
        row(7, colour="red"),
        row(8),
    )

    load(file)

    assert set(Post.objects.values_list("external_id", flat=True)) == {"import-1", "import-8"}
    told = capsys.readouterr()
    assert "2 added, 0 edited, 0 unchanged, 5 set aside" in told.out
    aside = next((settings.VAR_DIR / "imports").glob("*.set-aside.jsonl")).read_text().splitlines()
    assert [json.loads(line)["line"] for line in aside] == [2, 3, 4, 5, 7]
    assert "published_at" in told.err and "colour" in told.err


def test_repeating_an_import_changes_nothing(jsonl, capsys):
    file = jsonl(row(1, reach={"at": "2026-11-02T08:00:00Z", "views": 40}), row(2))
    load(file)
    load(file, again=True)

    assert Post.objects.count() == 2
    assert PostReach.objects.get().views == 40
    assert "0 added, 0 edited, 2 unchanged" in capsys.readouterr().out


def test_an_interrupted_import_goes_on_behind_the_last_committed_line(jsonl, capsys, monkeypatch):
    monkeypatch.setattr("moderation.management.commands.import_posts.BATCH", 2)
    file = jsonl(*(row(n) for n in range(1, 6)))
    real, seen = imports.lines, []

    def cut_off(path, format_name):
        for line in real(path, format_name):
            if line.number == 4 and not seen:
                seen.append(line)
                raise KeyboardInterrupt
            yield line

    monkeypatch.setattr(imports, "lines", cut_off)
    with pytest.raises(KeyboardInterrupt):
        load(file)
    assert Post.objects.count() == 2

    load(file)

    assert Post.objects.count() == 5
    assert "going on behind line 2" in capsys.readouterr().out


def test_the_buzzfeed_lists_become_posts_of_their_domains(tmp_path):
    file = tmp_path / "top_2016.csv"
    file.write_text(
        "title,url,domain,month,fb_engagements,category\n"
        '"A title, with a comma",http://paper.example/a,paper.example,October,1200,Politics\n'
        "Another,http://paper.example/b,paper.example,Brumaire,5,Crime\n"
    )

    first, second = imports.lines(file, "buzzfeed-top")

    assert first.post["actor"] == {"kind": "domain", "external_id": "paper.example", "name": "paper.example"}
    assert first.post["published_at"] == datetime(2016, 10, 1, tzinfo=UTC).isoformat()
    assert first.post["text"] == "A title, with a comma"
    assert second.post is None and second.number == 3 and "Brumaire" in second.fault


def test_a_path_that_holds_nothing_is_refused_in_words(tmp_path):
    with pytest.raises(CommandError, match="does not exist"):
        load(tmp_path / "nowhere")
    with pytest.raises(CommandError, match=r"holds no \*\.jsonl"):
        load(tmp_path)
