// Everything that is shown of a life, kept up to date from frames and drawn when the screen is.
import { bytes, byId, colour, countColour, element, isFaint, number, short, thingColour, words } from "./tools.js";
import { Picture, drawClose, drawWhole, isSmall } from "./picture.js";
import { Curve, drawLines, drawSeasons } from "./charts.js";
import { Weights, drawHeat, drawNetwork, makeHeats } from "./network.js";
import { Many } from "./many.js";

const SELDOM = 100; // milliseconds between two drawings of charts
const BLUR = 2000; // steps a second beyond which single steps are shown as seldom

export class View {
  constructor(rule, chosen, drawn) {
    this.rule = rule;
    this.drawn = drawn; // told how many frames are on the screen now
    this.many = new Many(chosen);
    this.waiting = 0;
    this.asked = false;
    this.charted = 0;
    this.world = null;
    document.addEventListener("redraw", () => this.ask(true));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.world && this.explain());
  }

  begin(life, world) {
    this.life = life;
    this.world = world;
    this.frame = null;
    this.weights = null;
    this.digest = null;
    this.charted = 0; // all of a new life is drawn at once
    if (String(life.layers) !== this.shape) {
      // Whoever is at one of them stays there while the network has the same shape.
      this.shape = String(life.layers);
      this.heats = makeHeats(life.layers, () => this);
      byId("heats").replaceChildren(...this.heats.map(({ figure }) => figure));
    }
    this.pictures = Array.from({ length: life.brains }, () => new Picture(life, world));
    this.curve = new Curve(world.counts);
    this.seasons = { size: 1, kinds: [], bars: [] };
    const several = life.brains > 1;
    byId("alone").hidden = several;
    byId("many").hidden = !several;
    for (const id of ["step-card", "weights-card"]) byId(id).hidden = several;
    byId("stage").classList.toggle("several", several);
    byId("world").style.aspectRatio = `${life.columns} / ${life.rows}`;
    if (several) this.many.begin(life.brains, life.trial);
    byId("means").hidden = !several;
    byId("means").textContent = `The figures are means of the ${life.brains} brains; in the chart of fitness each brain is a dot.`;
    byId("who").textContent = several ? `${life.brains} brains of seed ${life.seed}` : `brain ${number(life.trial + 1)} of seed ${life.seed}`;
    this.explain();
    this.forgetStep();
    this.figures = new Map(["step", "season", "fitness", ...world.counts, "pace"].map((name) => [name, element("dd", {})]));
    byId("figures").replaceChildren(...[...this.figures].map(([name, value]) => element("div", {}, element("dt", {}, name === "pace" ? "steps/s" : words(name)), value)));
    this.rule.tally(null);
  }

  explain() {
    // The legend; what a thing means may change with the season, and follows in the figures.
    const { life, world } = this;
    this.meanings = [];
    const lines = world.legend.filter((thing) => thing.colour).map((thing) => {
      const dot = element("i", {}), meaning = element("b", {}), told = world.meanings?.[thing.name];
      dot.style.background = thingColour(thing);
      dot.classList.toggle("faint", isFaint(thingColour(thing), colour("card")));
      if (told) this.meanings.push([meaning, told]);
      return element("li", {}, dot, thing.name, meaning);
    });
    if (life.agent) lines.push(element("li", {}, element("i", { class: "agent" }), life.senses ? "the agent and what it senses" : "the agent"));
    byId("legend").replaceChildren(...lines);
  }

  stand() {
    // Nothing moves any more.
    if (this.figures) this.figures.get("pace").textContent = "–";
  }

  forgetStep() {
    byId("judged").textContent = "Nothing has happened yet.";
    byId("judged").className = "";
    this.rule.fire(0);
  }

  take(frame) {
    // Merge what is new; drawing waits for the screen.
    if (!this.world) return;
    this.frame = frame;
    frame.lives.forEach((seen, at) => this.pictures[at].take(seen, bytes));
    if (frame.trail) this.pictures[0].trail = frame.agent === null ? [] : [...frame.trail, ...(frame.lives[0].agent || []).slice(0, 2)];
    if (frame.seasons) this.seasons = frame.seasons;
    if (frame.weights) {
      this.weights = frame.weights.map((layer, at) => new Weights(layer, this.weights?.[at]));
      this.heated = false;
    }
    if (frame.digest !== undefined) this.digest = frame.digest;
    if (frame.kinds !== undefined) this.kinds = frame.kinds;
    this.curve.take(frame);
  }

  show(frame) {
    this.take(frame);
    this.waiting++;
    this.ask();
  }

  ask(all = false) {
    if (all) [this.charted, this.heated] = [0, false];
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => {
      this.asked = false;
      if (this.world && this.frame) this.draw(now);
      const count = this.waiting;
      this.waiting = 0;
      if (count) this.drawn(count);
    });
  }

  draw(now) {
    const { frame, pictures } = this, seldom = !this.charted || now - this.charted >= SELDOM;
    if (this.life.brains > 1) this.many.draw(pictures, frame);
    else {
      drawWhole(byId("world"), pictures[0], frame.kind);
      if (seldom || frame.pace < BLUR) this.drawStep();
    }
    this.tellFigures();
    clearTimeout(this.later);
    if (!seldom) {
      this.later = setTimeout(() => this.ask(), SELDOM);
      return;
    }
    this.charted = now;
    this.drawSeldom();
  }

  drawStep() {
    const { frame } = this, picture = this.pictures[0];
    byId("near-box").hidden = !picture.agent || isSmall(this.life);
    drawClose(byId("near"), picture, frame.kind);
    byId("caption").hidden = !frame.lives[0].caption;
    byId("caption").textContent = frame.lives[0].caption || "";
    drawNetwork(byId("network"), frame.moment, this.weights, this.life);
    if (frame.moment) this.judge(frame.moment);
    else this.forgetStep(); // at birth, where a recorded life may come back to
  }

  drawSeldom() {
    const { frame, world } = this;
    const now = { fitness: frame.lives.map((life) => life.fitness), kind: frame.kind, over: frame.over };
    drawSeasons(byId("fitness"), this.seasons, now, world.kinds, this.life.usual ? world.marks : null);
    drawLines(byId("collected"), this.curve.lines(countColour, world.counts, frame.lived), this.curve.shades(frame.lived), frame.lived);
    this.rule.tally(frame.acted || null);
    if (this.weights && !this.heated) this.drawWeights();
    const picture = `${world.name}, ${world.kinds[frame.kind]}, step ${number(frame.lived)}`;
    byId("world").setAttribute("aria-label", picture);
    document.documentElement.dataset.charted = frame.lived; // for tests: the charts show this step
  }

  drawWeights() {
    const { layers } = this.life, hidden = layers.slice(1, -1).reduce((sum, size) => sum + size, 0);
    const glowing = this.heats.filter(({ canvas }, at) => drawHeat(canvas, this.weights[at], layers[at + 1], this.weights[at].shades.length / layers[at + 1]));
    this.heated = !glowing.length;
    if (glowing.length) { clearTimeout(this.cooling); this.cooling = setTimeout(() => this.ask(), SELDOM); }
    byId("distinct").textContent = hidden ? `${hidden} hidden neurons, ${this.kinds === hidden ? "all different" : this.kinds === 1 ? "all alike" : `${this.kinds} kinds`}` : "";
    byId("distinct").title = "Neurons whose weights agree to six digits are of one kind.";
    byId("distinct").className = this.kinds === 1 && hidden > 1 ? "merged" : "";
  }

  judge(moment) {
    // The association that fired, in words.
    const [sensor, behaviour] = this.world.associations[moment.association] || ["", ""];
    const told = moment.signal > 0 ? "rewarded" : moment.signal < 0 ? "punished" : "neither rewarded nor punished";
    const line = byId("judged");
    line.replaceChildren(
      ...(sensor ? ["Sensed ", element("b", {}, sensor), "; "] : []),
      "did ", element("b", {}, this.life.actions[moment.action]), moment.random ? " at random" : "", ": ",
      element("b", { class: "told" }, told),
      moment.random && moment.signal ? ". Random steps teach nothing" : "", ".",
      ...(sensor ? [element("small", {}, `association ${moment.association}: ${sensor}, ${behaviour.toLowerCase()}`)] : []),
    );
    line.className = moment.signal > 0 ? "rewarded" : moment.signal < 0 ? "punished" : "";
    this.rule.fire(moment.random ? 0 : moment.signal);
  }

  tellFigures() {
    const { frame, world } = this, lives = frame.lives;
    const mean = (of) => short(lives.reduce((sum, life) => sum + of(life), 0) / lives.length);
    const tell = (name, text) => { const cell = this.figures.get(name); if (cell.textContent !== text) cell.textContent = text; };
    tell("step", number(frame.lived));
    tell("season", world.kinds.length > 1 ? `${frame.season + 1}, ${world.kinds[frame.kind]}` : number(frame.season + 1));
    tell("fitness", mean((life) => life.fitness));
    world.counts.forEach((name, at) => tell(name, mean((life) => life.counts[at])));
    tell("pace", frame.pace && document.documentElement.dataset.playing !== "no" ? (frame.pace >= 1e6 ? `${(frame.pace / 1e6).toFixed(1)} million` : number(Math.round(frame.pace))) : "–");
    for (const [line, told] of this.meanings) line.textContent = `: ${told[frame.kind]}`;
    for (const button of byId("seasons").children) button.setAttribute("aria-pressed", String(Number(button.value) === frame.kind));
  }
}
