"use strict";
// The map of an atlas. Data comes as JSON with base64 columns, one value for each rule by index.
const data = JSON.parse(document.getElementById("data").textContent);
const SIDE = 81, RULES = SIDE * SIDE, SYMBOLS = "-0+", MINUS = "−";
const PIN_COLOURS = ["#e69f00", "#56b4e9", "#d55e00", "#cc79a7"];
const byId = (id) => document.getElementById(id);

function column(name, Kind, scale = 1) {
  const bytes = Uint8Array.from(atob(data.columns[name]), (character) => character.charCodeAt(0));
  const values = new Kind(bytes.buffer);
  return scale === 1 ? values : Float64Array.from(values, (value) => value / scale);
}
const mean = column("mean", Int16Array, data.scale), sem = column("sem", Int16Array, data.scale);
const eta = column("eta", Float32Array), kinds = column("kinds", Float32Array);
const lifetimes = column("lifetimes", Uint16Array);
const rankFirst = column("rank_first", Uint16Array), rankLast = column("rank_last", Uint16Array);
const survey = column("survey", Int16Array, data.scale);
const order = column("order", Uint16Array);
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
function family(rule) {
  return data.families[data.kinds[Math.floor(rule / SIDE)]][data.kinds[rule % SIDE]];
}

// ---- colour ---------------------------------------------------------------
// Viridis: even for the colour-blind, and in grey.
const ANCHORS = ["440154", "482475", "414487", "355f8d", "2a788e", "21918c", "22a884", "44bf70", "7ad151", "bddf26", "fde725"]
  .map((hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)));
function viridis(share) {
  const at = Math.min(Math.max(share, 0), 1) * (ANCHORS.length - 1), low = Math.min(Math.floor(at), ANCHORS.length - 2);
  return ANCHORS[low].map((value, channel) => Math.round(value + (ANCHORS[low + 1][channel] - value) * (at - low)));
}
const logEta = Float64Array.from(eta, Math.log);
// Few rules learn, so the colours of fitness are spread: more of them for the low, and the legend says so.
const SCALES = {
  mean: { values: mean, label: (value) => value.toFixed(0), power: 0.6, ...range(mean) },
  kinds: { values: kinds, label: (value) => value.toFixed(0), low: 1, high: data.hidden },
  eta: { values: logEta, label: (value) => Number(Math.exp(value).toPrecision(2)).toString(), ...range(logEta) },
};
function range(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
  return { low, high };
}

function colourOf({ low, high, power = 1 }, value) {
  return viridis(Math.max(0, (value - low) / (high - low)) ** power);
}

// ---- state ----------------------------------------------------------------
const state = { colour: "mean", filter: Array(8).fill("?"), cursor: order[0], pins: [], matching: null };
const map = byId("map"), overlay = byId("overlay"), tile = document.createElement("canvas");
tile.width = tile.height = SIDE;
const pixels = tile.getContext("2d", { willReadFrequently: true });
const CELL = map.width / SIDE;

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
  const { low, high, label, power = 1 } = SCALES[state.colour], context = byId("scale").getContext("2d");
  const image = context.createImageData(256, 1);
  for (let at = 0; at < 256; at++) image.data.set([...viridis(at / 255), 255], at * 4);
  context.putImageData(image, 0, 0);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const mark = document.createElement("span");
    mark.style.left = `${share * 100}%`;
    mark.textContent = label(low + share ** (1 / power) * (high - low));
    return mark;
  });
  byId("ticks").replaceChildren(...ticks);
}
function paintOverlay() {
  const context = overlay.getContext("2d");
  context.clearRect(0, 0, overlay.width, overlay.height);
  context.lineWidth = 2;
  for (const rule of papersOf.keys()) ring(context, rule, CELL * 0.75, "#fff", "#000");
  state.pins.forEach((rule, place) => box(context, rule, PIN_COLOURS[place], 4));
  const [x, y] = centre(state.cursor);
  context.strokeStyle = "rgba(255,255,255,.35)";
  context.lineWidth = 1;
  context.beginPath(); context.moveTo(0, y); context.lineTo(overlay.width, y); context.moveTo(x, 0); context.lineTo(x, overlay.height); context.stroke();
  box(context, state.cursor, "#fff", 3);
}
const centre = (rule) => [(rule % SIDE + 0.5) * CELL, (Math.floor(rule / SIDE) + 0.5) * CELL];
function ring(context, rule, radius, inner, outer) {
  const [x, y] = centre(rule);
  for (const [colour, extra] of [[outer, 1.5], [inner, 0]]) {
    context.strokeStyle = colour;
    context.beginPath(); context.arc(x, y, radius + extra, 0, 2 * Math.PI); context.stroke();
  }
}
function box(context, rule, colour, width) {
  const [x, y] = centre(rule), half = CELL / 2 + 2;
  for (const [stroke, line] of [["#000", width + 2], [colour, width]]) {
    context.strokeStyle = stroke; context.lineWidth = line;
    context.strokeRect(x - half, y - half, 2 * half, 2 * half);
  }
}

