// The worlds, as hebbarium has them: what is sensed, judged and done, drawn from the same streams in the same order.
import { mixedLow } from "./streams.js";

const LEFT = 0, STRAIGHT = 1, RIGHT = 2, BLUE = 1, GREEN = 2, WALL = 3, SUMMER = 0;
const FORTH = [[-1, 0], [0, 1], [1, 0], [0, -1]]; // north, east, south, west
const freeSide = (settings) => (settings.wall === "inside" ? settings.grid_size - 2 : settings.grid_size);
const full = (settings, kind) => { if (settings.green + settings.blue > freeSide(settings) ** 2 - 2) throw new Error(`${settings.green + settings.blue} ${kind} do not fit in ${freeSide(settings)} x ${freeSide(settings)} free cells.`); };

export class Foraging {
  static counts = 3;
  constructor(settings, tables, stream) {
    full(settings, "items");
    Object.assign(this, { settings, stream, side: freeSide(settings) + 2, free: freeSide(settings), tables: tables[settings.priority] });
    this.ahead = [-this.side, 1, this.side, -1];
    this.cells = walled(this.side);
    this.position = this.anyCell();
    this.direction = stream.below(4);
    for (let item = 0; item < settings.green + settings.blue; item++) this.place(this.position, item < settings.green ? GREEN : BLUE);
  }
  static inputs() { return 6; }
  turn() {}
  anyCell() {
    const cell = this.stream.below(this.free * this.free), row = Math.floor(cell / this.free);
    return (row + 1) * this.side + cell - row * this.free + 1;
  }
  place(position, item) {
    for (;;) {
      const cell = this.anyCell();
      if (this.cells[cell] || cell === position) continue;
      this.cells[cell] = item;
      return;
    }
  }
  look() {
    const { cells, ahead, position, direction } = this;
    return cells[position + ahead[(direction + 3) & 3]] << 4 | cells[position + ahead[direction]] << 2 | cells[position + ahead[(direction + 1) & 3]];
  }
  sense(senses) {
    const seen = this.seen = this.look();
    for (let bit = 0; bit < 6; bit++) senses[bit] = (seen >> (5 - bit)) & 1;
  }
  judge(season, action) {
    const at = (season * 64 + this.seen) * 3 + action;
    this.association = this.tables.associations[at];
    return this.tables.signals[at];
  }
  act(season, action, counts) {
    const turned = (this.direction + action + 3) & 3, target = this.position + this.ahead[turned], thing = this.cells[target];
    if (thing === WALL) {
      counts[2]++;
      if (this.settings.turn_at_wall) this.direction = turned;
      return;
    }
    [this.position, this.direction] = [target, turned];
    if (!thing) return;
    counts[thing === GREEN ? 0 : 1]++;
    this.cells[target] = 0;
    this.place(target, thing);
  }
  picture() { return gridPicture(this.side, this.cells, [Math.floor(this.position / this.side), this.position % this.side], this.direction, [[0, -1], [1, 0], [0, 1]]); }
  static fitness(settings, kind, counts) { return (kind === SUMMER ? 1 : -1) * (counts[0] - counts[1]); }
}

function walled(side) {
  const cells = new Uint8Array(side * side);
  for (let at = 0; at < side; at++) cells[at] = cells[(side - 1) * side + at] = cells[at * side] = cells[at * side + side - 1] = WALL;
  return cells;
}
function gridPicture(side, cells, [row, column], direction, view) {
  const [down, along] = FORTH[direction], [downRight, alongRight] = FORTH[(direction + 1) % 4];
  const seen = view.map(([a, r]) => [row + a * down + r * downRight, column + a * along + r * alongRight]);
  return { rows: side, columns: side, cells, agent: [row, column, direction], view: seen.filter((place) => Math.min(...place) >= 0 && Math.max(...place) < side).flat() };
}

