// A network that learns: the paper's three equations, in the order of hebbarium's own sums.
import { BRAIN, Stream, drawGap, drawNormal, gapTable } from "./streams.js";

const TINY = 2 ** -500, RECOUNT = 64, NOISE = 0x4015e;
const UNCHANGED = ["unchanged", "fixed", "none"], UNSCALED = ["unscaled", "fixed", "none"];

class Layer {
  // weights: [pre, post], the bias being the last of pre
  constructor(pres, posts, bias) {
    this.pres = pres + 1;
    this.posts = posts;
    this.weights = new Float64Array(this.pres * posts);
    this.factors = new Float64Array(posts);
    this.sums = new Float64Array(posts);
    this.active = new Uint8Array(posts + 1);
    this.active[posts] = 1;
    this.before = new Uint8Array(posts + 1); // the same of the step before
    this.bias = bias;
    this.changed = this.pres - UNCHANGED.includes(bias);
    this.scaled = this.pres - UNSCALED.includes(bias);
    this.totals = new Float64Array(posts);
    this.squares = new Float64Array(posts);
  }

  bear(stream) {
    for (let post = 0; post < this.posts; post++) for (let pre = 0; pre < this.pres; pre++) this.weights[pre * this.posts + post] = 2 * stream.unit() - 1;
    this.scale(this.pres);
  }

  activate(pre) {
    const { sums, weights, posts } = this;
    sums.fill(0);
    for (let j = 0; j < this.pres; j++) if (pre[j]) for (let i = 0, at = j * posts; i < posts; i++) sums[i] += weights[at + i];
  }

  change(table, pre, post, rows) {
    // table: [pre active][post active], eta times the rule
    const { weights, posts } = this;
    for (let j = 0; j < rows; j++) {
      const silent = table[pre[j] ? 2 : 0], active = table[pre[j] ? 3 : 1];
      for (let i = 0, at = j * posts; i < posts; i++) weights[at + i] += post[i] ? active : silent;
    }
  }

  scale(rows, tiny = TINY) {
    const { weights, posts, factors } = this, end = rows * posts;
    factors.fill(0);
    for (let at = 0, i = 0; at < end; at++) { factors[i] += weights[at] * weights[at]; if (++i === posts) i = 0; }
    for (let i = 0; i < posts; i++) factors[i] = factors[i] > 0 ? 1 / Math.sqrt(factors[i]) : 1;
    for (let at = 0, i = 0; at < end; at++) {
      const weight = weights[at] * factors[i];
      weights[at] = Math.abs(weight) > tiny ? weight : 0;
      if (++i === posts) i = 0;
    }
  }

  addNoise(deviation, stream, rows) {
    if (deviation > 0) for (let at = 0; at < rows * this.posts; at++) this.weights[at] += deviation * drawNormal(stream);
  }

  // ---- the tallied arithmetic: running sums of each neuron's weights and of their squares ----
  vanish() {
    for (let at = 0; at < this.weights.length; at++) if (Math.abs(this.weights[at]) <= TINY) this.weights[at] = 0;
  }
  recount() {
    const { weights, posts, totals, squares } = this;
    this.vanish();
    totals.fill(0);
    squares.fill(0);
    for (let at = 0, i = 0; at < weights.length; at++) {
      totals[i] += weights[at];
      squares[i] += weights[at] * weights[at];
      if (++i === posts) i = 0;
    }
  }
  changeTallied(table, pre) {
    const { weights, posts, pres, totals, squares, sums } = this;
    let active = 0;
    for (let j = 0; j < pres; j++) active += pre[j] ? 1 : 0;
    for (let i = 0; i < posts; i++) {
      const fires = sums[i] > 0 ? 1 : 0, toSilent = table[fires], toActive = table[2 + fires];
      const cross = toSilent * totals[i] + (toActive - toSilent) * sums[i];
      const own = (pres - active) * toSilent * toSilent + active * toActive * toActive;
      const length = squares[i] + (cross + cross) + own, factor = length > 0 ? 1 / Math.sqrt(length) : 1;
      const added = pres * toSilent + active * (toActive - toSilent);
      totals[i] = (totals[i] + added) * factor;
      squares[i] = length * factor * factor;
      for (let j = 0, at = i; j < pres; j++, at += posts) {
        const weight = (weights[at] + (pre[j] ? toActive : toSilent)) * factor;
        weights[at] = pre[j] && Math.abs(weight) <= TINY ? 0 : weight;
      }
    }
  }
}

export class Brain {
  // sizes: inputs, hidden neurons of each layer, outputs. settings: those of hebbarium's Brain.
  constructor(sizes, settings, world, seed, trial) {
    this.settings = settings;
    this.stream = new Stream(seed, trial, BRAIN);
    const last = sizes.length - 2;
    this.layers = sizes.slice(1).map((size, at) => new Layer(sizes[at], size, at === last ? settings.output_bias : settings.hidden_bias));
    for (const layer of this.layers) layer.bear(this.stream);
    this.survival = gapTable(world.random_action);
    this.gap = drawGap(this.stream, this.survival);
    for (const layer of this.layers) if (layer.bias === "none") { layer.weights.fill(0, (layer.pres - 1) * layer.posts); layer.scale(layer.pres); }
    if (settings.born_alike) for (const { weights, posts } of this.layers.slice(0, -1)) weights.forEach((_, at) => { weights[at] = weights[at - at % posts]; });
    this.noise = new Stream(seed, trial, BRAIN, NOISE);
    this.senses = new Uint8Array(sizes[0] + 1);
    this.senses[sizes[0]] = 1;
    this.sensesBefore = new Uint8Array(sizes[0] + 1);
    this.actionBefore = -1;
    this.won = new Uint8Array(sizes.at(-1));
    this.changes = 0;
    this.onlyUnseeing = world.random_where === "nothing-sensed";
    this.tallied = settings.arithmetic === "tallied";
  }

