"""The server as a browser, or somebody worse, meets it: real requests to a real port."""

from __future__ import annotations

import concurrent.futures
import json
import socket

import pytest

from jaxpoker.app import opponents, server, strategy_view
from jaxpoker.app.duel import Refusal
from jaxpoker.app.guard import MOST_BODY
from jaxpoker.app.room import Room
from jaxpoker.coach.language_model import LanguageModel
from jaxpoker.runs import folder


@pytest.fixture(scope="module")
def client(room, serving, tmp_path_factory):
    runs = tmp_path_factory.mktemp("runs")
    for name, rows in (("solve/done", 1_000), ("dqn/at work", 3)):
        path = runs / name
        path.mkdir(parents=True)
        lines = [json.dumps({"step": i, "seconds": i / 2, "loss": 1 / (i + 1), "skipped": None}) for i in range(rows)]
        (path / folder.METRICS_FILE).write_text("\n".join(lines) + "\n")
    (runs / "solve/done" / folder.SUMMARY_FILE).write_text("{}")
    (runs / "secret.txt").write_text("secret")
    with serving(room, runs=runs) as found:
        yield found


@pytest.fixture
def seated(client):
    """At a table of its own, which is left in the end."""
    found = client.sit_down()
    yield found
    found.post("/api/leave", {})


def table(client):
    return client.get("/api/table").body


# --- playing ----------------------------------------------------------------------------------


def test_a_hand_is_played_by_requests(seated):
    view = table(seated)
    assert (view["hand"], view["turn"], view["your_turn"], view["opponent"]) == (1, 0, True, "Blueprint")
    while not view["over"]:
        answer = seated.post("/api/act", {"hand": view["hand"], "turn": view["turn"], "action": 1})
        assert answer.status == 200, answer
        view = answer.body
    assert view["score"]["hands"] == 1 and view == table(seated)
    assert seated.post("/api/next", {"hand": 1}).body["hand"] == 2


@pytest.mark.thorough
def test_advice_and_review_come_as_json(seated):
    view = table(seated)
    answer = seated.post("/api/advice", {"hand": 1, "turn": view["turn"]})
    assert answer.status == 200 and answer.body["rollouts"] == 250
    assert {"levels", "text", "choices", "notes", "villain_classes", "recommended"} <= set(answer.body)
    assert "reworded" not in answer.body  # no language model unless somebody names one
    assert answer.body == seated.post("/api/advice", {"hand": 1, "turn": view["turn"]}).body
    closer = seated.post("/api/advice", {"hand": 1, "turn": view["turn"], "closer": True}).body
    assert closer["rollouts"] == 8 * 250

    assert seated.post("/api/review", {"hand": 1, "decision": 0}).status == 409  # not over yet
    seated.post("/api/act", {"hand": 1, "turn": view["turn"], "action": 0})
    review = seated.post("/api/review", {"hand": 1, "decision": 0}).body
    assert review["taken"]["name"] == "fold" and review["ev_lost"] >= 0
    assert seated.post("/api/review", {"hand": 1, "decision": 1}).status == 422


def test_the_strategy_is_the_blueprints_at_this_decision(seated):
    grid = seated.get("/api/strategy").body
    assert (grid["position"], grid["situation"]) == ("BTN", "First to act")
    assert [action["label"] for action in grid["actions"]] == [
        "Fold", "Call 0.5 BB", "Raise to 2.5 BB", "Raise to 4.5 BB", "All-in, 100 BB",
    ]  # fmt: skip
    assert len(grid["mix"]) == len(grid["classes"]) == 169 and grid["hand"] in grid["classes"]
    assert all(abs(sum(row) - 1) < 1e-2 for row in grid["mix"])


def test_a_bet_before_ones_decision_leads_to_its_node(room, seated):
    while True:  # until the opponent opens with a raise, or has not folded
        view = table(seated)
        if view["over"]:
            view = seated.post("/api/next", {"hand": view["hand"]}).body
        if not view["over"] and view["seats"]["bot"]["button"] and view["street"] == "preflop":
            break
        seated.post(
            "/api/act", {"hand": view["hand"], "turn": view["turn"], "action": 0 if view["actions"][0]["legal"] else 1}
        )
    grid = seated.get("/api/strategy").body
    said = next(event["text"] for event in view["events"] if event["who"] == "bot")
    assert grid["position"] == "BB" and grid["situation"] == f"BTN: {said}"
    duel = room.duel(seated.session)
    assert strategy_view.preflop_state(duel) is duel.state


def test_the_page_and_its_parts_are_served_with_strict_headers(client):
    page = client.get("/")
    assert page.status == 200 and "<title>jaxpoker" in page.body
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff" and page.headers["x-frame-options"] == "DENY"
    assert "http://" not in page.body.replace("http://www.w3.org", "") and "https://" not in page.body  # no CDN
    for part in (
        "style.css",
        "main.js",
        "table.js",
        "coach.js",
        "strategy.js",
        "runs.js",
        "api.js",
        "dom.js",
        "icon.svg",
    ):
        assert client.get(f"/static/{part}").status == 200
    for way_out in ("/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py", "/nothing"):
        assert client.get(way_out).status == 404


