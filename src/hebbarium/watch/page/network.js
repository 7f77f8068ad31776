// The network with its active neurons, and each layer of weights as a heat map.
import { bytes, byId, channels, clamp, colour, element, short, surface } from "./tools.js";

export class Weights {
  // before: the layer as it was; what differs from it glows for a while
  constructor(sent, before = null) {
    this.scale = sent.scale;
    this.shades = bytes(sent.shades, Int8Array);
    this.glow = before?.glow?.length === this.shades.length ? before.glow : new Float32Array(this.shades.length);
    if (before?.shades.length === this.shades.length) for (let at = 0; at < this.shades.length; at++) if (this.shades[at] !== before.shades[at]) this.glow[at] = 1;
  }
  value(post, pre, columns) { return this.shades[post * columns + pre] / 127 * this.scale; }
  shade(post, pre, columns) { return this.shades[post * columns + pre] / 127; }
}

const inputName = (name) => (/^\d+$/.test(name) ? `input ${name}` : name);
const brief = (name) => inputName(name).replace(" or ", "/");
const MOST_LINES = 260, NAMED = 14;

function places(count, x, width, height, most) {
  // Neurons one below the other, in as many columns as are needed.
  const columns = Math.ceil(count / most), rows = Math.ceil(count / columns);
  const gap = Math.min(height / rows, 26);
  return Array.from({ length: count }, (_, at) => {
    const column = Math.floor(at / rows), row = at % rows, inColumn = Math.min(rows, count - column * rows);
    return [x + (columns > 1 ? (column / (columns - 1) - 0.5) * width : 0), height / 2 + (row - (inColumn - 1) / 2) * gap];
  });
}

function field(view, x, width, height) {
  // Two inputs for each cell in view, where the agent sees it: ahead is up.
  const wide = Math.max(...view.map(([, right]) => right)) * 2 + 1, high = Math.max(...view.map(([ahead]) => ahead)) + 1;
  const cell = Math.min(width / wide, height / high), top = height / 2 - high * cell / 2;
  return view.flatMap(([ahead, right]) => [-0.22, 0.22].map((aside) => [x + (right + aside) * cell, top + (high - ahead - 0.5) * cell]));
}

export function drawNetwork(canvas, moment, weights, life) {
  // moment: null before the first step
  const drawn = surface(canvas);
  if (!drawn || !moment) return;
  const { pen, width, height } = drawn, { inputs, actions, layers, view } = life;
  const room = height - 16, named = inputs.length <= NAMED, hidden = layers.length - 2;
  pen.font = "11px system-ui, sans-serif";
  const longest = (names) => Math.max(...names.map((name) => pen.measureText(name).width));
  const block = view ? Math.min(width * 0.42, room * 1.9) : width * 0.26;
  const first = named ? longest(inputs.map(brief)) + 20 : block / 2 + 6, last = width - longest(actions) - 22;
  const from = named ? first : block + 12, across = (at) => from + (last - from) * (at / (hidden + 1));
  const columns = layers.map((count, at) => {
    const x = at === 0 ? first : at === layers.length - 1 ? last : across(at);
    const made = at === 0 && view && !named ? field(view, x, block, room) : places(count, x, at ? Math.min(width * 0.1, 40) : block, room, at ? 25 : 22);
    return made.map(([left, top]) => [left, top + 8]);
  });
  const active = [moment.senses, ...moment.active, columns.at(-1).map((_, at) => (at === moment.action ? "1" : "0")).join("")];
  if (weights) weights.forEach((layer, at) => synapses(pen, columns[at], columns[at + 1], active[at], layer));
  const size = (at) => (at === layers.length - 1 ? 7 : at === 0 && view && !named ? clamp((columns[0][1][0] - columns[0][0][0]) * 0.45, 1, 4) : clamp(room / Math.min(layers[at], 25) / 2 - 1.5, 2, 7));
  columns.forEach((column, at) => neurons(pen, column, active[at], size(at), at === layers.length - 1 && moment.random ? "near" : "accent"));
  if (view && !named) standing(pen, columns[0], view, block);
  pen.textBaseline = "middle";
  const tell = (names, where, side, aside, lit) => where.forEach(([x, y], at) => {
    pen.textAlign = side;
    pen.fillStyle = colour(lit(at) ? "ink" : "soft");
    pen.fillText(names[at], x + aside, y);
  });
  tell(actions, columns.at(-1), "left", 11, (at) => at === moment.action);
  if (named) tell(inputs.map(brief), columns[0], "right", -11, (at) => moment.senses[at] === "1");
  const fires = (text) => text.split("1").length - 1;
  canvas.setAttribute("aria-label", `${fires(moment.senses)} of ${inputs.length} inputs and ${moment.active.reduce((sum, text) => sum + fires(text), 0)} of ${layers.slice(1, -1).reduce((sum, size) => sum + size, 0)} hidden neurons active; ${actions[moment.action]}`);
}

function standing(pen, column, view, block) {
  // The agent itself, between the inputs of the cells on its left and right.
  const at = view.findIndex(([ahead, right]) => ahead === 0 && right === 1);
  if (at < 0) return;
  const [x, y] = column[2 * at], cell = (column[2 * at + 1][0] - x) / 0.44, middle = x - 0.78 * cell;
  const reach = Math.min(cell * 0.4, block / 24);
  pen.fillStyle = colour("accent");
  pen.beginPath();
  pen.moveTo(middle, y - reach);
  pen.lineTo(middle + reach * 0.8, y + reach);
  pen.lineTo(middle - reach * 0.8, y + reach);
  pen.fill();
}

