// Curves of a run of an experiment; while it is at work they grow.

import { get } from "./api.js";
import { byId, element, svg } from "./dom.js";

const EVERY = 3000; // milliseconds
const WIDTH = 320;
const HEIGHT = 90;

let chosen = null;
let timer = null;

export function stop() {
  clearTimeout(timer);
  timer = null;
}

const short = (value) => {
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e5 || size < 1e-3) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
};

function curve(name, { steps, values }) {
  const [left, right] = [steps[0], steps[steps.length - 1]];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (step) => (right > left ? (WIDTH * (step - left)) / (right - left) : WIDTH / 2);
  const y = (value) => (high > low ? HEIGHT - 4 - ((HEIGHT - 8) * (value - low)) / (high - low) : HEIGHT / 2);
  const points = steps.map((step, i) => `${x(step).toFixed(1)},${y(values[i]).toFixed(1)}`).join(" ");
  const last = values[values.length - 1];
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name}: from ${short(values[0])} to ${short(last)}` },
    svg("polyline", { points, class: "curve" }),
  );
  return element(
    "figure",
    { class: "metric" },
    element("figcaption", {}, element("span", {}, name), element("b", {}, short(last))),
    picture,
    element("p", { class: "fine" }, `${short(low)} to ${short(high)}, steps ${left} to ${right}`),
  );
}

async function refresh() {
  stop();
  const place = byId("metrics");
  if (!place || !chosen) return;
  const run = await get(`/api/metrics?run=${encodeURIComponent(chosen)}`);
  const curves = Object.entries(run.curves);
  place.replaceChildren(
    element("p", { class: "facts" }, `Step ${run.step.toLocaleString("en")} after ${Math.round(run.seconds)} s`),
    ...(curves.length ? curves.map(([name, points]) => curve(name, points)) : [element("p", { class: "empty" }, "No metrics yet.")]),
  );
  timer = setTimeout(() => refresh().catch(() => {}), EVERY);
}

export async function load() {
  const place = byId("runs");
  const runs = await get("/api/runs");
  if (!runs.length) {
    place.replaceChildren(element("p", { class: "empty" }, "No runs here yet. scripts/run starts one; its curves appear while it is at work."));
    return;
  }
  if (!runs.some((run) => run.name === chosen)) chosen = runs[0].name;
  const options = runs.map((run) => element("option", { value: run.name, selected: run.name === chosen }, run.name + (run.at_work ? " (at work)" : "")));
  const select = element("select", { id: "run" }, ...options);
  select.addEventListener("change", () => {
    chosen = select.value;
    refresh().catch(() => {});
  });
  place.replaceChildren(element("label", { class: "picker wide" }, element("span", {}, "Run"), select), element("div", { id: "metrics" }));
  await refresh();
}
