// Lives that are watched, without a server: the same seasons, frames and sentences as those of `hebbarium watch`.
import { WORLD, Stream, digest } from "./streams.js";
import { Brain } from "./brain.js";
import { TURNS, WORLDS } from "./worlds.js";

const LOOK = 60, ROOM = 64, MOST_CELLS = 262144, MOST_WORK = 2e8, MOST_AHEAD = 1e7, LARGEST = 2n ** 63n - 1n;
const SYMBOLS = "-0+", RULES = 6561;
export class BadInput extends Error {}
const refuse = (text) => { throw new BadInput(text); };

// ---- rules ----
function readEntries(text, papers) {
  const plain = text.trim().replace(/[\u2212\u2013\u2014]/g, "-");
  if (papers[plain.toLowerCase()]) { const [notation, eta] = papers[plain.toLowerCase()]; return [readEntries(notation, papers)[0], eta]; }
  if (plain.includes(":")) refuse(`the paper has no rule '${text}'.`);
  if (/^\d{1,4}$/.test(plain) && Number(plain) < RULES) return [Array.from({ length: 8 }, (_, place) => Math.floor(Number(plain) / 3 ** (7 - place)) % 3 - 1), null];
  const symbols = plain[4] === "/" ? plain.slice(0, 4) + plain.slice(5) : plain, strange = [...symbols].find((symbol) => !SYMBOLS.includes(symbol));
  if (strange) refuse(`rule '${text}' has '${strange}', but is written with eight characters from -0+, such as 00+-/0000.`);
  if (symbols.length !== 8) { const near = (symbols + "00000000").slice(0, 8); refuse(`rule '${text}' has ${symbols.length} entries, but needs 8; the nearest is ${near.slice(0, 4)}/${near.slice(4)}.`); }
  return [[...symbols].map((symbol) => SYMBOLS.indexOf(symbol) - 1), null];
}
export function readRule(text, papers, layers) {
  // For each part {entries, eta}, or null where it is frozen.
  const parts = text.split(",").map((part) => {
    const [words, eta] = part.split("@");
    if (words.trim().toLowerCase() === "frozen" && eta === undefined) return null;
    const [entries, known] = readEntries(words, papers), number = eta === undefined ? known : Number(eta.replace(/[\u2212\u2013\u2014]/g, "-"));
    if (eta !== undefined && (eta.trim() === "" || !(number >= 0 && number < 1))) refuse(`eta is '${eta}', but must be a number from 0 up to, but not including, 1.`);
    if (number === null && entries.some((entry) => entry)) refuse(`rule ${words} needs an eta; write it after an @, such as ${words}@0.04.`);
    return { entries, eta: number ?? 0 };
  });
  if (parts.length !== 1 && parts.length !== layers) refuse(`rule '${text}' has ${parts.length} layers, but the network has ${layers}; write one rule for all, or one for each, with commas.`);
  if (parts.at(-1) === null) refuse(`rule '${text}' freezes the output layer, but only the hidden one can be frozen.`);
  return parts;
}
export const notation = ({ entries }) => { const signs = entries.map((entry) => SYMBOLS[entry + 1]).join(""); return `${signs.slice(0, 4)}/${signs.slice(4)}`; };
export const ruleText = (parts) => parts.map((part) => (part ? `${notation(part)}@${part.eta}` : "frozen")).join(",");
const STILL = { entries: Array(8).fill(0), eta: 0 };

// ---- settings: text becomes what it should be, and is checked ----
const INTEGERS = {
  season_steps: [1, 1e9], grid_size: [4, 4096], green: [0, 1e6], blue: [0, 1e6], view_width: [1, 41], view_depth: [1, 21],
  corridor: [1, 100], arm: [1, 100], bits: [2, 64], answers: [2, 16], stimuli: [1, 4096], neighbourhood: [4, 8],
};
const NUMBERS = { random_action: [0, 1], density: [0, 1], overlap: [0, 1], notice_distance: [0, 10000], notice_probability: [0, 1], alpha: [0, 1e6], weight_noise: [0, 10] };

