// The coach's panel: advice on a decision, and the review of a hand.

import { byId, element, handGrid, percent, signed } from "./dom.js";

const panel = () => byId("coach");

export function thinking(text) {
  panel().setAttribute("aria-busy", "true");
  panel().replaceChildren(element("p", { class: "empty thinking" }, text));
}

export function failed(text) {
  panel().setAttribute("aria-busy", "false");
  panel().replaceChildren(element("p", { class: "empty" }, text));
}

export const empty = () =>
  failed("Ask for advice when it is your turn. The coach knows what you can know, how the opponent tends to play, and nothing about its cards.");

function equityBar(advice) {
  const bar = element(
    "div",
    { class: "equity", role: "img", "aria-label": advice.levels.Equity.join(". ") },
    element("span", { class: "have", style: { width: percent(advice.equity) } }),
  );
  if (advice.required_equity !== null) {
    bar.append(element("span", { class: "need", style: { left: percent(advice.required_equity) } }));
  }
  const facts = [element("b", {}, percent(advice.equity)), " equity"];
  if (advice.required_equity !== null) {
    const edge = advice.edge;
    facts.push(
      element("span", { class: "quiet" }, ` · needs ${percent(advice.required_equity)} · edge `),
      element("b", { class: edge >= 0 ? "good" : "bad" }, `${edge >= 0 ? "+" : "−"}${percent(Math.abs(edge))}`),
    );
  }
  return [element("p", { class: "facts" }, ...facts), bar, element("p", { class: "fine" }, advice.levels.Equity[0])];
}

function evChart(advice) {
  const values = advice.choices.flatMap((one) => [one.ev - one.standard_error, one.ev + one.standard_error]);
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const span = high - low || 1;
  const at = (value) => `${(100 * (value - low)) / span}%`;
  const rows = advice.choices.map((one, i) => {
    const margin = one.standard_error ? ` ± ${one.standard_error.toFixed(2)}` : "";
    const bar = element(
      "span",
      { class: "track", "aria-hidden": "true" },
      element("span", { class: "zero", style: { left: at(0) } }),
      element("span", {
        class: one.ev >= 0 ? "bar plus" : "bar minus",
        style: { left: at(Math.min(0, one.ev)), width: `${(100 * Math.abs(one.ev)) / span}%` },
      }),
      element("span", {
        class: "error",
        style: { left: at(one.ev - one.standard_error), width: `${(200 * one.standard_error) / span}%` },
      }),
    );
    const taken = advice.taken && advice.taken.to === one.to;
    return element(
      "li",
      { class: `${i ? "" : "best"}${taken ? " taken" : ""}` },
      element("span", { class: "what" }, one.label, taken ? element("em", {}, "you") : null),
      bar,
      element("span", { class: "ev" }, `${signed(one.ev)}${margin}`),
    );
  });
  return [
    element("h3", {}, "What each action is worth, in BB"),
    element("ol", { class: "evs" }, ...rows),
    element("p", { class: "fine" }, `${advice.rollouts.toLocaleString("en")} rollouts each, ± standard error. ${capital(advice.baseline)}.`),
  ];
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function villainGrid(advice, classes) {
  const most = Math.max(...advice.villain_classes) || 1;
  const paint = (i, cell) => {
    const weight = advice.villain_classes[i] / most;
    cell.style.setProperty("--weight", weight.toFixed(3));
    cell.title = `${classes[i]}: ${percent(weight, 0)}`;
  };
  const label = `Range of ${advice.villain}: ${Math.round(advice.villain_hands)} of 1,326 hands by weight`;
  return element(
    "details",
    { class: "range" },
    element("summary", {}, `What ${advice.villain} may hold`),
    handGrid(classes, label, paint),
    element("p", { class: "fine" }, `${label}. By Bayes from its actions, taking it to play as it does.`),
  );
}

export function show(advice, classes, closer) {
  const best = advice.recommended;
  const [named, ...more] = advice.levels.Recommended;
  const size = named.slice(best.label.length); // " (1/2 pot)", if it has a name
  const content = [
    element("p", { class: "kicker" }, "Recommended"),
    element("p", { class: "recommended" }, best.label, element("small", {}, size)),
    ...more.map((line) => element("p", { class: "fine" }, line)),
  ];
  if (advice.reworded) content.push(element("blockquote", {}, advice.reworded));
  else if (advice.why_not) content.push(element("p", { class: "fine" }, `The language model's words are not shown: ${advice.why_not}.`));
  content.push(
    ...equityBar(advice),
    ...evChart(advice),
    element("h3", {}, "Why"),
    element("ul", { class: "notes" }, ...advice.notes.map((note) => element("li", {}, note))),
    villainGrid(advice, classes),
  );
  if (closer) {
    const button = element("button", { type: "button", id: "look-closer" }, "Look closer: eight times the rollouts");
    button.addEventListener("click", closer);
    content.push(button);
  }
  panel().setAttribute("aria-busy", "false");
  panel().replaceChildren(...content);
}

export function startReview(hand, count) {
  panel().setAttribute("aria-busy", "true");
  panel().replaceChildren(
    element("p", { class: "kicker" }, `Review of hand ${hand}`),
    element("p", { class: "fine", id: "review-sum" }, count ? "Looking at your decisions …" : "You had no decision in this hand."),
    element("ol", { class: "review", id: "review" }),
  );
}

// One decision of a review, and the way back to it.
function showDetails(advice, classes) {
  const review = [...panel().childNodes];
  show(advice, classes, null);
  const back = element("button", { type: "button", class: "quiet", id: "back-to-review" }, "← Back to the review");
  back.addEventListener("click", () => panel().replaceChildren(...review));
  panel().prepend(back);
  back.focus();
}

export function addReview(advice, classes) {
  const { situation, taken, recommended } = advice;
  const lost = taken.behind;
  const clear = lost > 2 * taken.behind_error && lost > 0.05;
  const verdict = lost <= 0 ? "best" : clear ? `−${lost.toFixed(2)} BB` : "about as good";
  const where = `${capital(situation.street)}${situation.board ? ` ${situation.board}` : ""}`;
  const button = element("button", { type: "button", class: "quiet" }, "Details");
  button.addEventListener("click", () => showDetails(advice, classes));
  byId("review").append(
    element(
      "li",
      { class: clear ? "mistake" : "fine-play" },
      element("span", { class: "where" }, where),
      element("span", {}, `You: ${taken.label}`, lost > 0 ? element("span", { class: "quiet" }, ` · coach: ${recommended.label}`) : null),
      element("b", { title: `${lost.toFixed(2)} ± ${taken.behind_error.toFixed(2)} BB` }, verdict),
      button,
    ),
  );
}

export function endReview(lost) {
  panel().setAttribute("aria-busy", "false");
  byId("review-sum").textContent = `Behind the coach's actions by ${lost.toFixed(2)} BB in all, by its rollouts.`;
}
