"""An independent referee of Chicago: the rules in plain Python, without jax and without the package it judges.

``Referee`` plays a game from the decks and actions it is given. It tells legal actions, announcements, reveals, scores,
winners, rewards and, with an encoder of its own, every float that a player sees. As a program it judges a recording:

    python referee.py games.npz     exit code 1 and a line on stderr where it disagrees
"""

import json
import sys

import numpy as np

DRAW_0, DRAW_1, TRICKS, OVER = range(4)

# Sets of actions are integers with a bit for each; discards by how many cards the deck has left.
DISCARDS = [sum(1 << mask for mask in range(32) if mask.bit_count() <= left) for left in range(6)]
TURNING_DOWN = sum(1 << 32 + (1 << card) for card in range(5))


def rank_of(card):
    """2-14."""
    return card % 13 + 2


def suit_of(card):
    """1-4, clubs to spades."""
    return card // 13 + 1


def tie_break(hand):
    """Points of five cards (8 for a straight flush), and the components of their tie-break key in order."""
    ranks = sorted((rank_of(card) for card in hand), reverse=True)
    groups = {}
    for card in hand:
        groups.setdefault(rank_of(card), []).append(suit_of(card))
    for suits in groups.values():
        suits.sort(reverse=True)
    by_size = sorted(groups, key=lambda rank: (len(groups[rank]), rank), reverse=True)
    sizes = [len(groups[rank]) for rank in by_size]
    flush = len({suit_of(card) for card in hand}) == 1
    top = None
    if sizes == [1, 1, 1, 1, 1]:
        if ranks[0] - ranks[4] == 4:
            top = ranks[0]
        elif ranks == [14, 5, 4, 3, 2]:
            top = 5
    if top is not None:
        return (8 if flush else 4), [top, groups[top][0]]
    if flush:
        return 5, [*ranks, suit_of(hand[0])]
    points = {
        (1, 1, 1, 1, 1): 0,
        (2, 1, 1, 1): 1,
        (2, 2, 1): 2,
        (3, 1, 1): 3,
        (3, 2): 6,
        (4, 1): 7,
    }[tuple(sizes)]
    return points, [*by_size, *(suit for rank in by_size for suit in groups[rank])]


