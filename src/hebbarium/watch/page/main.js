// Starts the page and joins its parts: what is chosen goes into the address and to the server.
import { byId, element, notice, number, words } from "./tools.js";
import { SPEEDS, life, read, write } from "./state.js";
import { RuleCard } from "./rule.js";
import { Settings } from "./settings.js";
import { Evolution } from "./evolution.js";
import { View } from "./view.js";
import { Link } from "./link.js";
import { Replay } from "./replay.js";

const given = JSON.parse(byId("data").textContent);
const speed = byId("speed");
let state = read(location.hash), known = null, playing = false, frame = null, touched = false, link = null, replay = null;

const rule = new RuleCard((text) => { link?.send({ do: "rule", rule: text }); });
const view = new View(rule, (trial) => change({ brains: "1", trial: String(trial) }), (count) => {
  for (let at = 0; at < count; at++) link?.send({ do: "drawn" });
  document.documentElement.dataset.ready = "yes";
});
const settings = new Settings((name, text) => change({ [name]: text }));
const evolution = new Evolution((row, run) => {
  change({ task: run.task, rule: row.rule, hidden: String(run.hidden), brains: "1", ...row.weights });
  byId("transport").scrollIntoView();
});

// ---- state and address ----
function keep() {
  history.replaceState(null, "", `${location.pathname}#${write(state)}`);
}
function change(wanted) {
  const task = wanted.task && wanted.task !== state.task;
  const kept = task ? { seed: state.seed, speed: state.speed, brains: state.brains } : { ...state, at: "" };
  state = { ...kept, trial: wanted.brains === "1" ? kept.trial : "", ...wanted };
  for (const name of Object.keys(state)) if (state[name] === "" || state[name] === undefined) delete state[name];
  tellStory(null);
  start();
}
function start(play = true) {
  state.task ??= Object.keys(known.worlds)[0];
  if (!known.worlds[state.task]) { notice(`There is no world ${state.task} here; it has ${Object.keys(known.worlds).join(", ")}.`, "problem"); return; }
  state.seed ??= "1";
  state.speed ??= "60";
  keep();
  showState();
  playing = play;
  link.send({ do: "start", life: life(state), speed: Number(state.speed) || 0, playing: play });
  showPlaying();
}
function showState() {
  const world = known.worlds[state.task];
  byId("task").value = state.task;
  byId("seed").value = state.seed;
  speed.value = SPEEDS.reduce((best, one, at) => (distance(one) < distance(SPEEDS[best]) ? at : best), 0);
  showSpeed();
  rule.offer(world.presets);
  settings.offer(world, state);
  const many = Number(state.brains || 1) > 1;
  byId("one").setAttribute("aria-pressed", String(!many));
  byId("sixteen").setAttribute("aria-pressed", String(many));
  byId("tagline").textContent = byId("tagline").title = world.about;
  showSeasons(world);
}
const distance = (one) => Math.abs(Math.log((one || 1e8) / (Number(state.speed) || 1e8)));
function showSeasons(world) {
  byId("seasons").replaceChildren(...world.kinds.map((name, kind) => {
    const button = element("button", { type: "button", value: String(kind), title: `Make it ${name} now (W)`, "aria-pressed": "false", disabled: Boolean(replay) }, name);
    button.addEventListener("click", () => link?.send({ do: "season", kind }));
    return button;
  }));
}
function showSpeed() {
  const value = SPEEDS[speed.value];
  byId("speed-words").textContent = value ? `${number(value)} step${value === 1 ? "" : "s"}/s` : "as fast as possible";
  speed.setAttribute("aria-valuetext", byId("speed-words").textContent);
}
function showPlaying() {
  byId("play").classList.toggle("playing", playing);
  byId("play").querySelector("span").textContent = playing ? "Pause" : "Play";
}
function confirmPlaying() {
  // For tests: no frame is on its way any more once the server has said so.
  document.documentElement.dataset.playing = playing ? "yes" : "no";
}

// ---- stories ----
function offerStories() {
  byId("stories").replaceChildren(...known.stories.map((story) => {
    const wish = Object.fromEntries(Object.entries(story.wish).map(([name, value]) => [name, String(value)]));
    const made = element("a", { href: `#${write(wish)}` }, story.title);
    made.addEventListener("click", (event) => { event.preventDefault(); state = { ...wish }; tellStory(story); start(); });
    return made;
  }));
}
function tellStory(story) {
  byId("story").hidden = !story;
  byId("story").textContent = story ? story.words : "";
  [...byId("stories").children].forEach((made) => {
    if (story && made.textContent === story.title) made.setAttribute("aria-current", "true");
    else made.removeAttribute("aria-current");
  });
}

