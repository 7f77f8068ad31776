// A recorded life: the same page, with a scrubber in place of a server.
import { bytes, byId, clamp, notice } from "./tools.js";
import { SPEEDS } from "./state.js";

const unpack = async (text) => JSON.parse(await new Response(new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip"))).text());

export class Replay {
  constructor(recorded, view) {
    this.recorded = recorded;
    this.view = view;
    this.at = 0;
    this.playing = false;
    this.owed = 0;
  }

  async begin() {
    this.frames = await unpack(this.recorded.frames);
    const { life, world } = this.recorded;
    this.every = this.frames.length > 1 ? this.frames[1].lived - this.frames[0].lived : 1;
    this.view.begin(life, world);
    for (const frame of this.frames) this.view.curve.take(frame);
    this.whole = this.view.curve;
    const scrubber = byId("scrubber");
    scrubber.max = this.frames.length - 1;
    scrubber.addEventListener("input", () => this.seek(Number(scrubber.value)));
    this.seek(0);
  }

  seek(to) {
    // From the last whole frame on, each tells what changed.
    to = clamp(to, 0, this.frames.length - 1);
    let from = to === this.at + 1 ? to : to;
    if (to !== this.at + 1) while (from > 0 && !this.frames[from].whole) from--;
    this.view.curve = { take() {}, lines: (...rest) => this.whole.lines(...rest), shades: (end) => this.whole.shades(Infinity).map(([start, stop, kind]) => [start, Math.min(stop, end), kind]).filter(([start]) => start < end) };
    for (let at = from; at <= to; at++) this.view.take(this.frames[at]);
    this.at = to;
    byId("scrubber").value = to;
    byId("scrubber").setAttribute("aria-valuetext", `step ${this.frames[to].lived}`);
    this.view.ask();
  }

  play(playing, stop) {
    this.playing = playing;
    this.stop = stop;
    this.last = performance.now();
    if (playing) requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    if (!this.playing) return;
    const speed = SPEEDS[this.stop] || 2e6;
    this.owed += (now - this.last) / 1000 * speed / this.every;
    this.last = now;
    const frames = Math.min(Math.floor(this.owed), this.frames.length);
    this.owed -= Math.floor(this.owed);
    if (frames) this.seek(this.at + frames);
    if (this.at === this.frames.length - 1) { this.playing = false; this.ended(); notice("The end of the recorded life.", "brief"); return; }
    requestAnimationFrame((then) => this.tick(then));
  }
}
