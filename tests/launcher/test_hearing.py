from launcher.hearing import LIMIT_SECONDS, deaf

WORKERS = {"worker-urgent": ("urgent",), "worker-effects": ("effects", "matching")}


def test_a_worker_whose_queue_is_silent_too_long_is_deaf():
    silences = {"urgent": LIMIT_SECONDS + 1, "effects": 3.0, "matching": 3.0}

    assert deaf(silences, WORKERS) == ["worker-urgent"]


def test_one_silent_queue_of_two_is_enough():
    silences = {"urgent": 3.0, "effects": 3.0, "matching": LIMIT_SECONDS + 1}

    assert deaf(silences, WORKERS) == ["worker-effects"]


def test_silence_everywhere_means_that_nobody_asked():
    assert deaf(dict.fromkeys(("urgent", "effects", "matching"), LIMIT_SECONDS + 1), WORKERS) == ["beat"]


def test_patience_lasts_until_the_limit():
    assert deaf(dict.fromkeys(("urgent", "effects", "matching"), LIMIT_SECONDS - 1), WORKERS) == []


def test_nothing_is_known_right_after_the_broker_was_emptied():
    assert deaf({}, WORKERS) == []
    assert deaf({"urgent": None, "effects": 2.0, "matching": None}, WORKERS) == []
