// The blueprint's strategy where the hand stands before the flop, as the 13 x 13 grid that players know.

import { get } from "./api.js";
import { byId, element, handGrid, percent } from "./dom.js";

function cellBackground(mix, actions) {
  let from = 0;
  const stops = [];
  mix.forEach((share, i) => {
    if (share <= 0) return;
    const to = from + 100 * share;
    stops.push(`${actions[i].colour} ${from.toFixed(1)}% ${to.toFixed(1)}%`);
    from = to;
  });
  return stops.length ? `linear-gradient(90deg, ${stops.join(", ")})` : "transparent";
}

export async function load() {
  const place = byId("strategy");
  const chart = await get("/api/strategy");
  if (!chart) {
    place.replaceChildren(
      element("p", { class: "empty" }, "The chart shows what the solved blueprint does before the flop. It has no answer to this betting, or you have not been asked yet in this hand."),
    );
    return;
  }
  const grid = handGrid(chart.classes, `Strategy of the blueprint, ${chart.position}: ${chart.situation}`, (i, cell) => {
    cell.style.background = cellBackground(chart.mix[i], chart.actions);
    cell.style.setProperty("--reach", (0.25 + 0.75 * chart.reach[i]).toFixed(2));
    cell.classList.add("mixed");
    if (chart.classes[i] === chart.hand) cell.classList.add("yours");
    const said = chart.actions.map((one, a) => [one.label, chart.mix[i][a]]).filter(([, share]) => share > 0.005);
    cell.title = `${chart.classes[i]}: ${said.map(([label, share]) => `${label} ${percent(share, 0)}`).join(", ")}`;
  });
  const yours = chart.classes.indexOf(chart.hand);
  const legend = chart.actions.map((one, a) =>
    element(
      "li",
      {},
      element("span", { class: "swatch", style: { background: one.colour }, "aria-hidden": "true" }),
      element("span", {}, one.label),
      element("span", { class: "quiet" }, `${percent(one.share, 0)} of hands`),
      element("b", {}, percent(chart.mix[yours][a], 0)),
    ),
  );
  place.replaceChildren(
    element("p", { class: "kicker" }, `Blueprint, ${chart.position}`),
    element("p", { class: "facts" }, chart.situation),
    grid,
    element("h3", {}, `Your hand, ${chart.hand}`),
    element("ul", { class: "legend" }, ...legend),
    element("p", { class: "fine" }, "The share of each action by colour; dim hands seldom come here. Bets are read as the nearest size of the solved game."),
  );
}