# --- who may ask ------------------------------------------------------------------------------


@pytest.mark.parametrize("session", [None, "guess", "x" * 43, ""])
def test_a_session_must_be_known(client, session):
    stranger = type(client)(client.port, session)
    for method, path, body in (
        ("GET", "/api/table", None),
        ("GET", "/api/strategy", None),
        ("GET", "/api/hands.phhs", None),
        ("GET", "/api/runs", None),
        ("POST", "/api/act", {"hand": 1, "turn": 0, "action": 1}),
        ("POST", "/api/advice", {"hand": 1, "turn": 0}),
        ("POST", "/api/leave", {}),
    ):
        assert stranger.ask(method, path, body).status == 401, path


def test_names_of_sessions_are_long_and_different(client):
    clients = [client.sit_down() for _ in range(3)]
    assert len({c.session for c in clients}) == 3 and all(len(c.session) >= 43 for c in clients)
    for each in clients:
        assert each.post("/api/leave", {}).status == 200
        assert each.get("/api/table").status == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "", None])
def test_another_host_is_not_this_server(client, host):
    for path in ("/", "/api/opponents", "/static/main.js"):
        assert client.ask("GET", path, headers={"Host": host}).status in (400, 421), host
    assert client.ask("GET", "/", headers={"Host": f"localhost:{client.port}"}).status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1", "null", "http://127.0.0.1:1"])
def test_another_page_may_not_ask(client, seated, origin):
    before = table(seated)
    body = {"hand": 1, "turn": before["turn"], "action": 1}
    assert seated.ask("POST", "/api/act", body, {"Origin": origin}).status == 403
    assert client.ask("POST", "/api/session", {"opponent": "blueprint"}, {"Origin": origin}).status == 403
    assert client.ask("GET", "/api/opponents", headers={"Sec-Fetch-Site": "cross-site"}).status == 403
    assert table(seated) == before
    own = f"http://127.0.0.1:{client.port}"
    assert seated.ask("POST", "/api/act", body, {"Origin": own, "Sec-Fetch-Site": "same-origin"}).status == 200


# --- abuse ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_only_json_is_read(seated, kind):
    assert seated.ask("POST", "/api/act", {"hand": 1, "turn": 0, "action": 1}, {"Content-Type": kind}).status == 415


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b"null", b'"hand"', b"\xff\xfe", b"[" * 2_000])
def test_a_body_that_is_no_object_is_refused(seated, body):
    answer = seated.ask("POST", "/api/act", body)
    assert answer.status == 400 and "no JSON" in answer.body["error"]


@pytest.mark.parametrize(
    "change", [{"action": "1"}, {"action": True}, {"action": 1.0}, {"action": 10**30}, {"hand": None}, {"turn": []}]
)
def test_fields_have_their_types(seated, change):
    body = {"hand": 1, "turn": 0, "action": 1} | change
    answer = seated.post("/api/act", body)
    assert answer.status == 422 and next(iter(change)) in answer.body["error"]


def test_ten_megabytes_are_refused_unread(seated):
    before = table(seated)
    assert seated.ask("POST", "/api/act", b"x" * 10_000_000).status == 413
    assert seated.ask("POST", "/api/act", b"x" * (MOST_BODY + 1)).status == 413
    assert table(seated) == before


def test_a_body_without_a_length_is_cut_off_too(seated):
    with socket.create_connection(("127.0.0.1", seated.port)) as wire:
        head = f"POST /api/act HTTP/1.1\r\nHost: 127.0.0.1:{seated.port}\r\nContent-Type: application/json\r\n"
        wire.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"1000\r\n" + b"x" * 0x1000 + b"\r\n"
        try:
            for _ in range(2_500):  # ten megabytes
                wire.sendall(chunk)
        except OSError:
            pass  # it has closed
        wire.settimeout(30)
        assert wire.recv(12) == b"HTTP/1.1 413"


def test_the_wrong_method_and_the_wrong_path_say_so(client):
    assert client.get("/api/act").status == 405
    assert client.ask("PUT", "/api/act", {}).status == 405
    assert client.ask("OPTIONS", "/api/act").status == 405
    assert client.get("/api/nothing").status == 404


def test_refusals_of_the_game_are_client_errors_and_change_nothing(seated):
    before = table(seated)
    for change, status in (({"action": 3}, 422), ({"action": 99}, 422), ({"hand": 7}, 409), ({"turn": 5}, 409)):
        answer = seated.post("/api/act", {"hand": 1, "turn": before["turn"], "action": 1} | change)
        assert answer.status == status and answer.body["error"]
    assert seated.post("/api/next", {"hand": 1}).status == 409
    assert seated.post("/api/advice", {"hand": 1, "turn": 9}).status == 409
    assert seated.get("/api/hands/1.phh").status == 404
    assert table(seated) == before