// ---- what the server tells ----
const TOLD = {
  hello(told) {
    known = told;
    byId("task").replaceChildren(...Object.keys(told.worlds).map((name) => element("option", { value: name }, words(name))));
    offerStories();
    byId("evolution-card").hidden = !told.run;
    if (told.run) link.send({ do: "run" });
    start();
    const story = told.stories.find((one) => write(Object.fromEntries(Object.entries(one.wish).map(([name, value]) => [name, String(value)]))) === write(state));
    if (story) tellStory(story);
  },
  busy() { notice("Preparing the world. The first time, its code has to be compiled, which takes about half a minute.", "busy"); },
  life(told) {
    notice("");
    view.begin(told, known.worlds[told.task]);
    touched = false;
  },
  rule(told) {
    rule.take(told);
    touched = told.touched;
    state.rule = told.rule;
    if (touched) delete state.at;
    keep();
    document.documentElement.dataset.rule = told.rule;
  },
  frame(told) {
    frame = told;
    touched = told.touched;
    view.show(told);
    if (told.over) notice(`${number(told.season + 1)} seasons are over; the life stops here, as set.`);
  },
  pace(told) { playing = told.playing; showPlaying(); confirmPlaying(); },
  run(told) { evolution.take(told); },
  error(told) { notice(told.text, "problem"); },
};

// ---- controls ----
function play(wanted) {
  playing = wanted;
  if (replay) {
    if (wanted && replay.at === replay.frames.length - 1) replay.seek(0);
    replay.play(wanted, Number(speed.value));
  } else link.send({ do: "pace", playing: wanted });
  showPlaying();
}
function step(forth = 1) {
  if (!replay) { link.send({ do: "step" }); return; }
  play(false);
  replay.seek(replay.at + forth);
}
function faster(by) {
  speed.value = Number(speed.value) + by;
  setSpeed();
}
function setSpeed() {
  state.speed = String(SPEEDS[speed.value]);
  showSpeed();
  if (replay) { replay.stop = Number(speed.value); return; }
  keep();
  link.send({ do: "pace", speed: SPEEDS[speed.value] });
}
function nextSeason() {
  if (replay || !frame) return;
  link.send({ do: "season", kind: (frame.kind + 1) % known.worlds[state.task].kinds.length });
}
async function share() {
  const place = frame && !touched && frame.lived <= 1e7 ? { ...state, at: String(frame.lived) } : { ...state, at: "" };
  const address = `${location.origin}/#${write(place)}`;
  try {
    await navigator.clipboard.writeText(address);
    notice("Link copied. Anyone who runs hebbarium watch can open it.", "brief");
  } catch { notice(address); }
}
const KEYS = {
  " ": () => play(!playing), s: () => step(), r: () => byId("again").click(), n: () => byId("fresh").click(),
  w: nextSeason, c: share, "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
  ArrowRight: () => replay && step(), ArrowLeft: () => replay && step(-1),
};
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox]), select, textarea");
  const presses = event.key === " " && event.target.closest("button, a, summary, input");
  if (typing || presses || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
byId("play").addEventListener("click", () => play(!playing));
byId("step").addEventListener("click", () => step());
byId("back").addEventListener("click", () => step(-1));
speed.addEventListener("input", setSpeed);
byId("task").addEventListener("change", () => change({ task: byId("task").value }));
byId("seed").addEventListener("change", () => change({ seed: byId("seed").value || "1", trial: "" }));
byId("again").addEventListener("click", () => { link.send({ do: "again" }); if (!playing) play(true); });
byId("fresh").addEventListener("click", () => change({ seed: String(1 + Math.floor(Math.random() * 99999)), trial: "" }));
byId("one").addEventListener("click", () => change({ brains: "1" }));
byId("sixteen").addEventListener("click", () => change({ brains: "16" }));
byId("share").addEventListener("click", share);
document.addEventListener("redraw", () => evolution.draw());

// ---- begin ----
async function beginReplay() {
  document.body.classList.add("replaying");
  const { world, life: lived, rule: told } = given.replay;
  byId("tagline").textContent = `Recorded: ${world.name}, rule ${told.rule}, ${lived.hidden} hidden neurons, seed ${lived.seed}.`;
  byId("keys").textContent = "Keys: space plays and pauses, the arrow keys step, − and + change the speed.";
  replay = new Replay(given.replay, view);
  replay.ended = () => { playing = false; showPlaying(); };
  showSeasons(world);
  rule.take(told);
  await replay.begin();
  speed.value = 6;
  setSpeed();
  document.documentElement.dataset.ready = "yes";
}
if (given.replay) beginReplay();
else {
  history.replaceState(null, "", `/${location.hash}`); // the token leaves the address; a cookie keeps it
  link = new Link(given.token, (told) => TOLD[told.type]?.(told), () => {});
  addEventListener("hashchange", () => { state = read(location.hash); tellStory(null); start(); });
}