  live(rule) {
    // From now on. rule: for each layer {entries, eta}
    this.rule = rule;
    this.tables = rule.map(({ entries, eta }) => [0, 4].map((half) => entries.slice(half, half + 4).map((entry) => eta * entry)));
    this.plastic = rule.map(({ entries }) => [0, 4].map((half) => entries.slice(half, half + 4).some((entry) => entry !== 0)));
    this.acted = rule.map(() => new Float64Array(8));
  }

  decide(choices, special) {
    // The action, and whether it was random: what is sensed stands in `senses`.
    const free = !(this.onlyUnseeing && this.senses.indexOf(1) < this.senses.length - 1);
    this.random = free && this.gap === 0;
    if (this.random) {
      const action = choices[this.stream.below(choices.length)];
      this.gap = drawGap(this.stream, this.survival);
      if (special) this.feel();
      return action;
    }
    if (free) this.gap--;
    this.feel();
    const output = this.layers.at(-1);
    output.activate(this.activeBefore(this.layers.length - 1));
    return this.winner(output.sums);
  }

  activeBefore(at) { return at ? this.layers[at - 1].active : this.senses; }

  feel() {
    // The hidden neurons' activities.
    for (let at = 0; at < this.layers.length - 1; at++) {
      const layer = this.layers[at];
      layer.activate(this.activeBefore(at));
      for (let i = 0; i < layer.posts; i++) layer.active[i] = layer.sums[i] > 0 ? 1 : 0;
    }
  }

  winner(sums) {
    let best = 0, ties = 1;
    for (let i = 1; i < sums.length; i++) {
      if (sums[i] > sums[best]) [best, ties] = [i, 1];
      else if (sums[i] === sums[best]) ties++;
    }
    if (ties === 1 || this.settings.ties === "first") return best;
    let chosen = this.stream.below(ties);
    for (let i = best; i < sums.length; i++) if (sums[i] === sums[best] && chosen-- === 0) return i;
    return best;
  }

  learn(half, action, blame, eligibility) {
    // blame: null for lives like the paper's
    if (!this.plastic.some((halves) => halves[half])) return;
    this.won.fill(0);
    this.won[action] = 1;
    if (blame === 0) return;
    this.count(half);
    if (this.tallied) this.learnTallied(half);
    else if (blame === null) this.layers.forEach((layer, at) => { if (this.plastic[at][half]) { layer.change(this.tables[at][half], this.activeBefore(at), this.post(at), layer.pres); layer.scale(layer.pres); } });
    else this.learnSpecially(half, blame, eligibility);
  }
  post(at) { return at === this.layers.length - 1 ? this.won : this.layers[at].active; }

  learnSpecially(half, blame, eligibility) {
    const reach = this.actionBefore >= 0 ? blame * eligibility : 0, last = this.layers.length - 1;
    const wonBefore = this.won.map((_, at) => (at === this.actionBefore ? 1 : 0));
    this.layers.forEach((layer, at) => {
      if (!this.plastic[at][half]) return;
      const table = this.tables[at][half];
      layer.change(table.map((value) => blame * value), this.activeBefore(at), this.post(at), layer.changed);
      if (reach !== 0) layer.change(table.map((value) => reach * value), at ? this.layers[at - 1].before : this.sensesBefore, at === last ? wonBefore : layer.before, layer.changed);
      layer.addNoise(this.settings.weight_noise, this.noise, layer.changed);
      layer.scale(layer.scaled);
    });
  }

  learnTallied(half) {
    const [hidden, output] = this.layers;
    if (this.changes % RECOUNT === 0) { hidden.recount(); output.vanish(); }
    this.changes++;
    if (this.plastic[1][half]) { output.change(this.tables[1][half], hidden.active, this.won, output.pres); output.scale(output.pres, -1); }
    if (this.plastic[0][half]) hidden.changeTallied(this.tables[0][half], this.senses);
  }

  remember(action) {
    // This step is the step before the next.
    this.sensesBefore.set(this.senses);
    for (const layer of this.layers) layer.before.set(layer.active);
    this.actionBefore = action;
  }

  count(half) {
    // How many synapses each entry of the rule has changed.
    this.layers.forEach((layer, at) => {
      if (!this.plastic[at][half]) return;
      const { entries } = this.rule[at], from = this.activeBefore(at), onto = this.post(at);
      let pre = 0, post = 0;
      for (let j = 0; j < layer.changed; j++) pre += from[j];
      for (let i = 0; i < layer.posts; i++) post += onto[i];
      const acted = this.acted[at], first = 4 * half;
      if (entries[first]) acted[first] += (layer.changed - pre) * (layer.posts - post);
      if (entries[first + 1]) acted[first + 1] += (layer.changed - pre) * post;
      if (entries[first + 2]) acted[first + 2] += pre * (layer.posts - post);
      if (entries[first + 3]) acted[first + 3] += pre * post;
    });
  }
}