class Referee:
    """One game. ``deal`` a round's deck, then ``act`` until ``needs_deck`` or the game is over."""

    def __init__(self, players, target=50, max_rounds=300, bonus=0.25, see_then_decide=False):
        self.n, self.target, self.max_rounds, self.bonus, self.see = players, target, max_rounds, bonus, see_then_decide
        self.scores, self.last_scores = [0] * players, [0] * players
        self.round, self.winner, self.truncated, self.needs_deck = 0, None, False, True

    def deal(self, deck):
        n = self.n
        self.round += 1
        self.start = (self.round - 1) % n
        self.last_scores = list(self.scores)
        self.deck = [int(card) for card in deck]
        self.hands = [self.deck[5 * seat : 5 * seat + 5] for seat in range(n)]
        self.next = 5 * n
        self.phase, self.turn, self.trick, self.actor = DRAW_0, 0, 0, self.start
        self.discards = [[[] for _ in range(n)] for _ in range(2)]
        self.shown, self.kept, self.rejected = [None] * n, [False] * n, [False] * n
        self.announced, self.passed, self.points = [False] * n, [False] * n, [None] * n
        self.events = []
        self.table = [[None] * n for _ in range(5)]
        self.led = None
        self.deciding = False
        self.needs_deck = False

    @property
    def over(self):
        return self.winner is not None or self.truncated

    def clockwise(self, first):
        return [(first + place) % self.n for place in range(self.n)]

    # --- legal actions ------------------------------------------------------------------------

    def legal(self):
        """The set of legal actions."""
        left = 52 - self.next
        if self.deciding:
            return 1 | 1 << 32 if left else 1
        if self.phase < TRICKS:
            turning_down = self.phase == DRAW_1 and left >= 2 and not self.see
            return DISCARDS[min(left, 5)] | (TURNING_DOWN if turning_down else 0)
        hand = self.hands[self.actor]
        following = sum(1 << 64 + i for i, card in enumerate(hand) if suit_of(card) == self.led)
        return following or sum(1 << 64 + i for i in range(len(hand)))

    # --- acting -------------------------------------------------------------------------------

    def act(self, action):
        """What each seat is paid for the action."""
        self.rewards = [0.0] * self.n
        if self.phase < TRICKS:
            self._draw(action)
        else:
            self._play(action - 64)
        return self.rewards

    def _score(self, seat, points):
        self.scores[seat] += points
        self.rewards[seat] += points / self.target

    def _win(self, seat):
        self.winner = seat
        self.rewards[seat] += self.bonus
        self.phase_at_end, self.phase = self.phase, OVER

    def _take(self):
        self.next += 1
        return self.deck[self.next - 1]

    def _draw(self, action):
        seat, hand = self.actor, self.hands[self.actor]
        if self.deciding:
            self.deciding = False
            self.rejected[seat], self.kept[seat] = action == 32, action == 0
            hand.append(self._take() if action == 32 else self.shown[seat])
        else:
            gone = [card for i, card in enumerate(hand) if action >> i & 1]
            self.discards[self.phase][seat] = gone
            hand = self.hands[seat] = [card for i, card in enumerate(hand) if not action >> i & 1]
            if self.phase == DRAW_1 and len(gone) == 1:
                self.shown[seat] = self._take()
                if self.see:
                    self.deciding = True
                    return
                self.rejected[seat] = action >= 32
                self.kept[seat] = not self.rejected[seat]
                hand.append(self._take() if self.rejected[seat] else self.shown[seat])
            else:
                hand.extend(self._take() for _ in gone)
        self.turn += 1
        self.actor = (self.start + self.turn) % self.n
        if self.turn == self.n:
            self._end_of_draw()

    def _end_of_draw(self):
        worths = [tie_break(hand) for hand in self.hands]
        best = max(range(self.n), key=lambda seat: worths[seat])
        if worths[best][0] == 8:
            self._win(best)
            return
        if self.phase == DRAW_0:
            self._announce(worths)
        else:
            self._score(best, worths[best][0])
        self.phase += 1
        self.turn, self.actor = 0, self.start

    def _announce(self, worths):
        highest = 0
        for seat in self.clockwise(self.start):
            points = worths[seat][0]
            if points > 0 and points >= highest:
                self.announced[seat], self.points[seat], highest = True, points, points
            else:
                self.passed[seat] = True
        contenders = [
            seat for seat in self.clockwise(self.start) if self.announced[seat] and worths[seat][0] == highest
        ]
        component = 0
        while len(contenders) > 1:
            best, still_in = None, []
            for seat in contenders:
                value = worths[seat][1][component]
                if best is None or value == best:
                    self.events.append((seat, component, value))
                    still_in.append(seat)
                    best = value
                elif value > best:
                    self.events.append((seat, component, "higher"))
                    still_in, best = [seat], value
                else:
                    self.events.append((seat, component, "pass"))
            contenders = still_in
            component += 1
        if contenders:
            self._score(contenders[0], highest)

    def _play(self, index):
        seat = self.actor
        card = self.hands[seat].pop(index)
        if self.turn == 0:
            self.led, self.leader = suit_of(card), seat
        self.table[self.trick][seat] = card
        self.turn += 1
        self.actor = (seat + 1) % self.n
        if self.turn < self.n:
            return
        taker = max(
            (other for other in range(self.n) if suit_of(self.table[self.trick][other]) == self.led),
            key=lambda other: rank_of(self.table[self.trick][other]),
        )
        self.turn, self.actor, self.led = 0, taker, None
        if self.trick < 4:
            self.trick += 1
            return
        self._score(taker, 5)
        if self.last_scores[taker] >= self.target:
            self._win(taker)
        elif self.round == self.max_rounds:
            self.truncated = True
            self.phase_at_end, self.phase = self.phase, OVER
        else:
            self.needs_deck = True

    # --- what a player sees -------------------------------------------------------------------

    def observe(self, player):
        """The floats that ``player`` sees, block after block: a dictionary in the order of the observation."""
        phase = self.phase_at_end if self.phase == OVER else self.phase

        def one_hot(index, size):
            return [1.0 if i == index else 0.0 for i in range(size)]

        def padded(values):
            return [float(value) for value in values] + [0.0] * (6 - self.n)

        hand, table, discards, shown, announcement, events = [], [], [], [], [], []
        for slot in range(5):
            hand += one_hot(self.hands[player][slot], 52) if slot < len(self.hands[player]) else [0.0] * 52
        for trick in range(5):
            for seat in range(6):
                card = self.table[trick][seat] if seat < self.n else None
                table += [0.0] * 52 if card is None else one_hot(card, 52)
        for draw in range(2):
            for seat in range(6):
                gone = self.discards[draw][seat] if seat < self.n else []
                places = gone if seat == player else range(len(gone))
                discards += [1.0 if place in places else 0.0 for place in range(52)]
        for seat in range(6):
            card = self.shown[seat] if seat < self.n else None
            if card is None:
                shown += [0.0] * 55
            else:
                shown += [*one_hot(card, 52), 1.0, float(self.kept[seat]), float(self.rejected[seat])]
        for seat in range(6):
            if seat >= self.n:
                announcement += [0.0] * 10
                continue
            announcement += one_hot(self.points[seat] if seat == player else None, 8)
            announcement += [float(self.announced[seat]), float(self.passed[seat])]
        for seat, component, what in self.events:
            events += one_hot(seat, 6) + one_hot(component, 10)
            events += {"higher": [0.0, 0.0, 0.0], "pass": [0.0, 1.0, 0.0]}.get(what) or [1.0, 0.0, what / 14]
        return {
            "hand": hand,
            "phase": one_hot(phase, 3),
            "led": one_hot(self.led or 0, 5),
            "trick": one_hot(self.trick, 5),
            "scores": padded(score / self.target for score in self.scores),
            "active": padded(2 if seat == self.start else 1 for seat in range(self.n)),
            "self": one_hot(player, 6),
            "last scores": padded(score / self.target for score in self.last_scores),
            "table": table,
            "discards": discards,
            "shown": shown,
            "announcement": announcement,
            "reveals": events + [0.0] * (64 * 19 - len(events)),
        }


