// Small tools that every part uses.
export const byId = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  // Children are text or elements: nothing that is shown can become markup.
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function bytes(text, Kind = Uint8Array) {
  // A server sends text, a worker the bytes themselves.
  if (typeof text !== "string") return text;
  const raw = atob(text), whole = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) whole[at] = raw.charCodeAt(at);
  return new Kind(whole.buffer);
}

export const number = (value) => Number(value).toLocaleString("en");
export const short = (value) => Number(Number(value).toPrecision(3)).toString();
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
export const words = (name) => name.replaceAll("_", " ");

// ---- colours: those of the page, which follow light and dark ----
const dark = matchMedia("(prefers-color-scheme: dark)");
let colours = new Map();
dark.addEventListener("change", () => { colours = new Map(); document.dispatchEvent(new Event("redraw")); });
export function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return colours.get(name);
}
const ITEMS = { green: "green", blue: "blue", red: "red", wall: "grey" };
export function thingColour(thing) {
  // A thing of a world: colours that pages have are theirs, light or dark; greys turn round on a dark page, as ink does.
  if (!thing.colour) return "";
  if (ITEMS[thing.name]) return colour(ITEMS[thing.name]);
  const [red, green, blue] = split(thing.colour);
  return dark.matches && red === green && green === blue ? `rgb(${255 - red}, ${255 - red}, ${255 - red})` : thing.colour;
}
export const channels = (name) => split(colour(name));
const parsed = new Map(), parser = document.createElement("canvas").getContext("2d");
function split(css) {
  // Red, green and blue of any colour that CSS has.
  if (!parsed.has(css)) {
    parser.fillStyle = "#000";
    parser.fillStyle = css;
    const known = parser.fillStyle;
    parsed.set(css, known.startsWith("#") ? [1, 3, 5].map((at) => parseInt(known.slice(at, at + 2), 16)) : known.match(/\d+/g).slice(0, 3).map(Number));
  }
  return parsed.get(css);
}
function brightness(css) {
  const [red, green, blue] = split(css).map((value) => (value /= 255) <= 0.04 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
export function isFaint(css, ground) {
  // Whether a colour can hardly be told from the one behind it, so that it needs an outline.
  const [low, high] = [brightness(css), brightness(ground)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05) < 1.6;
}
export const seasonInk = (kind) => colour(["summer-ink", "winter-ink", "good", "near"][kind % 4]);
export const seasonColour = (kind) => colour(["summer", "winter", "good-back", "near-back"][kind % 4] || "card");
const COUNTS = { green: "green", blue: "blue", walls: "grey", collected: "good", caught: "bad", correct: "good", wrong: "bad" };
export const countColour = (name, place) => colour(COUNTS[name] || ["first", "second", "third"][place % 3]);

// ---- canvases as sharp as the screen ----
const sizes = new WeakMap();
const observer = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) sizes.set(target, [contentRect.width, contentRect.height]);
  document.dispatchEvent(new Event("redraw"));
});
export function surface(canvas) {
  // The context, cleared and scaled to CSS pixels, with its size; null while it is not shown.
  if (!sizes.has(canvas)) {
    observer.observe(canvas);
    sizes.set(canvas, [canvas.clientWidth, canvas.clientHeight]);
  }
  const [width, height] = sizes.get(canvas), ratio = Math.min(devicePixelRatio || 1, 3);
  if (!width || !height) return null;
  const across = Math.round(width * ratio), down = Math.round(height * ratio);
  if (canvas.width !== across || canvas.height !== down) [canvas.width, canvas.height] = [across, down];
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

let patience = null;
export function notice(text, kind = "") {
  // A sentence for the user, at the foot of the screen; an empty one takes it away.
  const line = byId("notice");
  clearTimeout(patience);
  line.textContent = text;
  line.className = kind === "lost" ? "problem" : kind;
  line.dataset.kind = kind;
  if (kind === "brief") patience = setTimeout(() => notice(""), 3000);
}
export function clearNotice(...kinds) {
  // Takes a notice of these kinds away: what it was about is over.
  if (kinds.includes(byId("notice").dataset.kind)) notice("");
}
