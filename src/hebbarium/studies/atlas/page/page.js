"use strict";
// The map of an atlas. Data comes as JSON with base64 columns, most of them with one value for each rule by index.
const data = JSON.parse(document.getElementById("data").textContent);
const SIDE = 81, RULES = SIDE * SIDE, SYMBOLS = "-0+", MINUS = "−", SITUATIONS = data.situations;
const PIN_COLOURS = ["#e69f00", "#a06cf0", "#d55e00", "#cc79a7"];
const byId = (id) => document.getElementById(id);

function column(name, Kind, scale = 1) {
  const bytes = Uint8Array.from(atob(data.columns[name]), (character) => character.charCodeAt(0));
  const values = new Kind(bytes.buffer);
  return scale === 1 ? values : Float64Array.from(values, (value) => value / scale);
}
const Figure = data.scale === 1 ? Float32Array : Int16Array; // large fitness does not fit in two bytes
const mean = column("mean", Figure, data.scale), sem = column("sem", Figure, data.scale);
const eta = column("eta", Float32Array), kinds = column("kinds", Float32Array);
const lifetimes = column("lifetimes", Uint16Array);
const rankFirst = column("rank_first", Uint16Array), rankLast = column("rank_last", Uint16Array);
const survey = column("survey", Figure, data.scale);
const order = column("order", Uint16Array);
// Of long lives, where they were measured: for the best rules only, NaN for the others.
const aged = data.columns.aged ? column("aged", Uint16Array) : null;
function ofAged(name) {
  const values = new Float32Array(RULES).fill(NaN);
  column(name, Float32Array).forEach((value, place) => { values[aged[place]] = value; });
  return values;
}
const [young, late, lateEta, bestLate] = aged ? ["young", "late", "late_eta", "best_late"].map(ofAged) : [];
const rank = new Uint16Array(RULES);
order.forEach((rule, place) => { rank[rule] = place + 1; });
const paper = new Map(data.paper.map(([name, index]) => [name, index]));
const papersOf = new Map();
for (const [name, index] of paper) papersOf.set(index, [...(papersOf.get(index) || []), name]);

// ---- rules ----------------------------------------------------------------
function halfNotation(half) {
  return [27, 9, 3, 1].map((unit) => SYMBOLS[Math.floor(half / unit) % 3]).join("");
}
const HALVES = Array.from({ length: SIDE }, (_, half) => halfNotation(half));
const notation = (rule) => `${HALVES[Math.floor(rule / SIDE)]}/${HALVES[rule % SIDE]}`;
const NOTHING = 40;

function words(rule) {
  const punished = Math.floor(rule / SIDE), rewarded = rule % SIDE, text = data.words;
  if (punished === NOTHING && rewarded === NOTHING) return "No synapse ever changes.";
  if (punished === rewarded) return `Whether the agent is punished or rewarded, ${text[punished]}.`;
  if (rewarded === NOTHING) return `When the agent is punished, ${text[punished]}. Reward changes nothing.`;
  if (punished === NOTHING) return `When the agent is rewarded, ${text[rewarded]}. Punishment changes nothing.`;
  return `When the agent is punished, ${text[punished]}. When it is rewarded, ${text[rewarded]}.`;
}
// A rounded number; never -0.
const fixed = (value, digits) => (Number(value.toFixed(digits)) + 0).toFixed(digits);
const score = (rule) => `${fixed(mean[rule], 1)} ± ${fixed(sem[rule], 1)}`;
function family(rule) {
  return data.families[data.kinds[Math.floor(rule / SIDE)]][data.kinds[rule % SIDE]];
}

