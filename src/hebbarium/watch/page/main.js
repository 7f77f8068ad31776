// Starts the page and joins its parts: what is chosen goes into the address and to the server.
import { byId, clearNotice, element, notice, number, words } from "./tools.js";
import { SHOWN, SPEEDS, USUAL, USUAL_SPEED, command, life, numeric, read, write } from "./state.js";
import { RuleCard } from "./rule.js";
import { Settings } from "./settings.js";
import { Evolution } from "./evolution.js";
import { View } from "./view.js";
import { Link, Twin } from "./link.js";
import { Replay } from "./replay.js";

const given = JSON.parse(byId("data").textContent);
const speed = byId("speed");
const BRAIN = ["task", "seed", "brains"]; // with another one of these it is another brain

let state = read(location.hash); // what is wished for, as the address has it
let confirmed = null; // the wish that is lived: what is refused goes back to it
let mark = 0, answered = 0; // wishes sent, and the latest that was answered
let turned = 0, late = null; // changes of the rule sent, and an answer that came after the next was sent
let known = null, lived = null, frame = null, then = "", present = ""; // what the server told; changes made while it lived, and the rule of now
let playing = false, pending = true; // now, and once the latest wish is answered
let excuse = ""; // why another life is shown than was wished for
let calm = false; // whether it has to be said why nothing moves
let wasPlaying = false; // when the connection was lost
let shown = null, link = null, replay = null;
const still = matchMedia("(prefers-reduced-motion: reduce)");

const rule = new RuleCard((text) => ask({ do: "rule", rule: text, mark: ++turned }));
const view = new View(rule, (trial) => change({ brains: "1", trial: String(trial) }), (count) => {
  for (let at = 0; at < count; at++) link?.send({ do: "drawn" });
  showRepeat();
  document.documentElement.dataset.ready = "yes";
});
const settings = new Settings((name, text) => change({ [name]: text }));
const evolution = new Evolution((row, run) => {
  // An individual lives here as it did there: with the run's settings, and with its own blame and eligibility, if any.
  state = { seed: state.seed, speed: state.speed, ...run.wish, ...row.weights, rule: row.rule };
  tellStory(null);
  start(true);
  byId("transport").scrollIntoView();
});

