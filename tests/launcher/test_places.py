import shutil
import tempfile
from collections import namedtuple
from pathlib import Path

import pytest

from launcher.places import Lock, Places
from launcher.problems import Problem
from tests.waiting import until

HOLD = """
import sys, time
from pathlib import Path
from launcher.places import Lock, Places
lock = Lock(Places(Path(sys.argv[1])))
lock.take()
lock.describe(address="http://127.0.0.1:8000")
print("held", flush=True)
time.sleep(60)
"""


def test_a_second_launcher_is_told_where_the_first_one_runs(tmp_path, launch):
    first = launch(HOLD, tmp_path)
    assert first.stdout.readline() == "held\n"

    with pytest.raises(Problem, match=rf"already running at http://127.0.0.1:8000 \(process {first.pid}\)"):
        Lock(Places(tmp_path)).take()


def test_the_lock_of_a_killed_launcher_is_free(tmp_path, launch):
    first = launch(HOLD, tmp_path)
    first.stdout.readline()
    first.kill()
    first.wait()

    second = Lock(Places(tmp_path))
    second.take()
    assert second.holder() is not None
    second.release()
    assert second.holder() is None


def test_asking_who_holds_the_lock_does_not_take_it(tmp_path, launch):
    lock = Lock(Places(tmp_path))
    assert lock.holder() is None

    first = launch(HOLD, tmp_path)
    first.stdout.readline()

    assert lock.holder() == {"pid": first.pid, "address": "http://127.0.0.1:8000"}
    assert until(lambda: lock.wait_until_free(0.01) is False)


def test_a_full_disk_is_said_in_one_sentence(tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9, 5 << 20))

    with pytest.raises(Problem, match=r"^The disk is full: 5 MiB are free at .*, 300 MiB are needed\.$"):
        Places(tmp_path / "var").create()


def test_sockets_of_a_deep_folder_go_to_a_short_one_of_our_own(tmp_path):
    shallow, deep = Places(Path("/srv/veracity/var")), Places(tmp_path / ("deep" * 30))
    assert shallow.sockets == Path("/srv/veracity/var/run")

    deep.create()

    assert len(str(deep.sockets / ".s.PGSQL.5432")) <= 107
    assert deep.sockets.parent == Path(tempfile.gettempdir())
    assert deep.sockets.stat().st_mode & 0o077 == 0
    assert deep.sockets != Places(tmp_path / ("other" * 30)).sockets
    deep.wipe()
    assert not deep.sockets.exists()


def test_a_socket_folder_that_others_can_open_is_refused(tmp_path):
    places = Places(tmp_path)
    places.sockets.mkdir()
    places.sockets.chmod(0o755)

    with pytest.raises(Problem, match="only you can open"):
        places.create()


def test_wiping_leaves_what_somebody_else_put_there(tmp_path):
    places = Places(tmp_path)
    places.create()
    places.secret_key()
    (tmp_path / "thesis.odt").write_text("mine")

    places.wipe()

    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.odt"]


def test_an_installation_keeps_its_own_secret_key(tmp_path):
    places, other = Places(tmp_path / "a"), Places(tmp_path / "b")
    for each in (places, other):
        each.create()

    assert places.secret_key() == places.secret_key() != other.secret_key()
    assert (places.var / "secret-key").stat().st_mode & 0o077 == 0


def test_a_first_start_that_was_cut_off_begins_again(tmp_path):
    places = Places(tmp_path)
    places.create()
    assert places.begin_first_start() is False
    places.postgres.mkdir()  # … and the power fails while the demo is loading

    assert places.begin_first_start() is True

    assert not places.postgres.exists()


def test_data_that_somebody_used_is_never_begun_again(tmp_path):
    places = Places(tmp_path)
    places.create()
    places.begin_first_start()
    places.postgres.mkdir()
    places.end_first_start()
    assert places.begin_first_start() is False

    older = Places(tmp_path / "made-by-another-command")
    older.create()
    older.postgres.mkdir()
    assert older.begin_first_start() is False

    assert places.postgres.exists() and older.postgres.exists()