// ---- colour ---------------------------------------------------------------
const ANCHORS = data.shades.map((hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)));
function viridis(share) {
  const at = Math.min(Math.max(share, 0), 1) * (ANCHORS.length - 1), low = Math.min(Math.floor(at), ANCHORS.length - 2);
  return ANCHORS[low].map((value, channel) => Math.round(value + (ANCHORS[low + 1][channel] - value) * (at - low)));
}
const logEta = Float64Array.from(eta, Math.log);
const SCALES = {
  mean: { values: mean, label: (value) => fixed(value, 0), power: data.power, ...fitnessRange(mean) },
  kinds: { values: kinds, label: (value) => value.toFixed(0), low: 1, high: data.hidden },
  eta: { values: logEta, label: (value) => Number(Math.exp(value).toPrecision(2)).toString(), ...range(logEta) },
};
if (aged) {
  SCALES.late = { values: bestLate, label: (value) => fixed(value, 0), power: data.power, ...fitnessRange(bestLate) };
  SCALES.kept = { values: Float64Array.from(late, (value, rule) => Math.max(0, value / young[rule])), label: (value) => `${fixed(100 * value, 0)} %`, low: 0, high: 1 };
} else {
  for (const option of document.querySelectorAll("#colour .age")) option.remove();
}
function range(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) if (!Number.isNaN(value)) { low = Math.min(low, value); high = Math.max(high, value); }
  return { low, high };
}
// Bad rules may be worse than the best is good by any amount: so that the good ones differ, those count alike.
function fitnessRange(values) {
  const { low, high } = range(values), floored = high > 0 && low < -high;
  return { low: floored ? -high : low, high, floored };
}

const UNKNOWN = [128, 128, 128];
function colourOf({ low, high, power = 1 }, value) {
  if (Number.isNaN(value)) return UNKNOWN;
  return viridis(Math.max(0, (value - low) / (high - low)) ** power);
}

// ---- state ----------------------------------------------------------------
const state = { colour: "mean", filter: Array(8).fill("?"), cursor: order[0], pins: [], matching: null };
const map = byId("map"), overlay = byId("overlay"), tile = document.createElement("canvas");
tile.width = tile.height = SIDE;
const pixels = tile.getContext("2d", { willReadFrequently: true });

function matches(rule) {
  const text = notation(rule).replace("/", "");
  return state.filter.every((symbol, place) => symbol === "?" || symbol === text[place]);
}
function paint() {
  const { values } = SCALES[state.colour];
  const image = pixels.createImageData(SIDE, SIDE), filtering = state.filter.some((symbol) => symbol !== "?");
  let found = 0, best = -1;
  for (let rule = 0; rule < RULES; rule++) {
    const [red, green, blue] = colourOf(SCALES[state.colour], values[rule]);
    const fits = !filtering || matches(rule);
    if (fits) { found++; if (best < 0 || rank[rule] < rank[best]) best = rule; }
    image.data.set([red, green, blue, fits ? 255 : 28], rule * 4);
  }
  pixels.putImageData(image, 0, 0);
  const big = map.getContext("2d");
  big.imageSmoothingEnabled = false;
  big.clearRect(0, 0, map.width, map.height);
  big.drawImage(tile, 0, 0, map.width, map.height);
  state.matching = { found, best, filtering };
  paintLegend();
}
function paintLegend() {
  const { low, high, label, power = 1, floored = false } = SCALES[state.colour], context = byId("scale").getContext("2d");
  const image = context.createImageData(256, 1);
  for (let at = 0; at < 256; at++) image.data.set([...viridis(at / 255), 255], at * 4);
  context.putImageData(image, 0, 0);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const mark = document.createElement("span");
    mark.style.left = `${share * 100}%`;
    mark.textContent = `${floored && share === 0 ? "≤ " : ""}${label(low + share ** (1 / power) * (high - low))}`;
    return mark;
  });
  byId("ticks").replaceChildren(...ticks);
  byId("measured").hidden = !["late", "kept"].includes(state.colour);
}
// The overlay is as fine as the screen, so that thin lines stay thin.
function paintOverlay() {
  const side = Math.max(SIDE, Math.round(map.clientWidth * devicePixelRatio)), cell = side / SIDE, context = overlay.getContext("2d");
  overlay.width = overlay.height = side;
  for (const rule of papersOf.keys()) box(context, rule, cell, "#fff", 0.13);
  const x = (state.cursor % SIDE + 0.5) * cell, y = (Math.floor(state.cursor / SIDE) + 0.5) * cell;
  context.strokeStyle = "rgba(255,255,255,.35)"; context.lineWidth = devicePixelRatio;
  context.beginPath(); context.moveTo(0, y); context.lineTo(side, y); context.moveTo(x, 0); context.lineTo(x, side); context.stroke();
  state.pins.forEach((rule, place) => box(context, rule, cell, PIN_COLOURS[place], 0.4));
  box(context, state.cursor, cell, "#fff", 0.3);
}
// A box around a cell, which it leaves free. share: how wide the line is, of a cell.
function box(context, rule, cell, colour, share) {
  const x = (rule % SIDE) * cell, y = Math.floor(rule / SIDE) * cell, wide = share * cell;
  for (const [stroke, start, end] of [[colour, 0, wide], ["#000", wide, wide + Math.min(wide, 0.15 * cell)]]) {
    const middle = (start + end) / 2;
    context.strokeStyle = stroke; context.lineWidth = end - start;
    context.strokeRect(x - middle, y - middle, cell + 2 * middle, cell + 2 * middle);
  }
}