// ---- state and address ----
const isSettled = () => answered === mark;
function ask(message) {
  // Whatever was refused before, this is another try.
  clearNotice("problem");
  link?.send(message);
}
function keep() {
  history.replaceState(null, "", `${location.pathname}#${write(state)}`);
  if (isSettled()) confirmed = { ...state };
}
function change(wanted, play = isSettled() ? playing || Boolean(frame?.over) : pending) {
  const others = BRAIN.filter((name) => name in wanted && wanted[name] !== (state[name] ?? USUAL[name]));
  const kept = others.includes("task") ? { seed: state.seed, speed: state.speed, brains: state.brains } : { ...state };
  if (others.length) delete kept.trial;
  if (then !== "" && !others.includes("task")) kept.rule = present; // whoever changed it wants the next one to live by it
  state = { ...kept, ...wanted, then: "", at: "", playing: "" };
  for (const name of Object.keys(state)) if (state[name] === "" || state[name] === undefined) delete state[name];
  tellStory(null);
  start(play);
}
function start(play = state.playing !== "0" && !still.matches, at = state.at) {
  state.task ??= Object.keys(known.worlds)[0];
  if (!known.worlds[state.task]) {
    refuse(`There is no world ${state.task} here, only ${Object.keys(known.worlds).join(", ")}.`);
    return;
  }
  state.seed ??= "1";
  state.speed ??= USUAL_SPEED;
  mark++;
  pending = play;
  keep();
  showState();
  ask({ do: "start", mark, life: life({ ...state, at }), speed: Number(state.speed), playing: play });
}
function refuse(text) {
  // Address, fields and life agree again: on the life that goes on, or else on the usual one.
  answered = mark;
  if (confirmed) {
    state = { ...confirmed };
    keep();
    showState();
    notice(text, "problem");
  } else if (!excuse) {
    excuse = `${text} This is the usual life instead.`;
    state = {};
    begin();
  } else {
    excuse = "";
    notice(text, "problem");
  }
}
function resume() {
  // After a lost connection: the same step again, if the address can say how it came to be.
  const at = frame && lived && then !== null && frame.lived <= lived.furthest ? String(frame.lived) : "";
  if (then === null) excuse = "The connection was lost. A life that was changed so often cannot be repeated, so it begins anew.";
  state = { ...confirmed };
  start(wasPlaying, at);
}
function moveOn() {
  // A step in the address is that of a link; it is left behind with the first step from there.
  clearNotice("moment");
  if (state.at === undefined && state.playing === undefined) return;
  delete state.at;
  delete state.playing;
  keep();
}
function keepChanges(told) {
  // What was changed while it lived is part of the address, too; null where it was too much.
  then = told.then ?? null;
  if ((state.then ?? "") === (then ?? "") || !isSettled()) return;
  if (then) state.then = then;
  else delete state.then;
  keep();
}
function showDiffers() {
  // What is not as usual, each with a way back.
  const world = known.worlds[state.task], usual = (name) => (name === "hidden" ? String(world.hidden) : [...world.settings, ...world.brain].find((one) => one.name === name)?.value);
  const names = Object.keys(state).filter((name) => !SHOWN.includes(name) && state[name] !== "" && state[name] !== usual(name));
  const back = (label, wanted) => {
    const button = element("button", { type: "button", title: "Back to the usual" }, label, element("span", { "aria-hidden": "true" }, " ×"));
    button.addEventListener("click", () => change(wanted));
    return button;
  };
  const all = names.length > 1 ? [back("all as usual", Object.fromEntries(names.map((name) => [name, ""])))] : [];
  byId("differs").hidden = !names.length;
  byId("differs").replaceChildren("Not as usual: ", ...names.map((name) => back(`${words(name)} ${state[name]}${usual(name) === undefined ? "" : ` (usually ${usual(name)})`}`, { [name]: "" })), ...all);
}
function showRepeat() {
  // The command that lives the same life, and the digest that it prints.
  if (replay || !lived || !frame) return;
  const over = frame.season + (frame.over ? 1 : 0), changed = then !== "";
  const text = command(state, lived, changed ? present : state.rule || present, Math.max(1, over));
  if (byId("command").textContent !== text) byId("command").replaceChildren(...text.split(" ").flatMap((word, at) => [at ? " " : "", element("span", {}, word)]));
  const told = changed ? "This life was changed while it ran. A link repeats it; the command lives by the present rule from birth."
    : state.agent ? "The command climbs to the same networks, and prints the scores with which they were chosen."
    : view.digest ? `It prints digest ${view.digest.slice(0, 12)}, as computed here after ${over === 1 ? "one season" : `${over} seasons`}: ${view.digest}`
    : lived.trial > 0 ? `The last of its ${number(lived.trial + lived.brains)} lifetimes ${lived.brains > 1 ? "are these" : "is this one"}.`
    : "Once the first season is over, the digest of its counts stands here; the command prints the same.";
  if (byId("digest").textContent !== told) byId("digest").textContent = told;
}
function showState() {
  const world = known.worlds[state.task], many = Number(state.brains || 1) > 1;
  byId("task").value = state.task;
  byId("seed").value = numeric(state.seed);
  byId("trial").value = numeric(String(Number(state.trial || 0) + 1));
  byId("trial-label").hidden = many;
  byId("world-card").title = world.about;
  speed.value = SPEEDS.reduce((best, one, at) => (distance(one) < distance(SPEEDS[best]) ? at : best), 0);
  showSpeed();
  settings.offer(world, state);
  byId("one").setAttribute("aria-pressed", String(!many));
  byId("sixteen").setAttribute("aria-pressed", String(many));
  showDiffers();
  if (world === shown) return; // whoever is at one of its controls stays there
  shown = world;
  rule.offer(world.presets);
  showSeasons(world);
}
const distance = (one) => Math.abs(Math.log((one || 1e8) / (Number(state.speed) || 1e8)));
function showSeasons(world) {
  byId("seasons").hidden = world.kinds.length < 2; // one kind is no choice
  byId("seasons").replaceChildren(...world.kinds.map((name, kind) => {
    const button = element("button", { type: "button", value: String(kind), title: `Begin ${name} now (W: the next season)`, "aria-pressed": "false", disabled: Boolean(replay) }, name);
    button.addEventListener("click", () => frame?.kind !== kind && ask({ do: "season", kind }));
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
  byId("judged").setAttribute("aria-live", playing ? "off" : "polite"); // single steps are announced
}
function lose(gone) {
  // Without a server nothing can be asked for, and nothing moves.
  document.body.classList.toggle("lost", gone);
  for (const control of document.querySelectorAll("#transport button, #transport input, #seasons button, #rule-card input, #rule-card select, #settings-card input, #settings-card select, .choices input, .choices select, .choices button")) control.disabled = gone;
  if (!gone) { rule.show(); return; }
  wasPlaying = document.documentElement.dataset.lost === "yes" ? wasPlaying : playing;
  document.documentElement.dataset.lost = "yes";
  playing = false;
  showPlaying();
  view.stand();
}
function confirmPlaying() {
  // For the pace that is shown, and for tests: no frame is on its way any more once the server has said so.
  document.documentElement.dataset.playing = playing ? "yes" : "no";
}

// ---- stories ----
const textOf = (value) => (typeof value === "object" ? Object.entries(value).map((pair) => pair.join(":")).join(",") : String(value));
const wishOf = (story) => Object.fromEntries(Object.entries(story.wish).map(([name, value]) => [name, textOf(value)]));
function offerStories() {
  byId("stories").replaceChildren(...known.stories.map((story) => {
    const made = element("a", { href: `#${write(wishOf(story))}` }, story.title);
    made.addEventListener("click", (event) => { event.preventDefault(); state = wishOf(story); tellStory(story); start(); });
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
    const lost = confirmed !== null;
    known = told;
    lose(false);
    delete document.documentElement.dataset.lost;
    byId("docs").hidden = !told.docs;
    if (told.docs) byId("docs").href = told.docs;
    byId("task").replaceChildren(...Object.keys(told.worlds).map((name) => element("option", { value: name }, words(name))));
    offerStories();
    byId("evolution-card").hidden = !told.run;
    if (told.run) link.send({ do: "run" });
    if (lost) { resume(); return; }
    begin();
  },
  busy() { notice("Preparing the world. The first time, its code has to be compiled, which takes 5 to 20 seconds.", "busy"); },
  going(told) { notice(`Going to step ${number(told.to)}: ${Math.floor(100 * told.share)} %`, "busy"); },
  life(told) {
    lived = told;
    frame = null;
    view.begin(told, known.worlds[told.task]);
    rule.begin(told);
    clearNotice("busy", "over");
    if (told.mark === undefined) { state.rule = present; delete state.then; moveOn(); keep(); return; } // the same brain, newborn
    if (told.mark !== mark) return; // something else is wished for by now
    answered = mark;
    confirmed = { ...state };
    playing = pending;
    showPlaying();
    confirmPlaying();
    if (excuse) notice(excuse, "problem");
    else if (calm) notice("Paused, as this device asks for less motion. Press Play.", "moment");
    excuse = "";
    calm = false;
  },
  rule(told) {
    // A late answer would turn back what was turned since; it counts only if that is refused.
    late = told.mark !== undefined && told.mark !== turned ? told : null;
    if (late) return;
    rule.take(told);
    present = told.rule;
    document.documentElement.dataset.rule = told.rule;
    if (!isSettled()) return; // the address has the next wish already
    if (!told.touched) state.rule = told.rule;
    else moveOn();
    keepChanges(told);
    keep();
  },
  frame(told) {
    const first = frame === null;
    frame = told;
    keepChanges(told);
    view.show(told);
    clearNotice("busy");
    if (told.over) notice(`${number(told.season + 1)} seasons are over; the life stops here, as set.`, "over");
    else clearNotice("over");
    if (!isSettled()) return;
    if (told.lived !== Number(state.at || 0)) moveOn();
    else if (first && !playing && state.playing === "0") notice(`This is step ${number(told.lived)}; press Play to go on.`, "moment");
  },
  pace(told) {
    playing = told.playing;
    showPlaying();
    confirmPlaying();
    if (!playing) view.stand();
  },
  run(told) { evolution.take(told); },
  error(told) {
    // Without a `do` the message could not be read, such as the wish of a link that is far too long.
    if (told.do === "run") evolution.lose(told.text);
    else if (told.do === "start" ? told.mark === mark : !told.do && !isSettled()) { clearNotice("busy"); refuse(told.text); }
    else if (told.do !== "start") {
      if (told.do === "rule" && late) TOLD.rule({ ...late, mark: turned });
      notice(told.text, "problem");
    }
  },
};
const hear = (told) => TOLD[told.type]?.(told);

// ---- controls ----
function play(wanted) {
  playing = wanted;
  if (replay) {
    if (wanted && replay.at === replay.frames.length - 1) replay.seek(0);
    replay.play(wanted, Number(speed.value));
  } else ask({ do: "pace", playing: wanted });
  showPlaying();
}
function step(forth = 1) {
  if (!replay) { ask({ do: "step" }); return; }
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
  ask({ do: "pace", speed: SPEEDS[speed.value] });
}
function nextSeason() {
  if (replay || !frame) return;
  ask({ do: "season", kind: (frame.kind + 1) % known.worlds[state.task].kinds.length });
}
function share() {
  // With the step and what was changed before it; whoever pauses to share a moment shares that moment.
  const place = { ...state, at: "", playing: "" };
  if (frame && then !== null && frame.lived <= lived.furthest) {
    place.at = String(frame.lived);
    if (!playing) place.playing = "0";
    if (frame.lived > lived.stop * lived.season_steps) delete place.stop;
  } else if (frame) place.then = "";
  const address = `${location.href.split("#")[0]}#${write(place)}`;
  copy(address, `Link copied${place.at ? `, to step ${number(place.at)}` : ""}. ${given.playground ? "It shows the same agent to anybody." : "Anyone who runs hebbarium watch can open it."}`);
}
async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    notice(done, "brief");
  } catch { notice(text); }
}
const KEYS = {
  " ": () => play(!playing), s: () => step(), r: () => byId("again").click(), n: () => byId("fresh").click(),
  w: nextSeason, c: share, "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
  arrowright: () => replay && step(), arrowleft: () => replay && step(-1),
};
const TYPED = "input[type=text], input[type=number], select, textarea"; // every key is theirs
const PRESSED = "button, a, summary, input[type=checkbox]"; // space is theirs
const MOVED = "input[type=radio], input[type=range]"; // arrows are theirs
document.addEventListener("keydown", (event) => {
  const key = event.key.toLowerCase(), at = (some) => event.target.closest(some);
  const theirs = at(TYPED) || (key === " " && at(PRESSED)) || (key.startsWith("arrow") && at(MOVED));
  if (!byId("letters").checked && key.length === 1 && key !== " ") return;
  if (theirs || event.ctrlKey || event.metaKey || event.altKey || !KEYS[key]) return;
  event.preventDefault();
  KEYS[key]();
});
byId("play").addEventListener("click", () => play(!playing));
byId("step").addEventListener("click", () => step());
byId("back").addEventListener("click", () => step(-1));
speed.addEventListener("input", setSpeed);
byId("task").addEventListener("change", () => change({ task: byId("task").value }));
byId("seed").addEventListener("change", () => change({ seed: byId("seed").value || "1" }));
byId("trial").addEventListener("change", () => change({ trial: String((Number(byId("trial").value) || 1) - 1) }));
byId("again").addEventListener("click", () => { ask({ do: "again" }); if (!playing) play(true); });
byId("fresh").addEventListener("click", () => change({ seed: String(1 + Math.floor(Math.random() * 99999)), trial: "" }, true));
byId("one").addEventListener("click", () => change({ brains: "1" }));
byId("sixteen").addEventListener("click", () => change({ brains: "16" }));
byId("share").addEventListener("click", share);
byId("copy-command").addEventListener("click", () => copy(byId("command").textContent, "Command copied."));
byId("letters").addEventListener("change", () => remember("letters", byId("letters").checked ? null : "off"));
document.addEventListener("redraw", () => evolution.draw());

// ---- begin ----
async function beginReplay() {
  document.body.classList.add("replaying");
  const { world, life: recorded, rule: told } = given.replay;
  byId("tagline").textContent = `A random network learns. Recorded: ${world.name}, rule ${told.rule}, ${recorded.hidden} hidden neurons, seed ${recorded.seed}, brain ${recorded.trial + 1}. To try other rules, run hebbarium watch.`;
  byId("key-words").textContent = "Keys: space plays and pauses, the arrow keys step, − and + change the speed.";
  replay = new Replay(given.replay, view);
  replay.ended = () => { playing = false; showPlaying(); };
  showSeasons(world);
  rule.begin(recorded);
  rule.take(told);
  await replay.begin();
  speed.value = 6;
  setSpeed();
  document.documentElement.dataset.ready = "yes";
}
function remember(name, value) {
  // What the browser keeps for this address and port alone; it may keep nothing. value: undefined to ask, null to forget
  try {
    if (value === null) localStorage.removeItem(`hebbarium-${name}`);
    else if (value !== undefined) localStorage.setItem(`hebbarium-${name}`, value);
    return localStorage.getItem(`hebbarium-${name}`);
  } catch { return value ?? null; }
}
function token() {
  // The printed address has it; from then on the browser keeps it.
  return remember("token", new URLSearchParams(location.search).get("token") ?? undefined) ?? "";
}
function begin() {
  // As the address says; where it says nothing, with a story.
  if (!location.hash.slice(1) && !excuse && known.stories.length) state = wishOf(known.stories[0]);
  tellStory(known.stories.find((story) => write(wishOf(story)) === write(state)) || null);
  start();
  calm = still.matches && state.playing !== "0";
}
byId("letters").checked = remember("letters") !== "off";
addEventListener("hashchange", () => { state = read(location.hash); tellStory(null); if (known) start(); });
if (given.replay) beginReplay();
else if (given.playground) link = new Twin(given.playground, hear);
else {
  const secret = token();
  history.replaceState(null, "", `/${location.hash}`); // the token leaves the address
  if (secret) link = new Link(secret, hear, () => lose(true));
  else notice("This page needs its token: open the address that hebbarium watch printed.", "problem");
}