export class TMaze {
  static counts = 3;
  constructor(settings) {
    const turns = settings.maze === "double" ? 2 : 1;
    Object.assign(this, { settings, turns, corridor: settings.corridor, arm: settings.arm, trip: settings.corridor + turns * settings.arm, walked: 0, way: 0, goal: -1 });
  }
  static inputs(settings) { return settings.maze === "double" ? 5 : 4; }
  turn(season) { this.goal = season + this.turns - 1; }
  isTurn(walked) { return walked >= this.corridor && (walked - this.corridor) % this.arm === 0; }
  sense(senses) {
    senses.fill(0, 0, senses.length - 1);
    const { walked, corridor } = this;
    if (this.isTurn(walked)) senses[walked === corridor ? 2 : 4] = 1;
    else senses[walked === 0 ? 0 : walked < corridor ? 1 : 3] = 1;
  }
  mayGo(action) { return (action !== STRAIGHT) === this.isTurn(this.walked); }
  after(action) { return this.isTurn(this.walked) ? 2 * this.way + (action === RIGHT ? 1 : 0) : this.way; }
  judge(season, action) {
    const [signal, association] = !this.mayGo(action) ? (this.settings.bumps === "punished" ? [-1, 4] : [0, 5])
      : this.walked + 1 < this.trip ? [0, 3] : this.after(action) === this.goal ? [1, 1] : [-1, 2];
    this.association = association;
    return signal;
  }
  act(season, action, counts) {
    if (!this.mayGo(action)) { counts[2]++; return; }
    this.way = this.after(action);
    if (++this.walked < this.trip) return;
    counts[this.way === this.goal ? 0 : 1]++;
    this.walked = this.way = 0;
  }
  path(end) {
    // Row, column and direction at home and after each step.
    let row = this.arm * (this.turns - 1) + this.corridor, column = this.arm, direction = 0;
    const places = [[row, column, direction]];
    for (let step = 0; step < this.trip; step++) {
      if (this.isTurn(step)) direction = (direction + (end >> (this.turns - 1 - (step - this.corridor) / this.arm) & 1 ? 1 : 3)) % 4;
      row += FORTH[direction][0];
      column += FORTH[direction][1];
      places.push([row, column, direction]);
    }
    return places;
  }
  picture() {
    this.paths ??= Array.from({ length: 2 ** this.turns }, (_, end) => this.path(end));
    const middle = this.arm * (this.turns - 1), rows = middle + Math.max(middle, this.corridor) + 1, columns = 2 * this.arm + 1;
    const cells = new Uint8Array(rows * columns), place = ([row, column]) => row * columns + column;
    for (const path of this.paths) for (const step of path.slice(0, -1)) cells[place(step)] = 1;
    this.paths.forEach((path, end) => { cells[place(path.at(-1))] = end === this.goal ? 2 : 3; });
    const taken = Math.floor((Math.max(this.walked - this.corridor, 0) + this.arm - 1) / this.arm);
    return { rows, columns, cells, agent: this.paths[this.way << (this.turns - taken)][this.walked], view: [] };
  }
  static fitness(settings, kind, counts) {
    const turns = settings.maze === "double" ? 2 : 1, trip = settings.corridor + turns * settings.arm;
    return 100 * (counts[0] - counts[1] / (2 ** turns - 1)) / (settings.season_steps / trip);
  }
}

const TRIES = 64;
export class AssociationWorld {
  static counts = 2;
  constructor(settings, tables, stream) {
    if (settings.stimuli > 2 ** settings.bits) throw new Error(`stimuli is ${settings.stimuli}, but ${settings.bits} bits make only ${2 ** settings.bits}; the nearest is ${2 ** settings.bits}.`);
    Object.assign(this, { settings, stream, stimuli: [], answers: [], onward: [] });
    this.slots = new Int16Array(2 ** Math.ceil(Math.log2(2 * settings.stimuli)));
    for (let number = 0; number < settings.stimuli; number++) {
      this.keep(number, this.newStimulus());
      this.answers.push(stream.below(settings.answers));
    }
    this.show();
  }
  static inputs(settings) { return settings.bits; }
  static actions(settings) { return Array.from({ length: settings.answers }, (_, at) => String(at + 1)); }
  turn() {
    for (let number = 0; number < this.answers.length; number++) if (this.stream.unit() >= this.settings.overlap) this.answers[number] = this.stream.below(this.settings.answers);
  }
  sense(senses) {
    const [high, low] = this.stimuli[this.shown];
    for (let bit = 0; bit < this.settings.bits; bit++) senses[bit] = (bit < 32 ? low >>> bit : high >>> (bit - 32)) & 1;
  }
  judge(season, action) {
    this.association = action === this.answers[this.shown] ? 1 : 2;
    return this.association === 1 ? 1 : -1;
  }
  act(season, action, counts) {
    counts[action === this.answers[this.shown] ? 0 : 1]++;
    this.show();
  }
  show() { this.shown = this.stream.below(this.settings.stimuli); }