function read(name, text, setting) {
  const whole = INTEGERS[name], [low, high] = whole ?? NUMBERS[name] ?? [];
  if (setting.choices.length && !setting.choices.includes(text)) refuse(`${name} is '${text}', but must be one of ${setting.choices.join(", ")}.`);
  if (low === undefined) return setting.choices.join() === "true,false" ? text === "true" : text;
  const value = Number(text);
  if (text.trim() === "" || !(value >= low && value <= high) || (whole && !Number.isInteger(value))) refuse(`${name} is '${text}', but must be a${whole ? " whole" : ""} number from ${low} to ${high}.`);
  return value;
}
const integer = (name, text, low, high) => {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) < low || BigInt(text) > high) refuse(`${name} is '${text}', but must be a whole number from ${low} to ${high}.`);
  return BigInt(text);
};
export function readWish(asked, known) {
  // What the address says, checked; settings that are not given are the usual ones.
  const about = known.worlds[asked.task] ?? refuse(`There is no world ${asked.task} here.`);
  const own = ["task", "rule", "hidden", "seed", "trial", "brains", "stop", "then", "at", "blame", "eligibility"], fields = [...about.settings, ...about.brain];
  const strange = Object.keys(asked).find((name) => !own.includes(name) && !fields.some((field) => field.name === name));
  if (strange) refuse(`${asked.task} has no setting '${strange}'.`);
  const values = Object.fromEntries(fields.map((field) => [field.name, read(field.name, String(asked[field.name] || field.value), field)]));
  const hidden = asked.hidden ? Number(integer("hidden", String(asked.hidden), 1n, 200n)) : about.hidden;
  const wish = {
    task: asked.task, about, values, hidden, rule: asked.rule || about.usual, blame: asked.blame ?? {}, eligibility: asked.eligibility ?? {},
    seed: String(integer("seed", String(asked.seed || 1), 0n, LARGEST)), trial: integer("trial", String(asked.trial || 0), 0n, LARGEST - 16n),
    brains: Number(integer("brains", String(asked.brains || 1), 1n, 16n)), stop: Number(integer("stop", String(asked.stop || 0), 0n, LARGEST)),
  };
  wish.then = readChanges(String(asked.then || ""), about, known.tables.papers);
  wish.furthest = Math.min(MOST_AHEAD, Math.floor(MOST_WORK / (wish.brains * hidden)));
  wish.at = Number(integer("at", String(asked.at || 0), 0n, BigInt(wish.furthest)));
  check(wish, asked);
  return wish;
}
const MOST_CHANGES = 100;
function readChanges(text, about, papers) {
  // "1200:00+-/0000@0.04;3000:winter" -> [[1200, "00+-/0000@0.04"], [3000, "winter"]]
  const changes = text.split(";").filter(Boolean).map((part) => {
    const [, step, what] = part.match(/^(\d{1,15}):(.+)$/) ?? refuse(`then has '${part}', but must be steps with rules or seasons, such as 1200:00+-/0000@0.04;3000:winter.`);
    if (!about.kinds.includes(what)) readRule(what, papers, 2);
    return [Number(step), what];
  });
  if (changes.length > MOST_CHANGES) refuse(`then has ${changes.length} changes, but at most ${MOST_CHANGES} are possible.`);
  if (changes.some(([step], at) => at && step < changes[at - 1][0])) refuse("the steps of then must not go down.");
  return changes;
}
function check({ values, about, blame, eligibility, task }, asked) {
  if (values.random_action > 0 && values.random_action < 1e-6) refuse(`random_action is ${values.random_action}, but must be 0 or a number from 1e-06 to 1; the nearest is 0.`);
  if (values.random_kind === "turn" && task === "association") refuse("random_kind is 'turn', but no action of association turns; the nearest is 'any'.");
  if (values.view_width % 2 === 0) refuse(`view_width is ${values.view_width}, but must be odd; the nearest is ${values.view_width + 1}.`);
  if (values.view_width * values.view_depth === 1) refuse("view_depth is 1, but must be at least 2 where view_width is 1, or nothing is seen.");
  if (values.neighbourhood && ![4, 8].includes(values.neighbourhood)) refuse(`neighbourhood is ${values.neighbourhood}, but must be 4 or 8.`);
  for (const kind of values.schedule.split(",")) if (!about.kinds.includes(kind.trim())) refuse(`schedule has '${kind}', but must be made of ${about.kinds.join(", ")}.`);
  for (const [name, weights] of Object.entries({ blame, eligibility })) {
    for (const [group, weight] of Object.entries(weights)) {
      if (!about.groups.includes(group) && !(group in about.associations)) refuse(`${name} is of '${group}', but must be of ${about.groups.join(", ")}, or of an association.`);
      if (!(Math.abs(weight) <= 1000)) refuse(`${name} of ${group} is ${weight}, but must be a number from -1000 to 1000.`);
    }
  }
  const graded = Object.keys(blame).length + Object.keys(eligibility).length > 0;
  values.special = graded || values.hidden_bias !== "plastic" || values.output_bias !== "plastic" || values.weight_noise > 0;
  if (!values.special || values.arithmetic === "plain") return;
  if (asked.arithmetic === "tallied") refuse("arithmetic is 'tallied', but blame, eligibility, noise and other biases need the plain one; leave it out.");
  values.arithmetic = "plain"; // the usual one gives way
}

