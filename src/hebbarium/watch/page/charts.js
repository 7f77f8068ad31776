// Charts on canvases: bars of fitness, lines over time.
import { colour, number, seasonColour, seasonInk, short, surface } from "./tools.js";

const LEFT = 44, RIGHT = 10, TOP = 12, BOTTOM = 26;

function ticks(low, high, most = 5, least = 0) {
  const rough = (high - low || 1) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(least, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999));
  const values = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-6; value += step) values.push(value);
  return values;
}
const brief = (value) => Math.abs(value) >= 1e4 ? `${short(value / (Math.abs(value) >= 1e6 ? 1e6 : 1e3))}${Math.abs(value) >= 1e6 ? "M" : "k"}` : short(Math.abs(value) < 1e-9 ? 0 : value);

function frame(canvas, low, high, start, end, label, marks = null) {
  // marks: [[x, text], ...] below the axis, where round numbers will not do
  const drawn = surface(canvas);
  if (!drawn) return null;
  const { pen, width, height } = drawn;
  const across = (x) => LEFT + (x - start) / (end - start || 1) * (width - LEFT - RIGHT);
  const up = (y) => height - BOTTOM - (y - low) / (high - low || 1) * (height - TOP - BOTTOM);
  const axes = () => {
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 1;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const value of ticks(low, high)) {
      pen.strokeStyle = colour(value === 0 ? "soft" : "line");
      pen.beginPath();
      pen.moveTo(LEFT, up(value));
      pen.lineTo(width - RIGHT, up(value));
      pen.stroke();
      pen.fillStyle = colour("soft");
      pen.fillText(brief(value), LEFT - 6, up(value));
    }
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    const room = width - RIGHT - pen.measureText(label).width - 18; // what is counted has the end of the row to itself
    const fitting = (some) => some.filter(([value]) => across(value) < room);
    let below = fitting(marks ?? []);
    // Finer steps where else there would be room for the 0 only.
    for (let most = Math.max(2, width / 90); !marks && most < 20; most *= 2) {
      const some = fitting(ticks(start, end, most, 1).map((value) => [value, brief(value)]));
      if (below.length < 2) below = some;
    }
    for (const [value, text] of below) pen.fillText(text, across(value), height - 9);
    pen.textAlign = "right";
    pen.fillText(label, width - RIGHT, height - 9);
  };
  return { pen, width, height, across, up, axes };
}

function seasonMarks(canvas, bars, slots, size) {
  // The seasons of each bar below its middle; of many bars, as many as there is room for.
  const name = (place) => (size === 1 ? String(place + 1) : `${place * size + 1}–${(place + 1) * size}`);
  const room = (canvas.clientWidth - LEFT - RIGHT) / slots, every = Math.max(1, Math.ceil((8 * name(bars - 1).length + 8) / Math.max(1, room)));
  return Array.from({ length: bars }, (_, place) => [(place + 0.5) * size, name(place)]).filter((_, place) => place % every === 0);
}

export function drawSeasons(canvas, seasons, now, kinds, marks) {
  // Bars of the seasons that are over, the present one lighter; with many brains each has a dot.
  // marks: what others score, [name, fitness] each, or null
  const bars = now.over ? seasons.bars : [...seasons.bars, now.fitness], means = bars.map((bar) => bar.reduce((sum, value) => sum + value, 0) / (bar.length || 1));
  const all = bars.flat();
  const scores = (marks || []).map(([, score]) => score);
  const low = Math.min(0, ...all, ...scores), high = Math.max(10, ...all, ...scores), slots = Math.max(8, bars.length);
  const label = seasons.size > 1 ? `season (${number(seasons.size)} a bar)` : "season";
  const drawn = frame(canvas, low, high * (marks ? 1.12 : 1.04), 0, slots * seasons.size, label, seasonMarks(canvas, bars.length, slots, seasons.size));
  if (!drawn) return;
  const { pen, across, up } = drawn;
  drawn.axes();
  bars.forEach((bar, place) => {
    const x = across((place + 0.08) * seasons.size), wide = across((place + 0.92) * seasons.size) - x;
    const last = !now.over && place === bars.length - 1, kind = last ? now.kind : seasons.kinds[place];
    pen.globalAlpha = last ? 0.45 : 1;
    pen.fillStyle = kind < 0 ? colour("first") : seasonInk(kind);
    const y = up(means[place]), base = up(0);
    pen.fillRect(x, Math.min(y, base), wide, Math.max(1, Math.abs(base - y)));
    if (bar.length > 1) {
      pen.fillStyle = colour("ink");
      pen.globalAlpha = 0.5;
      for (const value of bar) pen.fillRect(x + wide / 2 - 1.25, up(value) - 1.25, 2.5, 2.5);
    }
  });
  pen.globalAlpha = 1;
  if (marks) drawMarks(drawn, marks);
  const told = bars.slice(0, -1).slice(-4).map((_, at, some) => short(means[bars.length - 1 - some.length + at])).join(", ");
  const others = (marks || []).map(([name, score]) => `${name} ${short(score)}`).join(", ");
  canvas.setAttribute("aria-label", `Fitness of the latest seasons: ${told || "none is over yet"}; now ${short(means.at(-1))} in ${kinds[now.kind]}.${others && ` For comparison: ${others}.`}`);
}

