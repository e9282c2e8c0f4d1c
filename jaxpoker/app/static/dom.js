// Small helpers to build the page.

export const byId = (id) => document.getElementById(id);

// element("p", { class: "pot", title: "…" }, "text", otherElement)
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "style") for (const [rule, set] of Object.entries(value)) made.style.setProperty(rule, set);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const bigBlinds = (amount) => `${Number(amount.toFixed(2))} BB`;

export function signed(amount) {
  const rounded = Math.abs(amount).toFixed(2);
  if (Number(rounded) === 0) return rounded;
  return (amount > 0 ? "+" : "−") + rounded;
}

export const percent = (part, digits = 1) => `${(100 * part).toFixed(digits)}%`;

const SUITS = { c: ["♣", "clubs"], d: ["♦", "diamonds"], h: ["♥", "hearts"], s: ["♠", "spades"] };
const RANKS = { T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };

export const cardName = (card) => `${RANKS[card[0]] ?? card[0]} of ${SUITS[card[1]][1]}`;

export function cardElement(card, isNew = false) {
  if (!card) return element("span", { class: "card back", "aria-hidden": "true" });
  const [symbol] = SUITS[card[1]];
  const rank = card[0] === "T" ? "10" : card[0];
  return element(
    "span",
    { class: `card suit-${card[1]}${isNew ? " dealt" : ""}`, "aria-hidden": "true" },
    element("b", {}, rank),
    element("i", {}, symbol),
  );
}

// A 13 x 13 grid of hands; ``paint(index, cell)`` colours each.
export function handGrid(classes, label, paint) {
  const grid = element("div", { class: "grid", role: "img", "aria-label": label });
  classes.forEach((name, index) => {
    const cell = element("span", {}, name);
    paint(index, cell);
    grid.append(cell);
  });
  return grid;
}