// ---- one life ----
export class Life {
  constructor(wish, tables, at) {
    const World = WORLDS[wish.task], trial = wish.trial + BigInt(at);
    this.world = new World(wish.values, tables.worlds[wish.task], new Stream(wish.seed, trial, WORLD));
    const actions = World.actions?.(wish.values) ?? wish.about.actions;
    this.brain = new Brain([World.inputs(wish.values), wish.hidden, actions.length], wish.values, wish.values, wish.seed, trial);
    this.choices = wish.values.random_kind === "turn" ? TURNS : actions.map((_, action) => action);
    this.special = wish.values.special;
    if (this.special) this.judgements = weighted(wish, tables.groups[wish.task], actions.length);
    this.counts = Array(World.counts).fill(0); // of this season
    this.earlier = Array(World.counts).fill(0);
    this.fulfilled = []; // counts of the seasons that are over, one after the other
  }

  step(season) {
    const { world, brain } = this;
    world.sense(brain.senses);
    const action = brain.decide(this.choices, this.special), signal = world.judge(season, action);
    world.act(season, action, this.counts);
    if (signal !== 0 && !brain.random) {
      const half = signal < 0 ? 0 : 1;
      if (!this.special) brain.learn(half, action, null, 0);
      else {
        const { blame, eligibility } = this.judgements[season][world.association][action];
        brain.learn(half, action, blame, eligibility);
      }
    }
    if (this.special) brain.remember(action);
    this.last = [action, signal];
  }
}
function weighted(wish, groups, actions) {
  // [season][association][action]: the weights of an association's id go before those of its group.
  return groups.map((rows) => rows.map((row, id) => Array.from({ length: actions }, (_, action) => {
    const group = row[Math.min(action, row.length - 1)], find = (weights, usual) => weights[id] ?? weights[group] ?? usual;
    return { blame: find(wish.blame, 1), eligibility: find(wish.eligibility, 0) };
  })));
}