  // Stimuli are words of 64 bits in two halves; no two are the same.
  newStimulus() {
    let stimulus;
    for (let time = 0; time < TRIES; time++) {
      stimulus = [0, 0];
      for (let bit = 0; bit < this.settings.bits; bit++) if (this.stream.unit() < this.settings.density) stimulus[bit < 32 ? 1 : 0] |= 1 << (bit % 32);
      if (!this.slots[this.slotOf(stimulus)]) return stimulus;
    }
    return this.nextFree(stimulus);
  }
  keep(number, stimulus) {
    this.stimuli[number] = stimulus;
    this.slots[this.slotOf(stimulus)] = number + 1;
    const { bits } = this.settings, low = (stimulus[1] + 1) | 0, high = (stimulus[0] + (low === 0 ? 1 : 0)) | 0;
    this.onward[number] = bits > 32 ? [high & (bits === 64 ? -1 : 2 ** (bits - 32) - 1), low] : [0, bits === 32 ? low : low & (2 ** bits - 1)];
  }
  slotOf([high, low]) {
    const last = this.slots.length - 1;
    let slot = mixedLow(high, low) & last;
    const other = (number) => number && (this.stimuli[number - 1][0] !== high || this.stimuli[number - 1][1] !== low);
    while (other(this.slots[slot])) slot = (slot + 1) & last;
    return slot;
  }
  nextFree(stimulus) {
    while (this.slots[this.slotOf(stimulus)]) stimulus = this.onward[this.slots[this.slotOf(stimulus)] - 1];
    return stimulus;
  }
  picture() {
    const { bits, answers, stimuli } = this.settings, columns = Math.max(Math.min(bits, 8), answers), rows = Math.ceil(bits / 8) + 2;
    const cells = new Uint8Array(rows * columns), senses = new Uint8Array(bits);
    this.sense(senses);
    senses.forEach((on, bit) => { cells[Math.floor(bit / 8) * columns + bit % 8] = 1 + on; });
    cells.fill(3, (rows - 1) * columns, (rows - 1) * columns + answers);
    cells[(rows - 1) * columns + this.answers[this.shown]] = 4;
    return { rows, columns, cells, caption: `stimulus ${this.shown + 1} of ${stimuli}` };
  }
  static fitness(settings, kind, counts) { return 100 * (counts[0] - counts[1] / (settings.answers - 1)) / settings.season_steps; }
}