// ---- cards ----------------------------------------------------------------
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
function card(rule) {
  const names = papersOf.get(rule) || [], first = rankFirst[rule], last = rankLast[rule];
  const fate = kinds[rule] > data.hidden - 0.5 ? `all ${data.hidden} differ` : kinds[rule] < 1.5 ? "all alike" : `${kinds[rule].toFixed(1)} of ${data.hidden}`;
  const numbers = [
    ["rank", `${rank[rule].toLocaleString("en")}${first === last ? "" : ` (${first} to ${last})`}`],
    ["fitness", `${mean[rule].toFixed(1)} ± ${sem[rule].toFixed(1)}`],
    ["best eta", Number(eta[rule].toPrecision(3)).toString()],
    ["hidden neurons at the end", fate],
    ["lifetimes", lifetimes[rule].toLocaleString("en")],
  ];
  return [
    element("header", {}, element("span", { className: "rule-name", textContent: notation(rule).replaceAll("-", MINUS) }),
      ...names.map((name) => element("span", { className: "badge", textContent: name }))),
    element("div", { className: "family", textContent: `${family(rule)} · index ${rule}` }),
    element("dl", { className: "numbers" }, ...numbers.map(([name, value]) => element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value })))),
    element("p", { className: "words", textContent: words(rule) }),
    table(rule),
    curve(rule),
  ];
}
function table(rule) {
  const text = notation(rule).replace("/", ""), kinds = { "-": "weaker", 0: "same", "+": "stronger" };
  const row = (name, symbols) => element("tr", {}, element("th", { scope: "row", textContent: name }),
    ...[...symbols].map((symbol) => element("td", { className: kinds[symbol], textContent: symbol.replace("-", MINUS) })));
  const head = element("thead", {},
    element("tr", {}, element("td"), element("th", { colSpan: 2, textContent: "from silent" }), element("th", { colSpan: 2, textContent: "from active" })),
    element("tr", {}, element("td"), ...["silent", "active", "silent", "active"].map((state) => element("th", { textContent: `onto ${state}` }))));
  return element("table", { className: "rule" }, head, element("tbody", {}, row("punished", text.slice(0, 4)), row("rewarded", text.slice(4))));
}
function curve(rule) {
  const etas = data.etas, points = etas.map((_, at) => survey[rule * etas.length + at]);
  const width = 320, height = 110, left = 34, bottom = 22, { low, high } = SCALES.mean;
  const x = (value) => left + (width - left - 10) * (etas.length < 2 ? 0.5 : Math.log(value / etas[0]) / Math.log(etas.at(-1) / etas[0]));
  const y = (value) => 8 + (height - bottom - 8) * (1 - (value - low) / (high - low));
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
  const draw = (tag, properties, text) => {
    const made = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    svg.append(made);
  };
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Fitness over eta: ${etas.map((value, at) => `${value}: ${points[at].toFixed(1)}`).join(", ")}`);
  for (const value of [Math.ceil(low / 10) * 10, 0, Math.floor(high / 10) * 10]) {
    draw("line", { class: "axis", x1: left, x2: width - 10, y1: y(value), y2: y(value) });
    draw("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, value);
  }
  etas.forEach((value, at) => { if (at % 2 === 0) draw("text", { x: x(value), y: height - 6, "text-anchor": "middle" }, value); });
  draw("polyline", { class: "curve", points: etas.map((value, at) => `${x(value).toFixed(1)},${y(points[at]).toFixed(1)}`).join(" ") });
  etas.forEach((value, at) => draw("circle", { class: "dot", cx: x(value), cy: y(points[at]), r: 2.5 }));
  return svg;
}

// ---- acting ---------------------------------------------------------------
function look(rule, speak = false) {
  state.cursor = rule;
  paintOverlay();
  byId("card").replaceChildren(...card(rule));
  byId("card").dataset.rule = notation(rule);
  if (speak) byId("spoken").textContent = `${notation(rule)}, rank ${rank[rule]}, fitness ${mean[rule].toFixed(1)}. ${words(rule)}`;
}
function pin(rule) {
  const place = state.pins.indexOf(rule);
  if (place >= 0) state.pins.splice(place, 1);
  else { if (state.pins.length === PIN_COLOURS.length) state.pins.shift(); state.pins.push(rule); }
  showPins();
}
function showPins() {
  byId("pins-section").hidden = !state.pins.length;
  byId("pins").replaceChildren(...state.pins.map((rule, place) => {
    const remove = element("button", { type: "button", textContent: "unpin", onclick: () => pin(rule) });
    const made = element("article", { className: "card" }, ...card(rule), remove);
    made.style.setProperty("--pin", PIN_COLOURS[place]);
    made.dataset.rule = notation(rule);
    return made;
  }));
  paintOverlay();
}
function ruleAt(event) {
  const area = map.getBoundingClientRect(), cell = (at, size) => Math.min(SIDE - 1, Math.max(0, Math.floor(at / size * SIDE)));
  return cell(event.clientY - area.top, area.height) * SIDE + cell(event.clientX - area.left, area.width);
}
let waiting = null;
map.addEventListener("pointermove", (event) => {
  const rule = ruleAt(event);
  if (rule === state.cursor) return;
  if (waiting === null) requestAnimationFrame(() => { look(waiting); waiting = null; });
  waiting = rule;
});
map.addEventListener("click", (event) => { const rule = ruleAt(event); look(rule, true); pin(rule); });
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
map.addEventListener("keydown", (event) => {
  const key = event.key, rule = state.cursor, place = rank[rule] - 1;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (key in STEPS) {
    const far = event.shiftKey ? 9 : 1, row = Math.floor(rule / SIDE) + STEPS[key][0] * far, across = rule % SIDE + STEPS[key][1] * far;
    if (row >= 0 && row < SIDE && across >= 0 && across < SIDE) look(row * SIDE + across, true);
  } else if (key === "Enter" || key === " ") pin(rule);
  else if (key === "Home") look(order[0], true);
  else if (key === "n" || key === "N") look(order[Math.min(place + 1, RULES - 1)], true);
  else if (key === "p" || key === "P") look(order[Math.max(place - 1, 0)], true);
  else if (key === "Escape") { state.pins = []; showPins(); } else return;
  event.preventDefault();
});
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
  byId("found").textContent = filtering ? `${found.toLocaleString("en")} rules match; the best of them is ${notation(best)}, rank ${rank[best].toLocaleString("en")}, fitness ${mean[best].toFixed(1)}.` : "";
  if (filtering) look(best);
}
function find(text) {
  const wanted = text.trim().toLowerCase().replace(/[−–—]/g, "-");
  if (!wanted) return setFilter(Array(8).fill("?"));
  const symbols = wanted.replace(/^(.{4})\//, "$1");
  if (/^[-0+?]{8}$/.test(symbols) && symbols.includes("?")) return setFilter([...symbols]);
  const rule = /^[-0+]{8}$/.test(symbols) ? [...symbols].reduce((sum, symbol) => 3 * sum + SYMBOLS.indexOf(symbol), 0)
    : /^\d{1,4}$/.test(wanted) && Number(wanted) < RULES ? Number(wanted) : paper.get(wanted);
  if (rule === undefined) { byId("found").textContent = "A rule has eight of - 0 + (or ? for any), an index 0 to 6560, or a name such as foraging:1."; return; }
  setFilter(Array(8).fill("?"));
  look(rule, true);
  byId("found").textContent = `${notation(rule)} is at row ${Math.floor(rule / SIDE) + 1}, column ${rule % SIDE + 1}; rank ${rank[rule].toLocaleString("en")}.`;
}
function makeFilter() {
  const halves = ["punished", "rewarded"].map((name, half) => element("div", { className: "half" },
    element("span", { textContent: name }),
    ...["00", "01", "10", "11"].map((bits, at) => {
      const place = 4 * half + at, button = element("button", { type: "button", className: "entry" }, element("b"), element("small", { textContent: bits }));
      button.dataset.name = `${name} ${bits}`;
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
byId("find").addEventListener("input", (event) => find(event.target.value));
byId("find").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); map.focus(); } });
byId("tools").addEventListener("submit", (event) => event.preventDefault());
byId("clear").addEventListener("click", () => { byId("find").value = ""; setFilter(Array(8).fill("?")); });
byId("colour").addEventListener("change", (event) => { state.colour = event.target.value; paint(); });

// ---- table and histogram ----------------------------------------------------
function makeTop() {
  const rows = Array.from(order.slice(0, 50), (rule) => {
    const cells = [rank[rule], rankFirst[rule] === rankLast[rule] ? rankFirst[rule] : `${rankFirst[rule]}–${rankLast[rule]}`, notation(rule).replaceAll("-", MINUS),
      `${mean[rule].toFixed(1)} ± ${sem[rule].toFixed(1)}`, Number(eta[rule].toPrecision(3)), kinds[rule].toFixed(1), (papersOf.get(rule) || []).join(", ")];
    const row = element("tr", { tabIndex: 0 }, ...cells.map((text) => element("td", { textContent: text })));
    row.addEventListener("click", () => { look(rule, true); pin(rule); });
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") { look(rule, true); pin(rule); } });
    row.addEventListener("pointerenter", () => look(rule));
    row.addEventListener("focus", () => look(rule));
    return row;
  });
  byId("top").tBodies[0].replaceChildren(...rows);
}
function makeHistogram() {
  const canvas = byId("histogram"), context = canvas.getContext("2d"), { low, high } = SCALES.mean;
  const step = (high - low) / 50, counts = Array(50).fill(0);
  for (const value of mean) counts[Math.min(49, Math.floor((value - low) / step))]++;
  const left = 46, bottom = 26, width = canvas.width - left - 8, height = canvas.height - bottom - 8, most = Math.log10(Math.max(...counts) + 1);
  const style = getComputedStyle(document.documentElement), soft = style.getPropertyValue("--soft"), line = style.getPropertyValue("--line");
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.font = "13px system-ui"; context.fillStyle = soft; context.strokeStyle = line; context.textAlign = "right";
  for (const count of [1, 10, 100, 1000]) {
    const y = 8 + height * (1 - Math.log10(count + 1) / most);
    if (y < 8) continue;
    context.beginPath(); context.moveTo(left, y); context.lineTo(left + width, y); context.stroke();
    context.fillText(count.toLocaleString("en"), left - 6, y + 4);
  }
  counts.forEach((count, at) => {
    const [red, green, blue] = colourOf(SCALES.mean, low + (at + 0.5) * step), tall = height * Math.log10(count + 1) / most;
    context.fillStyle = `rgb(${red},${green},${blue})`;
    context.fillRect(left + at * width / 50 + 1, 8 + height - tall, width / 50 - 2, tall);
  });
  context.fillStyle = soft; context.textAlign = "center";
  for (let value = Math.ceil(low / 10) * 10; value <= high; value += 10) context.fillText(value, left + width * (value - low) / (high - low), canvas.height - 8);
  const above = (limit) => mean.reduce((sum, value) => sum + (value > limit), 0).toLocaleString("en");
  const limits = data.limits, text = `Rules by best fitness (counts on a log scale). Above ${limits[0]}: ${above(limits[0])}; above ${limits[1]}: ${above(limits[1])}; above ${limits[2]}: ${above(limits[2])} of ${RULES.toLocaleString("en")}.`;
  byId("histogram-words").textContent = text;
  canvas.setAttribute("aria-label", text);
}
function makeScatter() {
  const canvas = byId("scatter");
  if (!canvas) return;
  const context = canvas.getContext("2d"), { low, high } = SCALES.mean, left = 46, bottom = 40, width = canvas.width - left - 20, height = canvas.height - bottom - 10;
  const style = getComputedStyle(document.documentElement), soft = style.getPropertyValue("--soft"), line = style.getPropertyValue("--line");
  const y = (value) => 10 + height * (1 - (value - low) / (high - low)), x = (value) => left + 20 + (width - 40) * (value - 1) / Math.max(1, data.hidden - 1);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.font = "14px system-ui"; context.fillStyle = soft; context.strokeStyle = line; context.textAlign = "right";
  for (let value = Math.ceil(low / 10) * 10; value <= high; value += 10) {
    context.beginPath(); context.moveTo(left, y(value)); context.lineTo(left + width, y(value)); context.stroke();
    context.fillText(value, left - 6, y(value) + 5);
  }
  context.textAlign = "center";
  const ticks = [1, 0.25, 0.5, 0.75].map((share, at) => at ? Math.round(data.hidden * share) : 1);
  for (const value of new Set([...ticks, data.hidden])) context.fillText(value, x(value), canvas.height - 22);
  context.fillText("kinds of hidden neurons at the end of life (neurons that differ within six digits)", left + width / 2, canvas.height - 4);
  context.globalAlpha = 0.45;
  for (let rule = 0; rule < RULES; rule++) {
    const [red, green, blue] = colourOf(SCALES.mean, mean[rule]), jitter = (rule * 0.618034 % 1 - 0.5) * 26;
    context.fillStyle = `rgb(${red},${green},${blue})`;
    context.fillRect(x(kinds[rule]) + jitter - 2, y(mean[rule]) - 2, 4, 4);
  }
  context.globalAlpha = 1;
}
makeFilter();
setFilter(state.filter);
look(state.cursor);
makeTop();
makeHistogram();
makeScatter();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { makeHistogram(); makeScatter(); });
document.documentElement.dataset.ready = "yes";
