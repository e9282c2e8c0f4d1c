// The table: cards, chips, the nine actions and the log. What happened since the last answer is shown event by event.

import { bigBlinds, byId, cardElement, cardName, element, signed } from "./dom.js";

const PAUSE = Number(new URLSearchParams(location.search).get("pace") ?? 500); // milliseconds before each event
const LETTERS = { 0: "F", 1: "C", 8: "A" };

const NOTHING = { hand: 0, events: 0, board: 0 };
let shown = NOTHING;

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export function makeActions(act) {
  const buttons = [];
  for (let id = 0; id < 9; id++) {
    const button = element(
      "button",
      { type: "button", disabled: true, "data-action": id, class: `choice kind-${id}` },
      element("kbd", {}, String(id + 1)),
      element("span", { class: "name" }),
      element("span", { class: "label" }),
    );
    button.addEventListener("click", (event) => {
      if (event.detail < 2) act(id); // the second click of a double click is none, however fast the table was
    });
    buttons.push(button);
  }
  byId("actions").replaceChildren(...buttons);
}

const SIZE_NAMES = { "1/4 pot": "¼ pot", "1/3 pot": "⅓ pot", "1/2 pot": "½ pot", "3/4 pot": "¾ pot" };

function nameOf(action) {
  if (action.id === 0) return "Fold";
  if (action.id === 1) return action.label?.startsWith("Call") ? "Call" : "Check";
  if (action.id === 2 && action.label?.startsWith("Bet")) return "Min bet";
  const name = SIZE_NAMES[action.name] ?? action.name;
  return name[0].toUpperCase() + name.slice(1);
}

function labelOf(action) {
  if (!action.legal || action.id === 0) return "";
  return action.label.replace(/^(Call|Check) ?/, "").replace(/^All-in, /, "to ").replace(/ BB$/, "\u00a0BB");
}

export function showActions(view, enabled) {
  for (const action of view.actions) {
    const button = byId("actions").children[action.id];
    button.disabled = !(enabled && action.legal);
    button.querySelector(".name").textContent = nameOf(action);
    button.querySelector(".label").textContent = labelOf(action);
    const keys = [String(action.id + 1), LETTERS[action.id]].filter(Boolean).join(" or ");
    button.setAttribute("aria-label", `${action.label ?? nameOf(action)} (key ${keys})`);
  }
}

function showCards(place, cards, count, label, from = Infinity) {
  const held = cards ?? [];
  const wanted = Array.from({ length: count }, (_, i) => held[i] ?? null);
  const key = wanted.join(",");
  if (place.dataset.cards !== key) {
    place.dataset.cards = key;
    place.replaceChildren(...wanted.map((card, i) => cardElement(card, i >= from)));
  }
  place.setAttribute("aria-label", held.length ? `${label}: ${held.map(cardName).join(", ")}` : label);
}

function showBoard(board) {
  const place = byId("board");
  const key = board.join(",");
  if (place.dataset.cards !== key) {
    const before = shown.board;
    place.dataset.cards = key;
    place.replaceChildren(
      ...Array.from({ length: 5 }, (_, i) =>
        board[i] ? cardElement(board[i], i >= before) : element("span", { class: "card gap", "aria-hidden": "true" }),
      ),
    );
    shown.board = board.length;
  }
  place.setAttribute("aria-label", board.length ? `Board: ${board.map(cardName).join(", ")}` : "No board yet");
}

function showChips(pot, bets, stacks) {
  byId("pot").textContent = `Pot ${bigBlinds(pot)}`;
  ["you", "bot"].forEach((seat, i) => {
    byId(`${seat}-stack`).textContent = bigBlinds(stacks[i]);
    const bet = byId(`${seat}-bet`);
    bet.hidden = !bets[i];
    bet.textContent = bets[i] ? bigBlinds(bets[i]) : "";
  });
}