# --- judging a recording ----------------------------------------------------------------------


def _events_of(words, start, players):
    """A round's reveals, ten integers with five bits for each place clockwise from the start seat, as events."""
    events = []
    for component, word in enumerate(words):
        for place in range(players if word else 0):
            said = word >> (5 * place) & 31
            if said:
                events.append(((start + place) % players, component, {15: "higher", 16: "pass"}.get(said, said)))
    return events


def judge(game, record, rules):
    """Plays one recorded game again and raises ``AssertionError`` where the recording differs."""
    referee = Referee(**rules)
    n = rules["players"]
    steps = len(record["action"])
    referee.deal(record["deck"][0])
    for t in range(steps):
        mask = referee.legal()
        where = f"game {game}, decision {t}"
        assert record["mask"][t] == mask, f"{where}: legal {record['mask'][t]:x}, not {mask:x}"
        assert record["actor"][t] == referee.actor, f"{where}: seat {record['actor'][t]} acts, not {referee.actor}"
        rewards = referee.act(record["action"][t])
        assert record["scores"][t] == referee.scores, f"{where}: scores {record['scores'][t]}, not {referee.scores}"
        paid = record["rewards"][t]
        assert paid == rewards or all(abs(a - b) < 1e-6 for a, b in zip(paid, rewards, strict=True)), (
            f"{where}: paid {paid}, not {rewards}"
        )
        said = _events_of(record["reveals"][t], (record["round"][t] - 1) % n, n)
        flags = record["announced"][t], record["passed"][t]
        if referee.needs_deck:
            referee.deal(record["deck"][t + 1])
        assert record["round"][t] == referee.round, f"{where}: round {record['round'][t]}, not {referee.round}"
        assert said == referee.events, f"{where}: reveals {said}, not {referee.events}"
        assert flags == (referee.announced, referee.passed), f"{where}: announcement {flags}"
        ended = record["winner"][t], record["terminated"][t], record["truncated"][t]
        winner = -1 if referee.winner is None else referee.winner
        assert ended == (winner, referee.winner is not None, referee.truncated), f"{where}: ended {ended}"
    assert referee.over, f"game {game}: the recording stops before the end"
    return referee


ONE_EACH = ("action", "actor", "round", "reveals", "winner", "terminated", "truncated")
ONE_PER_SEAT = ("scores", "rewards", "announced", "passed")


def main(path):
    """Judges all games of a recording: arrays [steps, games, ...], see ``test_referee.py``.

    Prints players, decisions, rounds and "won by a straight flush" of each game.
    """
    with np.load(path) as saved:
        record = {name: saved[name] for name in saved.files}
    lengths, players = record.pop("length").tolist(), record.pop("players").tolist()
    rules = {name.removeprefix("rule_"): record.pop(name).item() for name in list(record) if name.startswith("rule_")}
    statistics = []
    for game, (length, n) in enumerate(zip(lengths, players, strict=True)):
        rows = {name: record[name][:length, game].tolist() for name in ONE_EACH}
        rows |= {name: record[name][:length, game, :n].tolist() for name in ONE_PER_SEAT}
        rows["mask"] = [a | b << 32 | c << 64 for a, b, c in record["mask"][:length, game].tolist()]
        rows["deck"] = record["deck"][:length, game]
        referee = judge(game, rows, {"players": n, **rules})
        statistics.append((n, length, referee.round, int(referee.phase_at_end < TRICKS)))
    print(json.dumps(statistics))


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except AssertionError as error:
        sys.exit(f"the referee disagrees: {error}")