def test_a_double_click_counts_once(seated):
    body = {"hand": 1, "turn": table(seated)["turn"], "action": 1}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        statuses = sorted(answer.status for answer in pool.map(lambda _: seated.post("/api/act", body), range(4)))
    assert statuses == [200, 409, 409, 409]


def test_a_killed_tab_loses_nothing(seated):
    """A request whose sender is gone before the answer: the game went on, and the next tab finds it."""
    view = table(seated)
    body = json.dumps({"hand": 1, "turn": view["turn"], "action": 1}).encode()
    with socket.create_connection(("127.0.0.1", seated.port)) as wire:
        lines = [
            "POST /api/act HTTP/1.1",
            f"Host: 127.0.0.1:{seated.port}",
            f"Authorization: Bearer {seated.session}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        ]
        wire.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    for _ in range(200):
        after = table(seated)
        if after["turn"] > view["turn"]:
            break
    assert after["turn"] > view["turn"] and after["hand"] == 1
    if not after["over"]:
        assert seated.post("/api/act", {"hand": 1, "turn": after["turn"], "action": 1}).status == 200


def test_two_hundred_sessions_do_not_cost_anybody_a_game(room, client):
    first = client.sit_down()
    view = table(first)
    answers = [client.post("/api/session", {"opponent": "blueprint"}) for _ in range(200)]
    taken = [answer.body["session"] for answer in answers if answer.status == 200]
    assert {answer.status for answer in answers} == {200, 429} and len(taken) < room.tables_per_client < room.tables
    assert "you sit at 16 tables" in answers[-1].body["error"]
    assert table(first) == view
    assert first.post("/api/act", {"hand": 1, "turn": view["turn"], "action": 1}).status == 200
    for session in [first.session, *taken]:
        assert type(client)(client.port, session).post("/api/leave", {}).status == 200
    assert client.post("/api/session", {"opponent": "nobody"}).status == 422


def test_a_table_left_alone_makes_room(room, monkeypatch):
    small = Room((room.opponents["blueprint"],), tables=2, idle_seconds=0.0)
    monkeypatch.setattr(small, "prepare", room.prepare)
    one, two, three = (small.sit_down("blueprint") for _ in range(3))
    assert small.duel(three) and small.duel(two)
    with pytest.raises(Refusal, match="left alone too long"):
        small.duel(one)


# --- downloads, runs and the language model ---------------------------------------------------


def test_hands_can_be_saved(seated):
    for hand in (1, 2):
        view = table(seated)
        while not view["over"]:
            view = seated.post("/api/act", {"hand": hand, "turn": view["turn"], "action": 1}).body
        seated.post("/api/next", {"hand": hand})
    one, both = seated.get("/api/hands/2.phh"), seated.get("/api/hands.phhs")
    assert one.headers["content-disposition"] == 'attachment; filename="jaxpoker-2.phh"'
    assert "hand = 2" in one.body and both.body.count("variant = 'NT'") == 2
    assert seated.get("/api/hands/3.phh").status == 404  # being played


def test_runs_and_their_curves(seated):
    runs = {run["name"]: run["at_work"] for run in seated.get("/api/runs").body}
    assert runs == {"solve/done": False, "dqn/at work": True}
    done = seated.get("/api/metrics?run=solve/done").body
    assert set(done["curves"]) == {"loss"} and done["step"] == 999
    assert 200 < len(done["curves"]["loss"]["steps"]) <= 300 and done["curves"]["loss"]["steps"][-1] == 999
    for other in ("../secret.txt", "..", "", "/etc", "solve", "solve/../../x", "solve%2f..%2f.."):
        assert seated.get(f"/api/metrics?run={other}").status == 404


def test_a_language_model_rewords_and_cannot_break_the_advice(room, serving):
    nobody = LanguageModel("http://127.0.0.1:1/v1", "none", "sk-secret")
    with serving(room, model=nobody) as client:
        seated = client.sit_down()
        answer = seated.post("/api/advice", {"hand": 1, "turn": table(seated)["turn"]})
        seated.post("/api/leave", {})
    assert answer.status == 200 and answer.body["reworded"] is None and answer.body["text"]
    assert "cannot be asked" in answer.body["why_not"] and "sk-secret" not in json.dumps(answer.body)


def test_a_failure_inside_is_told_without_details(room, serving, monkeypatch):
    def broken(*_):
        raise RuntimeError("a secret of the server")

    with serving(room) as client:
        seated = client.sit_down()
        monkeypatch.setattr(server.views, "table", broken)
        answer = seated.get("/api/table")
        monkeypatch.undo()
        assert answer.status == 500 and "secret" not in json.dumps(answer.body)
        assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-store"
        assert table(seated)["hand"] == 1
        seated.post("/api/leave", {})


# --- opponents --------------------------------------------------------------------------------


def test_every_opponent_is_listed(client):
    listed = client.get("/api/opponents").body
    assert [one["name"] for one in listed] == [one.name for one in opponents.SHIPPED]
    assert all(one["title"] and one["about"] for one in listed)
    assert listed[0]["ready"] and not listed[-1]["ready"]