function logLine(event, bot) {
  const who = { you: "You", bot, table: "" }[event.who];
  const line = element("li", { class: `event ${event.kind} ${event.who}` });
  if (who) line.append(element("b", {}, `${who}: `));
  line.append(event.text);
  return line;
}

function showEvent(event, view) {
  showBoard(event.board);
  showChips(event.pot, event.bets, event.stacks);
  const log = byId("log");
  log.append(logLine(event, view.opponent));
  log.scrollTop = log.scrollHeight;
  byId("felt").dataset.turn = event.who;
}

// For a table with somebody else, whose hands begin with the first again.
export function clear() {
  shown = NOTHING;
  byId("log").replaceChildren();
}

// Shows ``view``; events that are new come one after the other when ``slowly``.
export async function show(view, slowly) {
  if (view.hand !== shown.hand) {
    shown = { ...NOTHING, hand: view.hand };
    if (byId("log").children.length) byId("log").append(element("li", { class: "rule", "aria-hidden": "true" }));
    showCards(byId("bot-cards"), null, 2, "Face-down cards");
    byId("bot-made").textContent = "";
    byId("felt").dataset.result = "";
    for (const seat of ["you", "bot"]) byId(`seat-${seat}`).classList.remove("folded");
  }
  showActions(view, false);
  showCards(byId("you-cards"), view.seats.you.cards, 2, "Your cards");
  byId("you-made").textContent = "";
  byId("bot-name").textContent = view.opponent;
  for (const seat of ["you", "bot"]) byId(`${seat}-button`).hidden = !view.seats[seat].button;
  const fresh = view.events.slice(shown.events);
  for (const [i, event] of fresh.entries()) {
    const waits = slowly && PAUSE && (event.who === "bot" || event.kind === "street" || event.kind === "showdown");
    if (waits && i) await pause(PAUSE);
    showEvent(event, view);
  }
  shown.events = view.events.length;
  settle(view);
}

function settle(view) {
  const { you, bot } = view.seats;
  showBoard(view.board);
  showChips(view.pot, view.over ? [0, 0] : [you.bet, bot.bet], [you.stack, bot.stack]);
  if (bot.cards) showCards(byId("bot-cards"), bot.cards, 2, "The opponent's cards", 0);
  byId("you-made").textContent = you.made ?? "";
  byId("bot-made").textContent = bot.made ?? "";
  byId("seat-you").classList.toggle("folded", you.folded);
  byId("seat-bot").classList.toggle("folded", bot.folded);
  byId("felt").dataset.turn = view.your_turn ? "you" : "";
  byId("felt").dataset.result = view.over ? (view.result.won > 0 ? "won" : view.result.won < 0 ? "lost" : "split") : "";
  showActions(view, true);
  byId("status").textContent = view.over ? overText(view) : turnText(view);
  showScore(view.score);
}

function turnText(view) {
  const call = view.actions[1].label ?? "";
  const price = call.startsWith("Call") ? `${call.slice(5)} to call` : "nothing to call";
  const where = view.street === "preflop" ? "before the flop" : `on the ${view.street}`;
  return `Your turn ${where}: pot ${bigBlinds(view.pot)}, ${price}.`;
}

function overText(view) {
  const { adjusted, text } = view.result;
  return adjusted === null ? text : `${text} Luck aside: ${signed(adjusted)} BB.`;
}

function showScore(score) {
  byId("score-hands").textContent = score.hands;
  const won = byId("score-won");
  won.textContent = score.hands ? `${signed(score.won)} BB` : "0 BB";
  won.dataset.sign = Math.sign(score.won);
  const adjusted = byId("score-adjusted");
  const margin = score.adjusted_error === null ? "" : ` ± ${score.adjusted_error.toFixed(1)}`;
  const none = score.adjusted === null ? "not for this opponent" : "0 BB";
  adjusted.textContent = score.hands && score.adjusted !== null ? `${signed(score.adjusted)}${margin} BB` : none;
  adjusted.dataset.sign = Math.sign(score.adjusted ?? 0);
}