export class Session {
  constructor(wish, tables) {
    this.wish = wish;
    this.tables = tables;
    this.cycle = wish.values.schedule.split(",").map((kind) => wish.about.kinds.indexOf(kind.trim()));
    this.rule = readRule(wish.rule, tables.papers, 2);
    this.bornAnew(wish.then);
  }
  bornAnew(script = []) {
    const { wish } = this;
    this.script = [...script]; // changes that are still to be made, as a link says
    this.changes = []; // those that were made
    this.lives = Array.from({ length: wish.brains }, (_, at) => new Life(wish, this.tables, at));
    const { rows, columns } = this.lives[0].world.picture();
    if (rows * columns > MOST_CELLS) refuse(`a world of ${rows} x ${columns} cells is too large to watch; at most ${MOST_CELLS.toLocaleString("en")} cells are.`);
    this.lived = this.within = this.place = 0;
    this.seasons = { over: 0, size: 1, kinds: [], bars: [], waiting: [] };
    this.moment = null;
    this.trail = [];
    this.stop = wish.stop;
    this.liveBy(this.rule);
    this.begin(this.cycle[0]);
  }
  liveBy(rule) {
    this.rule = rule;
    for (const life of this.lives) life.brain.live(life.brain.layers.map((_, at) => (rule.length === 1 ? rule[0] : rule[at]) ?? STILL));
  }
  setRule(text) {
    this.liveBy(readRule(text, this.tables.papers, 2));
    const last = this.changes.at(-1);
    if (last?.[0] === this.lived && !this.wish.about.kinds.includes(last[1])) this.changes.pop(); // it never acted
    if (this.lived > 0 || this.changes.length) this.changes.push([this.lived, ruleText(this.rule)]);
  }
  get touched() { return this.changes.length > 0; }
  get then() {
    const all = [...this.changes, ...this.script];
    return all.length > MOST_CHANGES ? null : all.map((change) => change.join(":")).join(";");
  }
  makeChanges() {
    while (this.script.length && this.script[0][0] === this.lived) {
      const [, what] = this.script.shift(), kind = this.wish.about.kinds.indexOf(what);
      if (kind < 0) this.setRule(what);
      else this.setSeason(kind);
    }
  }
  setSeason(kind) {
    if (!(kind in this.wish.about.kinds)) refuse(`season is ${kind}, but must be a whole number from 0 to ${this.wish.about.kinds.length - 1}.`);
    this.endSeason();
    this.stop = this.isOver ? 0 : this.stop;
    if (this.cycle.includes(kind)) this.place = this.cycle.indexOf(kind);
    this.begin(kind);
    this.changes.push([this.lived, this.wish.about.kinds[kind]]);
  }
  get isOver() { return this.stop > 0 && this.seasons.over >= this.stop; }
  carryOn() { if (this.isOver) { this.stop = 0; this.nextSeason(); } }
  fitness() { return this.lives.map((life) => WORLDS[this.wish.task].fitness(this.wish.values, this.kind, life.counts)); }
  begin(kind) {
    this.kind = kind;
    this.within = 0;
    for (const life of this.lives) {
      life.earlier = life.earlier.map((count, at) => count + life.counts[at]);
      life.counts.fill(0);
      life.turned = false;
    }
  }
  endSeason() {
    if (this.within === 0 || this.isOver) return;
    const { seasons } = this, fitness = this.fitness();
    for (const life of this.lives) if (seasons.over < 1000) life.fulfilled.push(...life.counts);
    seasons.over++;
    seasons.waiting.push(fitness);
    if (seasons.waiting.length < seasons.size) return;
    seasons.bars.push(fitness.map((_, at) => seasons.waiting.reduce((sum, some) => sum + some[at], 0) / seasons.size));
    seasons.kinds.push(seasons.size === 1 ? this.kind : -1);
    seasons.waiting = [];
    if (seasons.bars.length < ROOM) return;
    seasons.bars = seasons.bars.filter((_, at) => at % 2 === 0).map((bar, at) => bar.map((value, life) => (value + seasons.bars[2 * at + 1][life]) / 2));
    seasons.kinds = seasons.bars.map(() => -1);
    seasons.size *= 2;
  }
  nextSeason() {
    this.place = (this.place + 1) % this.cycle.length;
    this.begin(this.cycle[this.place]);
  }
  get digest() {
    // Of all seasons that are over, as `hebbarium live --seasons` prints it; null where it would not be the same.
    if (this.touched || !this.seasons.over || this.seasons.over > 1000 || this.wish.trial > 0n) return null;
    return digest(this.lives.flatMap((life) => life.fulfilled));
  }

  advance(steps) {
    const one = this.lives.length === 1, { season_steps: long } = this.wish.values;
    this.makeChanges();
    while (steps > 0 && !this.isOver) {
      const part = Math.min(steps, long - this.within, (this.script[0]?.[0] ?? Infinity) - this.lived);
      for (const each of this.lives) {
        if (!each.turned) each.world.turn(this.kind);
        each.turned = true;
        const ahead = one ? Math.max(0, part - LOOK) : part;
        for (let step = 0; step < ahead; step++) each.step(this.kind);
        for (let step = ahead; step < part; step++) this.look(each, step === part - 1);
      }
      this.within += part;
      this.lived += part;
      steps -= part;
      if (this.within === long) { this.endSeason(); if (!this.isOver) this.nextSeason(); }
      this.makeChanges();
    }
  }
  look(life, last) {
    // One step that is written down, the last one with what went on in the brain.
    const { world, brain } = life;
    if (world.position !== undefined) this.trail.push(...place(world));
    if (this.trail.length > 2 * LOOK) this.trail.splice(0, this.trail.length - 2 * LOOK);
    if (!last) { life.step(this.kind); return; }
    const scene = world.picture(), weights = brain.layers.at(-1).weights.slice();
    world.sense(brain.senses);
    brain.feel();
    const active = brain.layers.slice(0, -1).map((layer) => layer.active.slice(0, -1).join("")), output = brain.layers.at(-1), hidden = brain.activeBefore(brain.layers.length - 1);
    const sums = Array.from({ length: output.posts }, (_, i) => hidden.reduce((sum, fires, j) => (fires ? sum + weights[j * output.posts + i] : sum), 0));
    const senses = brain.senses.slice(0, -1).join("");
    life.step(this.kind);
    this.moment = { senses, active, sums, action: life.last[0], random: brain.random, signal: life.last[1], association: world.association };
    this.scene = scene.agent ? null : scene; // what the network saw, where the next step shows another
  }
}
const place = (world) => (world.row ? [Math.floor(world.position / world.row) - world.reach + 1, world.position % world.row - world.reach + 1] : [Math.floor(world.position / world.side), world.position % world.side]);