function synapses(pen, from, to, active, weights) {
  // Those from active neurons only, as the others carry nothing; of many, the strongest.
  const columns = weights.shades.length / to.length, lines = [];
  for (let pre = 0; pre < from.length; pre++) if (active[pre] === "1") for (let post = 0; post < to.length; post++) lines.push([pre, post, weights.shade(post, pre, columns)]);
  if (lines.length > MOST_LINES) lines.sort((one, other) => Math.abs(other[2]) - Math.abs(one[2])).length = MOST_LINES;
  pen.lineWidth = 1;
  for (const [pre, post, shade] of lines) {
    pen.strokeStyle = colour(shade > 0 ? "stronger" : "weaker");
    pen.globalAlpha = Math.min(0.85, Math.abs(shade));
    pen.beginPath();
    pen.moveTo(...from[pre]);
    pen.lineTo(...to[post]);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function neurons(pen, where, active, size, name = "accent") {
  where.forEach(([x, y], at) => {
    pen.beginPath();
    pen.arc(x, y, size, 0, 7);
    pen.fillStyle = colour(active[at] === "1" ? name : "card");
    pen.fill();
    pen.lineWidth = 1;
    pen.strokeStyle = colour(active[at] === "1" ? name : "grey");
    pen.stroke();
  });
}

const still = matchMedia("(prefers-reduced-motion: reduce)");
export function drawHeat(canvas, weights, posts, pres) {
  // A pixel for each weight, enlarged by the browser. Returns whether something still glows.
  if (canvas.width !== pres || canvas.height !== posts) [canvas.width, canvas.height] = [pres, posts];
  const pen = canvas.getContext("2d"), image = pen.createImageData(pres, posts);
  const zero = channels("card"), plus = channels("stronger"), minus = channels("weaker"), fresh = channels("accent");
  const lit = weights.glow.reduce((sum, glow) => sum + (glow > 0 ? 1 : 0), 0), strength = still.matches ? 0 : 0.55 * Math.min(1, 0.15 * posts * pres / lit); // where all change, none stands out
  let glows = false;
  for (let at = 0; at < posts * pres; at++) {
    const shade = weights.shades[at] / 127, end = shade > 0 ? plus : minus, share = Math.abs(shade) ** 0.8;
    const glow = weights.glow[at] && weights.glow[at] * strength;
    for (let channel = 0; channel < 3; channel++) {
      const plain = zero[channel] + (end[channel] - zero[channel]) * share;
      image.data[4 * at + channel] = plain + (fresh[channel] - plain) * glow;
    }
    image.data[4 * at + 3] = 255;
    weights.glow[at] = weights.glow[at] > 0.1 ? weights.glow[at] * 0.6 : 0;
    glows ||= glow > 0;
  }
  pen.putImageData(image, 0, 0);
  return glows;
}

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export function makeHeats(layers, current) {
  // A heat map for each layer; an id by which its place is known.
  const last = layers.length - 2;
  const name = (at) => (at === 0 ? "inputs" : last > 1 ? `hidden layer ${at}` : "hidden"), onto = (at) => (at === last ? "actions" : last > 1 ? `hidden layer ${at + 1}` : "hidden");
  return layers.slice(1).map((_, at) => {
    const words = `${name(at)} to ${onto(at)}`;
    const canvas = element("canvas", { id: at === last ? "output-weights" : at ? `hidden-weights-${at + 1}` : "hidden-weights", class: "heat", role: "img", tabIndex: 0, "aria-describedby": "weight", "aria-label": `Weights, ${words}` });
    const figure = element("figure", {}, canvas, element("figcaption", {}, words));
    tellWeights(canvas, at, last, current);
    return { figure, canvas };
  });
}

function tellWeights(canvas, layer, last, current) {
  // The weight under the pointer, or the one that the arrow keys lead to, in words.
  const cursor = canvas.parentElement.appendChild(element("i", { class: "cursor", hidden: true }));
  const neuron = (at, number) => `hidden neuron ${number + 1}${last > 1 ? ` of layer ${at + 1}` : ""}`;
  let place = [0, 0];
  const tell = ([post, pre]) => {
    const { weights, life } = current();
    if (!weights) return;
    place = [clamp(post, 0, canvas.height - 1), clamp(pre, 0, canvas.width - 1)];
    [post, pre] = place;
    const bias = pre === canvas.width - 1, before = life.layers[layer];
    const from = bias ? "the bias" : pre >= before ? `${neuron(layer, pre - before)} a step ago` : layer ? neuron(layer - 1, pre) : `input ${life.inputs[pre]}`;
    const to = layer === last ? life.actions[post] : neuron(layer, post);
    byId("weight").textContent = `From ${from} to ${to}: ${short(weights[layer].value(post, pre, canvas.width))}`;
  };
  const point = () => {
    const [wide, high] = [canvas.clientWidth / canvas.width, canvas.clientHeight / canvas.height];
    Object.assign(cursor.style, { left: `${place[1] * wide}px`, top: `${place[0] * high}px`, width: `${wide}px`, height: `${high}px` });
    cursor.hidden = false;
  };
  canvas.addEventListener("pointermove", (event) => tell([
    Math.floor(event.offsetY / canvas.clientHeight * canvas.height), Math.floor(event.offsetX / canvas.clientWidth * canvas.width),
  ]));
  canvas.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // arrows also step through a recorded life
    tell([place[0] + move[0], place[1] + move[1]]);
    point();
  });
  canvas.addEventListener("focus", () => { if (canvas.matches(":focus-visible")) { tell(place); point(); } });
  canvas.addEventListener("blur", () => { cursor.hidden = true; });
}
