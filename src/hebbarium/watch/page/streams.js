// Random streams and digests that are those of hebbarium, bit for bit: SplitMix64 in two halves of 32 bits.
const GOLDEN = [0x9e3779b9, 0x7f4a7c15], ALTERNATING = 0xaaaaaaaa | 0, GAPS = 256, SPARSEST = 24;
export const WORLD = 0;
export const BRAIN = 1;

let high = 0, low = 0; // the halves of the word that was computed last
function add(h, l, h2, l2) {
  low = (l + l2) | 0;
  high = (h + h2 + (low >>> 0 < l >>> 0 ? 1 : 0)) | 0;
}
function multiply(h, l, h2, l2) {
  const l0 = l & 0xffff, l1 = l >>> 16, m0 = l2 & 0xffff, m1 = l2 >>> 16;
  const first = l1 * m0 + ((l0 * m0) >>> 16), second = l0 * m1 + (first & 0xffff);
  high = (l1 * m1 + Math.floor(first / 65536) + (second >>> 16) + Math.imul(h, l2) + Math.imul(l, h2)) | 0;
  low = Math.imul(l, l2);
}
function foldInto(h, l, by) {
  // word ^ (word >> by)
  high = h ^ (h >>> by);
  low = l ^ ((l >>> by) | (h << (32 - by)));
}
function mix(h, l) {
  foldInto(h, l, 30);
  multiply(high, low, 0xbf58476d, 0x1ce4e5b9);
  foldInto(high, low, 27);
  multiply(high, low, 0x94d049bb, 0x133111eb);
  foldInto(high, low, 31);
}
const ones = (word) => { let count = 0; for (; word; word &= word - 1) count++; return count; };
const halves = (whole) => { const big = BigInt(whole); return [Number(big >> 32n) | 0, Number(big & 0xffffffffn) | 0]; };

export class Stream {
  // seed, trial: whole numbers, as text where they are large
  constructor(seed, trial, which, salt = 0) {
    let [h, l] = halves(seed);
    if (salt) { mix(h, l ^ salt); [h, l] = [high, low]; }
    add(h, l, ...GOLDEN);
    mix(high, low);
    const [h0, l0] = [high, low];
    multiply(...GOLDEN, ...halves(2n * BigInt(trial) + BigInt(which + 1)));
    add(high, low, h0, l0);
    mix(high, low);
    const [h1, l1] = [high, low];
    add(h1, l1, ...GOLDEN);
    mix(high, low);
    [this.high, this.low] = [high, low];
    mix(h1 ^ GOLDEN[0], l1 ^ GOLDEN[1]);
    let [h2, l2] = [high, low | 1];
    if (ones(h2 ^ (h2 >>> 1)) + ones(l2 ^ ((l2 >>> 1) | (h2 << 31))) < SPARSEST) [h2, l2] = [h2 ^ ALTERNATING, l2 ^ ALTERNATING];
    [this.strideHigh, this.strideLow] = [h2, l2];
  }

  word() {
    // Its halves stand in `high` and `low` of this module until the next word.
    const before = this.low;
    this.low = (before + this.strideLow) | 0;
    this.high = (this.high + this.strideHigh + (this.low >>> 0 < before >>> 0 ? 1 : 0)) | 0;
    mix(this.high, this.low);
  }
  halves() { this.word(); return [high, low]; }
  unit() { this.word(); return ((high >>> 0) * 2097152 + (low >>> 11)) / 9007199254740992; }
  below(n) {
    this.word();
    return Math.floor(((high >>> 16) * n + Math.floor((high & 0xffff) * n / 65536)) / 65536);
  }
}

// The next free place of a table of hashes begins here: the low bits of mix(stimulus).
export const mixedLow = (h, l) => { mix(h, l); return low >>> 0; };

export function gapTable(probability) {
  const survival = new Float64Array(GAPS + 1).fill(1);
  for (let k = 0; k < GAPS; k++) survival[k + 1] = survival[k] * (1 - probability);
  return survival;
}
export function drawGap(stream, survival) {
  // Steps until the next random action.
  if (survival[GAPS] === 1) return Infinity;
  let gap = 0, unit = stream.unit(), last = 0;
  for (; unit < survival[GAPS]; unit = stream.unit()) gap += GAPS;
  while (survival[last + 1] > unit) last++;
  return gap + last;
}

const HALF = 0.6065306597126334; // exp(-1/2)
export function drawNormal(stream) {
  // Karney's algorithm N.
  for (;;) {
    let whole = 0, below = 0;
    while (stream.unit() < HALF) whole++;
    while (below < whole * (whole - 1) && stream.unit() < HALF) below++;
    if (below < whole * (whole - 1)) continue;
    const part = stream.unit();
    if (!accepts(stream, whole, part)) continue;
    stream.word();
    return high < 0 ? whole + part : -(whole + part);
  }
}
function accepts(stream, whole, part) {
  const chance = (2 * whole + part) / (2 * whole + 2);
  for (let row = 0; row <= whole; row++) {
    for (let before = part, even = true; ; even = !even) {
      const after = stream.unit();
      if (after >= before || stream.unit() >= chance) { if (!even) return false; break; }
      before = after;
    }
  }
  return true;
}

// ---- SHA-256 of counts, each eight bytes, the lowest first ----
const root = (n, power) => { const whole = n ** power; return Math.floor((whole - Math.floor(whole)) * 4294967296) | 0; };
const primes = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
const turn = (word, by) => (word >>> by) | (word << (32 - by));

export function digest(counts) {
  const bits = counts.length * 64, blocks = new DataView(new ArrayBuffer(Math.ceil((counts.length * 8 + 9) / 64) * 64));
  counts.forEach((count, at) => {
    blocks.setUint32(8 * at, count >>> 0, true);
    blocks.setUint32(8 * at + 4, Math.floor(count / 4294967296), true);
  });
  blocks.setUint8(counts.length * 8, 128);
  blocks.setUint32(blocks.byteLength - 4, bits);
  const constants = primes.map((prime) => root(prime, 1 / 3)), state = primes.slice(0, 8).map((prime) => root(prime, 1 / 2));
  const words = new Int32Array(64);
  for (let start = 0; start < blocks.byteLength; start += 64) {
    for (let at = 0; at < 64; at++) {
      if (at < 16) { words[at] = blocks.getInt32(start + 4 * at); continue; }
      const w = words[at - 15], v = words[at - 2];
      words[at] = words[at - 16] + (turn(w, 7) ^ turn(w, 18) ^ (w >>> 3)) + words[at - 7] + (turn(v, 17) ^ turn(v, 19) ^ (v >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < 64; at++) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[at] + words[at]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] = (state[at] + word) | 0; });
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

// ---- whether arithmetic holds here ----
export function rootsHold(times = 400) {
  // Math.sqrt must be the nearest double, which its specification does not promise: compared with whole numbers.
  const view = new DataView(new ArrayBuffer(8)), stream = new Stream(1, 0, WORLD);
  const parts = (value) => { view.setFloat64(0, value); const bits = view.getBigUint64(0); return [(bits & 0xfffffffffffffn) | 0x10000000000000n, (bits >> 52n) - 1075n]; };
  for (let time = 0; time < times; time++) {
    const square = (1 + 3 * stream.unit()) * 4 ** (stream.below(40) - 20), [whole, power] = parts(square), [wide, by] = parts(Math.sqrt(square));
    const exact = whole << (power - 2n * by + 2n); // in quarters of the root's last place, squared
    if ((2n * wide - 1n) ** 2n > exact || (2n * wide + 1n) ** 2n < exact) return false;
  }
  return true;
}
