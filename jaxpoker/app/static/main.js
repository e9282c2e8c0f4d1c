// The page: one person at one table. The server knows the game; the page shows it and asks.

import { get, post, save, ServerError, session } from "./api.js";
import * as coach from "./coach.js";
import { byId, element } from "./dom.js";
import * as runs from "./runs.js";
import * as strategy from "./strategy.js";
import * as table from "./table.js";

const REVIEW = "jaxpoker-review";

let view = null; // the table as the server last told it
let busy = true; // something is being asked or shown
let classes = []; // names of the 169 classes of hands
let asked = 0; // of the coach; an older answer is not shown

// --- messages ---------------------------------------------------------------------------------

let hideToast = null;

function toast(text) {
  const place = byId("toast");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(hideToast);
  hideToast = setTimeout(() => (place.hidden = true), 6000);
}

function setBusy(is) {
  busy = is;
  document.body.toggleAttribute("data-busy", is);
  byId("new-hand").disabled = is || !view?.over;
  byId("ask-coach").disabled = is || !view?.your_turn;
  byId("save-all").disabled = byId("save-hand").disabled = !view || !view.score.hands;
  byId("opponent").disabled = is;
}

// Runs one request at a time; a click in between is let go.
async function alone(work) {
  if (busy) return;
  setBusy(true);
  try {
    await work().catch(recover);
  } catch (error) {
    failed(error);
  } finally {
    setBusy(false);
  }
}

// After a refusal: the table as it is, or another one where there is none any more.
async function recover(error) {
  if (!(error instanceof ServerError) || !view) throw error;
  toast(error.message);
  if (error.status === 401) await sitDown();
  else if (error.status === 409) await show(await get("/api/table"), false);
  else table.showActions(view, true);
}

function failed(error) {
  byId("status").textContent = error.message;
  toast(error.message);
  if (!(error instanceof ServerError)) throw error;
}

async function show(next, slowly) {
  const newHand = !view || next.hand !== view.hand;
  view = next;
  asked += 1;
  if (newHand || !view.over) coach.empty();
  await table.show(view, slowly);
  if (!byId("panel-strategy").hidden) await strategy.load();
}

// --- playing ----------------------------------------------------------------------------------

async function sitDown() {
  const opponent = byId("opponent").value;
  byId("status").textContent = "Setting up the table … the first time against an opponent takes a while.";
  view = null;
  if (session.get()) await post("/api/leave", {}).catch(() => {});
  session.clear();
  const found = await post("/api/session", { opponent });
  session.set(found.session);
  table.clear();
  await show(found.table, true);
}

const act = (action) =>
  alone(async () => {
    if (!view?.actions[action]?.legal) return;
    table.showActions(view, false);
    await show(await post("/api/act", { hand: view.hand, turn: view.turn, action }), true);
    if (view.over && byId("auto-review").checked) await review();
  });

const newHand = () =>
  alone(async () => {
    if (view?.over) await show(await post("/api/next", { hand: view.hand }), true);
  });

// --- the coach --------------------------------------------------------------------------------

async function advise(closer) {
  const mine = (asked += 1);
  const { hand, turn } = view;
  select("coach");
  coach.thinking(closer ? "Looking closer …" : "Thinking …");
  try {
    const advice = await post("/api/advice", { hand, turn, closer });
    if (mine === asked) coach.show(advice, classes, closer ? null : () => advise(true));
  } catch (error) {
    if (mine === asked) coach.failed(error.message);
  }
}

const askCoach = () => {
  if (!busy && view?.your_turn) advise(false);
};

async function review() {
  const mine = (asked += 1);
  const { hand, decisions } = view;
  coach.startReview(hand, decisions);
  let lost = 0;
  for (let decision = 0; decision < decisions; decision++) {
    const advice = await post("/api/review", { hand, decision });
    if (mine !== asked) return;
    coach.addReview(advice, classes);
    lost += advice.ev_lost;
  }
  if (decisions) coach.endReview(lost);
}

// --- panels -----------------------------------------------------------------------------------

const PANELS = ["coach", "strategy", "runs"];

async function select(name) {
  for (const panel of PANELS) {
    const chosen = panel === name;
    byId(`panel-${panel}`).hidden = !chosen;
    byId(`tab-${panel}`).setAttribute("aria-selected", chosen);
    byId(`tab-${panel}`).tabIndex = chosen ? 0 : -1;
  }
  runs.stop();
  try {
    if (name === "strategy") await strategy.load();
    if (name === "runs") await runs.load();
  } catch (error) {
    toast(error.message);
  }
}

function listenToTabs() {
  PANELS.forEach((name, i) => {
    const tab = byId(`tab-${name}`);
    tab.addEventListener("click", () => select(name));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = PANELS[(i + step + PANELS.length) % PANELS.length];
      select(next);
      byId(`tab-${next}`).focus();
    });
  });
}

// --- keys -------------------------------------------------------------------------------------

const KEYS = { f: () => act(0), c: () => act(1), a: () => act(8), n: newHand, h: askCoach, s: () => select("strategy"), "?": () => byId("keys").showModal() };

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || byId("keys").open) return;
    if (event.target.closest("select, textarea, input:not([type=checkbox])")) return;
    const action = /^[1-9]$/.test(event.key) ? () => act(Number(event.key) - 1) : KEYS[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

// --- the beginning ----------------------------------------------------------------------------

function classNames() {
  const ranks = "AKQJT98765432";
  return [...ranks].flatMap((row, i) => [...ranks].map((column, j) => (i === j ? row + row : i < j ? `${row}${column}s` : `${column}${row}o`)));
}

async function begin() {
  classes = classNames();
  table.makeActions(act);
  listenToTabs();
  listenToKeys();
  byId("new-hand").addEventListener("click", newHand);
  byId("ask-coach").addEventListener("click", askCoach);
  byId("help").addEventListener("click", () => byId("keys").showModal());
  byId("save-all").addEventListener("click", () => save("/api/hands.phhs", "jaxpoker.phhs").catch((e) => toast(e.message)));
  byId("save-hand").addEventListener("click", () => {
    const last = view.over ? view.hand : view.hand - 1;
    save(`/api/hands/${last}.phh`, `jaxpoker-${last}.phh`).catch((e) => toast(e.message));
  });
  byId("auto-review").checked = localStorage.getItem(REVIEW) === "yes";
  byId("auto-review").addEventListener("change", (event) => {
    localStorage.setItem(REVIEW, event.target.checked ? "yes" : "no");
    if (event.target.checked && view?.over) review().catch((e) => toast(e.message));
  });
  const opponents = await get("/api/opponents"); // the first one is who the command line asks for
  const options = opponents.map((one) => element("option", { value: one.name, title: one.about }, one.title));
  byId("opponent").replaceChildren(...options);
  byId("opponent").addEventListener("change", () => alone(sitDown));
  if (session.get()) {
    try {
      const found = await get("/api/table"); // the tab was closed or loaded anew: the game goes on
      byId("opponent").value = opponents.find((one) => one.title === found.opponent).name;
      await show(found, false);
      return;
    } catch (error) {
      if (error.status !== 401) throw error;
    }
  }
  await sitDown();
}

begin()
  .catch(failed)
  .finally(() => setBusy(false));