const AIMS = [[0, -1], [1, 0], [0, 1]]; // cells ahead and to the right that each action leads to
export class PreyPredator {
  static counts = 3;
  constructor(settings, tables, stream) {
    full(settings, "objects");
    Object.assign(this, { settings, stream, free: freeSide(settings), tables, number: settings.green + settings.blue, shared: 0 });
    this.reach = Math.max(settings.view_width >> 1, settings.view_depth - 1);
    this.row = 2 ** Math.ceil(Math.log2(this.free + 2 * this.reach));
    this.around = [-this.row, 1, this.row, -1, 1 - this.row, 1 + this.row, this.row - 1, -this.row - 1].slice(0, settings.neighbourhood);
    this.ahead = this.around.slice(0, 4);
    this.view = PreyPredator.view(settings);
    this.sees = this.ahead.map((forth, at) => this.view.map(([a, r]) => a * forth + r * this.ahead[(at + 1) % 4]));
    this.nears = this.view.map(([a, r]) => AIMS.map(([forth, aside]) => ((a - forth) ** 2 + (r - aside) ** 2 < a ** 2 + r ** 2 ? 1 : 0)));
    const distance = settings.notice_distance, square = Math.floor(distance ** 2);
    this.notice = Math.sqrt(square + 1) <= distance ? square + 1 : square;
    this.cells = new Uint8Array((this.free + 2 * this.reach) * this.row).fill(WALL);
    for (let row = this.reach; row < this.reach + this.free; row++) this.cells.fill(0, row * this.row + this.reach, row * this.row + this.reach + this.free);
    this.position = this.anyCell();
    this.direction = stream.below(4);
    this.objects = new Int32Array(this.number);
    this.sensed = new Uint8Array(this.view.length);
    for (let one = 0; one < this.number; one++) this.put(one, this.emptyCell(this.position));
  }
  static view({ view_width: width, view_depth: depth }) {
    const cells = [];
    for (let ahead = depth - 1; ahead >= 0; ahead--) for (let right = -(width >> 1); right <= width >> 1; right++) if (ahead || right) cells.push([ahead, right]);
    return cells;
  }
  static inputs(settings) { return 2 * PreyPredator.view(settings).length; }
  turn() {}
  anyCell() {
    const cell = this.stream.below(this.free * this.free);
    return (Math.floor(cell / this.free) + this.reach) * this.row + cell % this.free + this.reach;
  }
  emptyCell(agent) { for (;;) { const cell = this.anyCell(); if (!this.cells[cell] && cell !== agent) return cell; } }
  colour(one) { return one < this.settings.green ? GREEN : BLUE; }
  isPrey(one, season) { return (one < this.settings.green) === (season === SUMMER); }
  put(one, cell) {
    if (this.cells[cell]) this.shared++;
    this.objects[one] = cell;
    this.cells[cell] = this.colour(one);
  }
  take(one, cell) {
    // From where it stands to another cell; who remains there is seen.
    const left = this.objects[one];
    this.cells[left] = 0;
    const other = this.shared ? this.objects.findIndex((where, number) => number !== one && where === left) : -1;
    if (other >= 0) { this.cells[left] = this.colour(other); this.shared--; }
    this.put(one, cell);
  }
  sense(senses) {
    const sees = this.sees[this.direction];
    for (let cell = 0; cell < sees.length; cell++) {
      const thing = this.sensed[cell] = this.cells[this.position + sees[cell]];
      senses[2 * cell] = thing >> 1;
      senses[2 * cell + 1] = thing & 1;
    }
  }
  rank(cell) { const [a, r] = this.view[cell]; return 2 * (a * a + r * r) + (this.sensed[cell] === WALL ? 1 : 0); }
  judge(season, action) {
    const cell = this.closest(), thing = cell < 0 ? 0 : this.sensed[cell], behaviour = cell < 0 ? (action !== STRAIGHT ? 1 : 0) : this.nears[cell][action];
    this.association = this.tables.associations[2 * thing + behaviour];
    return this.tables.signals[(season * 4 + thing) * 2 + behaviour];
  }
  closest() {
    // The sensed cell of the closest thing, ties at random; -1 where nothing is in view.
    let best = Infinity, some = [];
    for (let cell = 0; cell < this.sensed.length; cell++) {
      if (!this.sensed[cell]) continue;
      const rank = this.rank(cell);
      if (rank < best) [best, some] = [rank, [cell]];
      else if (rank === best) some.push(cell);
    }
    return some.length < 2 ? some[0] ?? -1 : some[this.stream.below(some.length)];
  }
  act(season, action, counts) {
    const turned = (this.direction + action + 3) & 3, target = this.position + this.ahead[turned], thing = this.cells[target];
    if (thing === WALL) {
      counts[2]++;
      if (this.settings.turn_at_wall) this.direction = turned;
    } else {
      [this.position, this.direction] = [target, turned];
      if (thing) this.meet(season, target, counts);
    }
    this.moveAll(season, counts);
  }
  meet(season, cell, counts) {
    for (let one = 0; one < this.number; one++) {
      if (this.objects[one] !== cell) continue;
      if (this.isPrey(one, season)) { counts[0]++; this.take(one, this.emptyCell(cell)); }
      else if (this.settings.stepping_counts) counts[1]++;
    }
  }
  moveAll(season, counts) {
    // One random word chooses a neighbour for as many objects as it has bits for.
    const bits = this.around.length === 4 ? 2 : 3, inWord = Math.floor(64 / bits);
    for (let start = 0; start < this.number; start += inWord) {
      let [high, low] = this.stream.halves();
      for (let one = start; one < Math.min(start + inWord, this.number); one++) {
        const choice = low & (this.around.length - 1), here = this.objects[one];
        low = (low >>> bits) | (high << (32 - bits));
        high >>>= bits;
        const there = this.destination(here, choice, this.isPrey(one, season));
        if (there === here) continue;
        this.take(one, there);
        if (there === this.position) counts[1]++;
      }
    }
  }
  square(cell) {
    const rows = Math.floor(cell / this.row) - Math.floor(this.position / this.row), columns = cell % this.row - this.position % this.row;
    return rows * rows + columns * columns;
  }
  isFree(cell, prey) { return cell === this.position ? !prey : !this.cells[cell]; }
  destination(here, choice, prey) {
    if (this.square(here) <= this.notice && this.stream.unit() < this.settings.notice_probability) return this.bestNeighbour(here, prey);
    const there = here + this.around[choice];
    if (this.isFree(there, prey)) return there;
    const free = this.around.map((step) => here + step).filter((cell) => this.isFree(cell, prey));
    return free.length > 1 ? free[this.stream.below(free.length)] : free[0] ?? here;
  }
  bestNeighbour(here, prey) {
    const free = this.around.map((step) => here + step).filter((cell) => this.isFree(cell, prey)), gains = free.map((cell) => (prey ? this.square(cell) : -this.square(cell)));
    const best = Math.max(...gains), some = free.filter((_, at) => gains[at] === best);
    return some.length < 2 ? some[0] ?? here : some[this.stream.below(some.length)];
  }
  picture() {
    const side = this.free + 2, first = this.reach - 1, cells = new Uint8Array(side * side);
    for (let row = 0; row < side; row++) cells.set(this.cells.subarray((first + row) * this.row + first, (first + row) * this.row + first + side), row * side);
    return gridPicture(side, cells, [Math.floor(this.position / this.row) - first, this.position % this.row - first], this.direction, this.view);
  }
  static fitness(settings, kind, counts) { return settings.alpha * counts[0] - counts[1]; }
}

export const WORLDS = { foraging: Foraging, "t-maze": TMaze, association: AssociationWorld, "prey-predator": PreyPredator };
export const TURNS = [LEFT, RIGHT];
