// The network with its active neurons, and both layers of weights as heat maps.
import { bytes, byId, channels, clamp, colour, element, short, surface } from "./tools.js";

export class Weights {
  constructor(sent) {
    this.scale = sent.scale;
    this.shades = bytes(sent.shades, Int8Array);
  }
  value(post, pre, columns) { return this.shades[post * columns + pre] / 127 * this.scale; }
  shade(post, pre, columns) { return this.shades[post * columns + pre] / 127; }
}

const brief = (name) => name.replace(" or ", "/");

function places(count, x, width, height, most) {
  // Neurons one below the other, in as many columns as are needed.
  const columns = Math.ceil(count / most), rows = Math.ceil(count / columns);
  const gap = Math.min(height / rows, 26);
  return Array.from({ length: count }, (_, at) => {
    const column = Math.floor(at / rows), row = at % rows, inColumn = Math.min(rows, count - column * rows);
    return [x + (columns > 1 ? (column / (columns - 1) - 0.5) * width : 0), height / 2 + (row - (inColumn - 1) / 2) * gap];
  });
}

export function drawNetwork(canvas, moment, weights, world) {
  // moment: null before the first step
  const drawn = surface(canvas);
  if (!drawn || !moment) return;
  const { pen, width, height } = drawn;
  const inputs = world.inputs.length, outputs = world.actions.length, hidden = moment.active.length;
  const room = height - 16, named = inputs <= 8;
  const shift = ([x, y]) => [x, y + 8];
  pen.font = "11px system-ui, sans-serif";
  const longest = (names) => Math.max(...names.map((name) => pen.measureText(name).width));
  const first = named ? longest(world.inputs.map(brief)) + 20 : width * 0.17, last = width - longest(world.actions) - 22;
  const left = places(inputs, first, width * 0.26, room, 22).map(shift);
  const middle = places(hidden, named ? (first + last) / 2 : width * 0.56, width * 0.16, room, 25).map(shift);
  const right = places(outputs, last, 0, room, 16).map(shift);
  if (weights) {
    synapses(pen, left, middle, moment.senses, weights[0], inputs + 1);
    synapses(pen, middle, right, moment.active, weights[1], hidden + 1);
  }
  const size = (count) => clamp(room / Math.min(count, 25) / 2 - 1.5, 2, 7);
  neurons(pen, left, moment.senses, size(inputs));
  neurons(pen, middle, moment.active, size(hidden));
  neurons(pen, right, right.map((_, at) => (at === moment.action ? "1" : "0")).join(""), 7, moment.random ? "near" : "accent");
  pen.textBaseline = "middle";
  right.forEach(([x, y], at) => {
    pen.textAlign = "left";
    pen.fillStyle = colour(at === moment.action ? "ink" : "soft");
    pen.fillText(world.actions[at], x + 11, y);
  });
  if (named) left.forEach(([x, y], at) => {
    pen.textAlign = "right";
    pen.fillStyle = colour(moment.senses[at] === "1" ? "ink" : "soft");
    pen.fillText(brief(world.inputs[at]), x - 11, y);
  });
  const fires = (text) => text.split("1").length - 1;
  canvas.setAttribute("aria-label", `${fires(moment.senses)} of ${inputs} inputs and ${fires(moment.active)} of ${hidden} hidden neurons active; ${world.actions[moment.action]}`);
}

function synapses(pen, from, to, active, weights, columns) {
  // Those from active neurons only: the others carry nothing.
  let drawn = 0;
  pen.lineWidth = 1;
  for (let pre = 0; pre < from.length; pre++) {
    if (active[pre] !== "1") continue;
    for (let post = 0; post < to.length && drawn < 1500; post++, drawn++) {
      const shade = weights.shade(post, pre, columns);
      pen.strokeStyle = colour(shade > 0 ? "stronger" : "weaker");
      pen.globalAlpha = Math.min(0.85, Math.abs(shade));
      pen.beginPath();
      pen.moveTo(...from[pre]);
      pen.lineTo(...to[post]);
      pen.stroke();
    }
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

export function drawHeat(canvas, weights, posts, pres) {
  // A pixel for each weight, enlarged by the browser.
  if (canvas.width !== pres || canvas.height !== posts) [canvas.width, canvas.height] = [pres, posts];
  const pen = canvas.getContext("2d"), image = pen.createImageData(pres, posts);
  const zero = channels("card"), plus = channels("stronger"), minus = channels("weaker");
  for (let at = 0; at < posts * pres; at++) {
    const shade = weights.shades[at] / 127, end = shade > 0 ? plus : minus, share = Math.abs(shade) ** 0.8;
    for (let channel = 0; channel < 3; channel++) image.data[4 * at + channel] = zero[channel] + (end[channel] - zero[channel]) * share;
    image.data[4 * at + 3] = 255;
  }
  pen.putImageData(image, 0, 0);
}

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export function tellWeights(canvas, layer, current) {
  // The weight under the pointer, or the one that the arrow keys lead to, in words.
  const cursor = canvas.parentElement.appendChild(element("i", { class: "cursor", hidden: true }));
  let place = [0, 0];
  const tell = ([post, pre]) => {
    const { weights, world } = current();
    if (!weights) return;
    place = [clamp(post, 0, canvas.height - 1), clamp(pre, 0, canvas.width - 1)];
    [post, pre] = place;
    const bias = pre === canvas.width - 1;
    const from = bias ? "the bias" : layer ? `hidden neuron ${pre + 1}` : `input ${world.inputs[pre]}`;
    const to = layer ? world.actions[post] : `hidden neuron ${post + 1}`;
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