function drawMarks({ pen, width, up }, marks) {
  // Dashed lines with their names at the right end, above the line; below it where the next one is too near.
  const heights = marks.map(([, score]) => up(score));
  pen.strokeStyle = colour("soft");
  pen.setLineDash([4, 4]);
  for (const y of heights) {
    pen.beginPath();
    pen.moveTo(LEFT, y);
    pen.lineTo(width - RIGHT, y);
    pen.stroke();
  }
  pen.setLineDash([]);
  pen.font = "600 11px system-ui, sans-serif";
  pen.textAlign = "right";
  pen.strokeStyle = colour("card"); // so that names can be read where there are bars
  pen.fillStyle = colour("soft");
  pen.lineWidth = 4;
  marks.forEach(([name, score], at) => {
    const below = heights[at] - heights[at + 1] < 13, y = heights[at] + (below ? 3 : -1);
    pen.textBaseline = below ? "top" : "bottom";
    pen.strokeText(`${name} ${short(score)}`, width - RIGHT, y);
    pen.fillText(`${name} ${short(score)}`, width - RIGHT, y);
  });
}

export function drawLines(canvas, lines, shades, end, axis = "step") {
  // lines: [{points: [[x, y], ...], colour, name, thin}]; shades: [[start, end, kind], ...]
  const ys = lines.flatMap((line) => line.points.map((point) => point[1]));
  const named = lines.some((line) => line.name); // names stand above the lines
  const low = Math.min(0, ...ys), high = Math.max(5, ...ys) * (named ? 1.3 : 1.05);
  const drawn = frame(canvas, low, high, 0, Math.max(end, 1), axis);
  if (!drawn) return;
  const { pen, across, up, width, height } = drawn;
  for (const [start, stop, kind] of shades) {
    pen.fillStyle = seasonColour(kind);
    pen.fillRect(across(start), TOP, across(stop) - across(start), height - TOP - BOTTOM);
  }
  drawn.axes();
  for (const line of lines) {
    pen.strokeStyle = line.colour;
    pen.lineWidth = line.thin ? 1.25 : 2;
    pen.globalAlpha = line.thin ? 0.8 : 1;
    pen.lineJoin = "round";
    pen.beginPath();
    line.points.forEach(([x, y], at) => (at ? pen.lineTo(across(x), up(y)) : pen.moveTo(across(x), up(y))));
    pen.stroke();
    pen.globalAlpha = 1;
  }
  let x = LEFT + 5, y = TOP + 13;
  pen.textAlign = "left";
  pen.font = "600 11px system-ui, sans-serif";
  for (const line of lines.filter((one) => one.name)) {
    const long = pen.measureText(line.name).width;
    if (x > LEFT + 5 && x + long > width - RIGHT) [x, y] = [LEFT + 5, y + 13];
    pen.fillStyle = line.colour;
    pen.fillText(line.name, x, y);
    x += long + 9;
  }
  const told = lines.filter((line) => line.name && line.points.length).map((line) => `${line.name} ${short(line.points.at(-1)[1])}`).join(", ");
  canvas.setAttribute("aria-label", `${told} at ${axis} ${number(end)}`);
}

export class Curve {
  // What was counted since birth, at some moments; when there are too many, every other one goes.
  constructor(counts) {
    this.counts = counts;
    this.moments = [];
    this.stride = 1;
    this.skipped = 0;
    this.seasons = [];
  }

  take(frame) {
    const seen = this.seasons.at(-1), beginning = frame.lived - frame.within;
    if (!seen || seen[1] !== frame.kind || seen[2] !== frame.season) this.seasons.push([beginning, frame.kind, frame.season]);
    if (this.seasons.length > 400) this.seasons.splice(0, 200);
    const last = this.moments.at(-1);
    if (last && last[0] >= frame.lived) return;
    const total = frame.lives.length === 1 ? frame.lives[0].total : this.counts.map((_, at) => frame.lives.reduce((sum, life) => sum + life.total[at], 0) / frame.lives.length);
    if (last && ++this.skipped < this.stride) { this.last = [frame.lived, ...total]; return; }
    this.skipped = 0;
    this.moments.push([frame.lived, ...total]);
    this.last = null;
    if (this.moments.length > 900) { this.moments = this.moments.filter((_, at) => at % 2 === 0); this.stride *= 2; }
  }

  shades(end) {
    // None where they would be a blur.
    const shown = this.seasons.length > 40 ? [] : this.seasons;
    return shown.map(([start, kind], at) => [start, at + 1 < shown.length ? shown[at + 1][0] : end, kind]);
  }

  lines(colourOf, names, until = Infinity) {
    const moments = (this.last ? [...this.moments, this.last] : this.moments).filter((moment) => moment[0] <= until);
    return this.counts.map((name, at) => ({ name: names[at], colour: colourOf(name, at), points: moments.map((moment) => [moment[0], moment[at + 1]]) }));
  }
}