// ---- cards ----------------------------------------------------------------
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
function longLife(rule) {
  if (!aged || Number.isNaN(late[rule])) return [];
  return [
    ["long life, young to late", `${fixed(young[rule], 1)} to ${fixed(late[rule], 1)}`],
    ["best late fitness", `${fixed(bestLate[rule], 1)} at eta ${Number(lateEta[rule].toPrecision(3))}`],
  ];
}
function card(rule) {
  const names = papersOf.get(rule) || [], first = rankFirst[rule], last = rankLast[rule];
  const fate = kinds[rule] > data.hidden - 0.5 ? `all ${data.hidden} differ` : kinds[rule] < 1.5 ? "all alike" : `${fixed(kinds[rule], 1)} of ${data.hidden}`;
  const numbers = [
    ["rank", `${rank[rule].toLocaleString("en")}${first === last ? "" : ` (${first} to ${last})`}`],
    ["fitness ± standard error", score(rule)],
    ["best eta", Number(eta[rule].toPrecision(3)).toString()],
    ["hidden neurons at the end", fate],
    ...longLife(rule),
    ["lifetimes", lifetimes[rule].toLocaleString("en")],
  ];
  return [
    element("header", {}, element("span", { className: "rule-name", textContent: notation(rule).replaceAll("-", MINUS) }),
      ...names.map((name) => element("span", { className: "badge", textContent: name }))),
    element("div", { className: "family", textContent: `${family(rule)} · index ${rule}` }),
    element("dl", { className: "numbers" }, ...numbers.map(([name, value]) => element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value })))),
    element("p", { className: "words", textContent: words(rule) }),
    table(rule),
    element("div", { className: "family", textContent: "Fitness at each eta" }),
    curve(rule),
    ...alive(rule),
  ];
}
// An agent that lives by the rule: a link to the playground, or the command.
function alive(rule) {
  if (!data.live) return [];
  const way = `${data.live}=${notation(rule)}@${Number(eta[rule].toPrecision(3))}`;
  if (data.live.includes("#")) return [element("p", {}, element("a", { href: way, textContent: "Watch this rule" }))];
  return [element("p", { className: "soft" }, "Watch this rule: ", element("code", { className: "command" }, ...way.split(" ").flatMap((word) => [" ", element("span", { textContent: word })])))];
}
function table(rule) {
  const text = notation(rule).replace("/", ""), kinds = { "-": "weaker", 0: "same", "+": "stronger" };
  const row = (name, symbols) => element("tr", {}, element("th", { scope: "row", textContent: name }),
    ...[...symbols].map((symbol) => element("td", { className: kinds[symbol], textContent: symbol.replace("-", MINUS) })));
  const head = element("thead", {},
    element("tr", {}, element("td"), ...SITUATIONS.map((situation) => element("th", { scope: "col", textContent: situation }))));
  return element("table", { className: "rule" }, head, element("tbody", {}, row("punished", text.slice(0, 4)), row("rewarded", text.slice(4))));
}
function curve(rule) {
  const etas = data.etas, points = etas.map((_, at) => survey[rule * etas.length + at]);
  const width = 320, height = 110, left = 34, bottom = 22, { low, high } = SCALES.mean;
  const x = (value) => left + (width - left - 10) * (etas.length < 2 ? 0.5 : Math.log(value / etas[0]) / Math.log(etas.at(-1) / etas[0]));
  const y = (value) => 8 + (height - bottom - 8) * (1 - (Math.max(value, low) - low) / (high - low));
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
  const draw = (tag, properties, text) => {
    const made = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    svg.append(made);
  };
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("class", "chart");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Fitness over eta: ${etas.map((value, at) => `${value}: ${fixed(points[at], 1)}`).join(", ")}`);
  for (const value of [Math.ceil(low / 10) * 10, 0, Math.floor(high / 10) * 10]) {
    draw("line", { stroke: "var(--line)", x1: left, x2: width - 10, y1: y(value), y2: y(value) });
    draw("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, value);
  }
  let labelled = -Infinity;
  for (const value of etas) {
    if (x(value) < labelled + 38) continue;
    labelled = x(value);
    draw("text", { x: labelled, y: height - 6, "text-anchor": "middle" }, value);
  }
  draw("polyline", { fill: "none", stroke: "var(--first)", "stroke-width": 2, points: etas.map((value, at) => `${x(value).toFixed(1)},${y(points[at]).toFixed(1)}`).join(" ") });
  etas.forEach((value, at) => draw("circle", { fill: "var(--first)", cx: x(value), cy: y(points[at]), r: 2.5 }));
  return svg;
}

// ---- acting ---------------------------------------------------------------
function look(rule, speak = false) {
  state.cursor = rule;
  paintOverlay();
  byId("card").replaceChildren(...card(rule));
  byId("card").dataset.rule = notation(rule);
  byId("read").textContent = `${notation(rule)} · rank ${rank[rule].toLocaleString("en")} · fitness ${score(rule)}`;
  remember();
  if (speak) byId("spoken").textContent = `${notation(rule)}, rank ${rank[rule]}, fitness ${fixed(mean[rule], 1)}. ${words(rule)}`;
}
function pin(rule) {
  const place = state.pins.indexOf(rule);
  if (place >= 0) state.pins.splice(place, 1);
  else { if (state.pins.length === PIN_COLOURS.length) state.pins.shift(); state.pins.push(rule); }
  showPins();
}
function showPins() {
  byId("pins-section").hidden = byId("to-pins").hidden = !state.pins.length;
  byId("to-pins").textContent = `compare ${state.pins.length} pinned ${state.pins.length === 1 ? "rule" : "rules"} ↓`;
  byId("pins").replaceChildren(...state.pins.map((rule, place) => {
    const remove = element("button", { type: "button", textContent: "unpin", onclick: () => pin(rule) });
    const made = element("article", { className: "card" }, ...card(rule), remove);
    made.style.setProperty("--pin", PIN_COLOURS[place]);
    made.dataset.rule = notation(rule);
    return made;
  }));
  paintOverlay();
  remember();
}
function ruleAt(event) {
  const area = map.getBoundingClientRect(), cell = (at, size) => Math.min(SIDE - 1, Math.max(0, Math.floor(at / size * SIDE)));
  return cell(event.clientY - area.top, area.height) * SIDE + cell(event.clientX - area.left, area.width);
}
// A finger covers many cells: it means the nearest rule that is marked, pinned or filtered for, within its reach.
const FINGER = 16;
function ruleNear(event) {
  const area = map.getBoundingClientRect(), size = area.width / SIDE, touched = ruleAt(event);
  const far = (rule) => Math.hypot(area.left + (rule % SIDE + 0.5) * size - event.clientX, area.top + (Math.floor(rule / SIDE) + 0.5) * size - event.clientY);
  const meant = [...papersOf.keys(), ...state.pins, ...(state.matching.filtering ? order.filter(matches) : [])];
  return meant.filter((rule) => far(rule) < FINGER).sort((one, other) => far(one) - far(other))[0] ?? touched;
}
let waiting = null;
map.addEventListener("pointermove", (event) => {
  const rule = ruleAt(event);
  if (event.pointerType === "touch" || rule === state.cursor) return;
  if (waiting === null) requestAnimationFrame(() => { look(waiting); waiting = null; });
  waiting = rule;
});
map.addEventListener("click", (event) => {
  const touch = event.pointerType === "touch", rule = touch ? ruleNear(event) : ruleAt(event), again = rule === state.cursor;
  look(rule, true);
  if (!touch || again) pin(rule);
});
function step(rows, columns) {
  const row = Math.floor(state.cursor / SIDE) + rows, across = state.cursor % SIDE + columns;
  if (row >= 0 && row < SIDE && across >= 0 && across < SIDE) look(row * SIDE + across, true);
}
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
map.addEventListener("keydown", (event) => {
  const key = event.key, rule = state.cursor, place = rank[rule] - 1;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (key in STEPS) {
    const far = event.shiftKey ? 9 : 1;
    step(STEPS[key][0] * far, STEPS[key][1] * far);
  } else if (key === "Enter" || key === " ") pin(rule);
  else if (key === "Home") look(order[0], true);
  else if (key === "n" || key === "N") look(order[Math.min(place + 1, RULES - 1)], true);
  else if (key === "p" || key === "P") look(order[Math.max(place - 1, 0)], true);
  else if (key === "Escape") { state.pins = []; showPins(); } else return;
  event.preventDefault();
});
byId("steps").replaceChildren(...["←", "↑", "↓", "→"].map((arrow, at) =>
  element("button", { type: "button", textContent: arrow, onclick: () => step(...Object.values(STEPS)[[0, 2, 3, 1][at]]) })));
byId("to-pins").addEventListener("click", () => byId("pins-section").scrollIntoView());
byId("unpin").addEventListener("click", () => { state.pins = []; showPins(); });

// ---- finding and filtering --------------------------------------------------
function setFilter(symbols) {
  state.filter = symbols;
  document.querySelectorAll(".entry").forEach((button, place) => {
    button.dataset.value = symbols[place];
    button.querySelector("b").textContent = symbols[place] === "?" ? "·" : symbols[place].replace("-", MINUS);
    button.setAttribute("aria-label", `${button.dataset.name}: ${{ "?": "any", "-": "weaker", 0: "no change", "+": "stronger" }[symbols[place]]}`);
  });
  paint();
  const { found, best, filtering } = state.matching;
  byId("found").textContent = filtering ? `${found.toLocaleString("en")} rules match; the best of them is ${notation(best)}, rank ${rank[best].toLocaleString("en")}, fitness ${fixed(mean[best], 1)}.` : "";
  if (filtering) look(best);
}
// done: whether nothing more will be typed; before that an unfinished rule is no error.
function find(text, done = true) {
  const wanted = text.trim().toLowerCase().replace(/[−–—]/g, "-").replace(/@[\d.e+-]*$/, "");
  if (!wanted) return setFilter(Array(8).fill("?"));
  const symbols = wanted.replace(/^(.{4})\//, "$1");
  if (/^[-0+?]{8}$/.test(symbols) && symbols.includes("?")) return setFilter([...symbols]);
  const rule = indexOf(symbols) ?? (/^\d{1,4}$/.test(wanted) && Number(wanted) < RULES ? Number(wanted) : Object.hasOwn(data.names, wanted) ? data.names[wanted] : undefined);
  if (rule === undefined) { byId("found").textContent = !done ? "" : "A rule has eight of - 0 + (or ? for any), an index 0 to 6560, or a name such as foraging:1."; return; }
  setFilter(Array(8).fill("?"));
  look(rule, true);
  byId("found").textContent = `${notation(rule)} is at row ${Math.floor(rule / SIDE) + 1}, column ${rule % SIDE + 1}; rank ${rank[rule].toLocaleString("en")}.`;
}
function makeFilter() {
  const halves = ["punished", "rewarded"].map((name, half) => element("div", { className: "half" },
    element("span", { textContent: name }),
    ...SITUATIONS.map((situation, at) => {
      const place = 4 * half + at, button = element("button", { type: "button", className: "entry" }, element("b"), element("small", { textContent: situation }));
      button.title = button.dataset.name = `${name}, ${situation}`;
      button.addEventListener("click", () => {
        const symbols = [...state.filter];
        symbols[place] = { "?": "-", "-": "0", 0: "+", "+": "?" }[symbols[place]];
        byId("find").value = symbols.every((symbol) => symbol === "?") ? "" : `${symbols.slice(0, 4).join("")}/${symbols.slice(4).join("")}`;
        setFilter(symbols);
      });
      return button;
    })));
  byId("filter").replaceChildren(...halves);
}
byId("find").addEventListener("input", (event) => find(event.target.value, false));
byId("find").addEventListener("change", (event) => find(event.target.value));
byId("find").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); find(event.target.value); map.focus(); } });
byId("tools").addEventListener("submit", (event) => event.preventDefault());
byId("clear").addEventListener("click", () => { byId("find").value = ""; setFilter(Array(8).fill("?")); });
byId("colour").addEventListener("change", (event) => { state.colour = event.target.value; paint(); remember(); });

// ---- the address holds what is shown ----------------------------------------
let remembering = false;
function remember() {
  if (!remembering) return;
  const parts = { rule: notation(state.cursor), pins: state.pins.map(notation).join(","), colour: state.colour === "mean" ? "" : state.colour,
    only: state.filter.every((symbol) => symbol === "?") ? "" : state.filter.join("") };
  const text = Object.entries(parts).filter(([, value]) => value).map(([name, value]) => `${name}=${value}`).join("&");
  clearTimeout(remember.later);  // browsers allow a hundred changes in half a minute
  remember.later = setTimeout(() => history.replaceState(null, "", `#${text}`), 300);
}
function indexOf(text) {
  const symbols = text.replace("/", "");
  return /^[-0+]{8}$/.test(symbols) ? [...symbols].reduce((sum, symbol) => 3 * sum + SYMBOLS.indexOf(symbol), 0) : undefined;
}
function recall() {
  const plain = location.hash.slice(1).replaceAll("%2B", "+").replaceAll("%2F", "/").replaceAll("%3F", "?");
  const given = Object.fromEntries(plain.split("&").map((part) => part.split("=", 2)));
  remembering = false;
  if (Object.hasOwn(SCALES, given.colour || "")) { state.colour = byId("colour").value = given.colour; paint(); }
  if (/^[-0+?]{8}$/.test(given.only || "")) { byId("find").value = given.only; setFilter([...given.only]); }
  state.pins = (given.pins || "").split(",").map(indexOf).filter((rule) => rule !== undefined).slice(0, PIN_COLOURS.length);
  showPins();
  const rule = indexOf(given.rule || "");
  if (rule !== undefined) look(rule);
  remembering = true;
}
addEventListener("hashchange", recall);

// ---- table ------------------------------------------------------------------
function makeTop() {
  const rows = Array.from(order.slice(0, 50), (rule) => {
    const cells = [rank[rule], rankFirst[rule] === rankLast[rule] ? rankFirst[rule] : `${rankFirst[rule]}–${rankLast[rule]}`, notation(rule).replaceAll("-", MINUS),
      score(rule), Number(eta[rule].toPrecision(3)), fixed(kinds[rule], 1), (papersOf.get(rule) || []).join(", ")];
    const row = element("tr", { tabIndex: 0 }, ...cells.map((text, at) => element("td", { textContent: text, className: at === 2 || at === 6 ? "words" : "" })));
    row.addEventListener("click", () => { look(rule, true); pin(rule); });
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") { look(rule, true); pin(rule); } });
    row.addEventListener("pointerenter", () => look(rule));
    row.addEventListener("focus", () => look(rule));
    return row;
  });
  byId("top").tBodies[0].replaceChildren(...rows);
}
makeFilter();
setFilter(state.filter);
look(state.cursor);
makeTop();
recall();
addEventListener("resize", paintOverlay);
document.documentElement.dataset.ready = "yes";
