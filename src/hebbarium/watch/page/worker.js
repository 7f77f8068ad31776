// In a worker: hears what the page asks for, and tells it what a server would tell.
import { rootsHold } from "./streams.js";
import { BadInput, Session, notation, readWish, ruleText } from "./life.js";
import { WORLDS } from "./worlds.js";

const IN_FLIGHT = 2, FRAME = 20, BUSY = 16, FEW = 83, GOING = 250; // milliseconds, but for the first

let known = null, session = null, camera = null, journey = 0, told = null; // told: the rule that the page shows
let playing = false, speed = 60, inFlight = 0, most = 100, owed = 0, last = 0, shown = 0, timer = null;
let measured = 0, since = 0, counted = 0;
const tell = (message) => self.postMessage(message);
const round = (value, digits) => Number(value.toFixed(digits));

// ---- what is told ----
function aboutLife({ wish, lives }) {
  const { rows, columns, agent, view } = lives[0].world.picture(), World = WORLDS[wish.task];
  const inputs = World.inputs(wish.values), actions = World.actions?.(wish.values) ?? wish.about.actions;
  return {
    type: "life", task: wish.task, hidden: wish.hidden, seed: wish.seed, trial: Number(wish.trial), brains: wish.brains, stop: wish.stop,
    usual: isUsual(wish), view: wish.task === "prey-predator" ? lives[0].world.view : null,
    layers: [inputs, wish.hidden, actions.length], actions, inputs: inputs === wish.about.inputs.length ? wish.about.inputs : Array.from({ length: inputs }, (_, at) => String(at + 1)),
    blame: wish.blame, eligibility: wish.eligibility, rows, columns, agent: Boolean(agent), senses: Boolean(view?.length), furthest: wish.furthest, season_steps: wish.values.season_steps,
  };
}
function isUsual({ values, about }) {
  // Whether others scored in this very world.
  return about.settings.every(({ name, value }) => String(values[name]) === value || Number(value) === values[name]);
}
function aboutRule() {
  told = session.rule;
  const parts = session.rule, plain = parts.map((part) => (part ? notation(part) : "frozen")).join(",");
  const words = parts.map(inWords), families = parts.map(familyOf), names = [...parts.slice(0, -1).map((_, at) => (parts.length > 2 ? `Hidden layer ${at + 1}` : "Hidden layer")), "Output layer"];
  return {
    type: "rule", rule: ruleText(parts), notation: plain, parts, touched: session.touched, then: session.then,
    words: parts.length === 1 ? words[0] : words.map((line, at) => `${names[at]}: ${line}`).join(" "),
    family: parts.length === 1 ? families[0] : families.map((family, at) => `${names[at].toLowerCase()} ${family}`).join("; "),
    paper: Object.keys(known.tables.papers).filter((name) => known.tables.papers[name][0] === plain),
  };
}
function halvesOf(part) { return notation(part).split("/").map((half) => known.tables.halves[half]); }
function inWords(part) {
  if (!part) return "No synapse ever changes.";
  const [[punished, first], [rewarded, second]] = halvesOf(part);
  if (first === "nothing" && second === "nothing") return "No synapse ever changes.";
  if (punished === rewarded) return `Whether the agent is punished or rewarded, ${punished}.`;
  if (second === "nothing") return `When the agent is punished, ${punished}. Reward changes nothing.`;
  if (first === "nothing") return `When the agent is rewarded, ${rewarded}. Punishment changes nothing.`;
  return `When the agent is punished, ${punished}. When it is rewarded, ${rewarded}.`;
}
function familyOf(part) {
  if (!part) return "frozen";
  const [[, punished], [, rewarded]] = halvesOf(part);
  if (punished === rewarded) return punished === "nothing" ? "inert" : punished;
  if (rewarded === "nothing") return `punishment-only, ${punished}`;
  if (punished === "nothing") return `reward-only, ${rewarded}`;
  if (punished === "anti-Hebbian" && rewarded === "Hebbian") return "reward-modulated Hebbian";
  if (punished === "Hebbian" && rewarded === "anti-Hebbian") return "reward-modulated anti-Hebbian";
  return `${punished} on punishment, ${rewarded} on reward`;
}

class Camera {
  // Takes frames, each with what is new since the one before.
  constructor(watched) {
    this.session = watched;
    this.over = -1;
    this.weights = null;
  }
  frame() {
    const now = this.session, { lives, seasons, moment } = now, fitness = now.fitness(), one = lives.length === 1;
    const message = {
      type: "frame", lived: now.lived, season: seasons.over - (now.isOver ? 1 : 0), kind: now.kind, within: now.within, over: now.isOver, touched: now.touched, then: now.then, pace: playing ? round(measured, 1) : 0,
      lives: lives.map((life, at) => {
        const { cells, agent, view, caption } = (one && moment && now.scene) || life.world.picture();
        return { cells: cells.slice(), agent, view: one ? view : undefined, caption, fitness: round(fitness[at], 2), counts: [...life.counts], total: life.counts.map((count, place) => count + life.earlier[place]) };
      }),
    };
    if (seasons.over !== this.over) {
      this.over = seasons.over;
      message.seasons = { size: seasons.size, kinds: seasons.kinds, bars: seasons.bars.map((bar) => bar.map((value) => round(value, 1))) };
      message.digest = now.digest;
    }
    if (one) Object.assign(message, this.brain(lives[0].brain), { trail: [...now.trail] }, moment ? { moment: { ...moment, sums: moment.sums.map((sum) => round(sum, 3)) } } : {});
    return message;
  }
  brain({ layers, acted }) {
    const message = { acted: acted.map((counts) => [...counts]) }, weights = layers.map((layer) => layer.weights);
    if (this.weights && weights.every((now, at) => now.every((weight, place) => weight === this.weights[at][place]))) return message;
    this.weights = weights.map((now) => now.slice());
    return { ...message, weights: layers.map(shades), kinds: kindsOf(layers[0]) };
  }
}
function shades({ weights, pres, posts }) {
  // In 255 shades, the largest being `scale`. Here [post, pre].
  const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) || 1, made = new Int8Array(weights.length);
  for (let pre = 0; pre < pres; pre++) for (let post = 0; post < posts; post++) made[post * pres + pre] = Math.round(weights[pre * posts + post] / scale * 127);
  return { scale: round(scale, 4), shades: made };
}
function kindsOf({ weights, pres, posts }) {
  // Neurons whose weights agree to six digits are of one kind.
  return new Set(Array.from({ length: posts }, (_, post) => Array.from({ length: pres }, (__, pre) => Math.round(weights[pre * posts + post] * 1e6) || 0).join())).size;
}

// ---- time ----
function restartTime() {
  owed = 1;
  counted = 0;
  last = since = performance.now();
}
function due(now) {
  if (now - last < FRAME) return 0;
  if (speed === 0) { last = now; return most; }
  const all = Math.min(owed + (now - last) / 1000 * speed, 1 + speed / 5);
  if (all < 1) return 0;
  last = now;
  const steps = Math.min(Math.floor(all), most);
  owed = all - steps;
  return steps;
}
function live(steps) {
  const start = performance.now();
  session.advance(steps);
  const now = performance.now();
  most = Math.floor(Math.min(8 * most, Math.max(1, BUSY * steps / Math.max(now - start, 0.05))));
  counted += steps;
  if (now - since > 500) [measured, counted, since] = [counted / (now - since) * 1000, 0, now];
}
function show() {
  if (session.rule !== told) tell(aboutRule()); // changed on the way, as the address says
  inFlight++;
  shown = performance.now();
  tell(camera.frame());
}
function pause() {
  playing = false;
  tell({ type: "pace", playing, speed });
}
function tick() {
  timer = null;
  try { work(); } catch (error) { playing = false; journey = 0; tell({ type: "error", text: error.message }); }
  if (session && (playing || journey)) timer = setTimeout(tick, journey ? 0 : Math.max(4, speed ? Math.min(250, 500 / speed) : 0));
}
function work() {
  const now = performance.now();
  if (journey) {
    while (session.lived < journey && !session.isOver && performance.now() - now < 100) live(Math.min(most, journey - session.lived));
    if (session.lived < journey && !session.isOver) {
      if (now - shown > GOING) { shown = now; tell({ type: "going", to: journey, share: round(session.lived / journey, 3) }); }
      return;
    }
    journey = 0;
    restartTime();
    show();
  } else if (playing && inFlight < IN_FLIGHT) {
    const steps = due(now);
    if (!steps) return;
    live(steps);
    if (session.isOver) pause();
    if (session.lives.length === 1 || session.isOver || now - shown > FEW) show();
  }
}

// ---- orders ----
function takePace({ speed: wanted = speed, playing: going = playing }) {
  if (!(wanted >= 0 && wanted <= 1e9)) throw new BadInput(`speed is ${wanted}, but must be a number from 0 to 1e9.`);
  [speed, playing] = [wanted, going];
  restartTime();
}
function stopHere() {
  // A change on the way to a far step is made where the life is now.
  if (!journey) return;
  journey = 0;
  show();
}
const ORDERS = {
  start(asked) {
    const wish = readWish(asked.life, known), born = new Session(wish, known.tables);
    check(wish.task);
    takePace(asked);
    session = born;
    camera = new Camera(session);
    journey = wish.at;
    tell({ ...aboutLife(session), mark: asked.mark ?? 0 });
    tell(aboutRule());
    if (!journey) show();
  },
  again() {
    journey = 0;
    session.bornAnew();
    camera = new Camera(session);
    tell(aboutLife(session));
    show();
  },
  rule({ rule, mark }) { session.setRule(rule); tell({ ...aboutRule(), mark }); stopHere(); },
  season({ kind }) { journey = 0; session.setSeason(kind); show(); },
  pace(asked) {
    takePace(asked);
    if (asked.playing) session?.carryOn();
    tell({ type: "pace", playing, speed });
  },
  step() {
    journey = 0;
    session.carryOn();
    session.advance(1);
    pause();
    show();
  },
  drawn() { inFlight = Math.max(0, inFlight - 1); },
};

const checked = new Set();
function check(task) {
  // Before a world's first life: arithmetic here is hebbarium's if roots are exact and a short life there has its known digest.
  if (checked.has(task)) return;
  const { life, steps, digest } = known.goldens[task], lived = new Session(readWish(life, known), known.tables);
  lived.advance(steps);
  if (!rootsHold() || lived.digest !== digest) throw new Error("This browser computes differently from hebbarium: a life lived here would not be the one that the command line lives, so none is shown.");
  checked.add(task);
}

self.onmessage = ({ data }) => {
  if (data.known) {
    known = { ...data.known, worlds: data.known.hello.worlds };
    tell(known.hello);
    return;
  }
  try {
    ORDERS[data.do]?.(data);
  } catch (error) {
    tell({ type: "error", text: error.message, do: data.do, mark: data.mark });
  }
  if (timer === null) tick();
};
