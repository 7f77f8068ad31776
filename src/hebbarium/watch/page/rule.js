// The rule: eight three-way switches and an eta for each layer, changed while the agent lives.
import { byId, element, short } from "./tools.js";

const LOWEST = 0.0005, HIGHEST = 0.999, STOPS = 1000;
const SIGNS = ["−", "0", "+"], NAMES = ["weaker", "unchanged", "stronger"], SYMBOLS = "-0+";
const PAIRS = [["silent", "silent"], ["silent", "active"], ["active", "silent"], ["active", "active"]]; // before and after the synapse
const named = (count, at) => (count === 1 ? "All layers" : at === count - 1 ? "Output layer" : count > 2 ? `Hidden layer ${at + 1}` : "Hidden layer");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const etaOf = (stop) => LOWEST * (HIGHEST / LOWEST) ** (stop / STOPS);
const stopOf = (eta) => Math.round(STOPS * Math.log(Math.max(eta, LOWEST) / LOWEST) / Math.log(HIGHEST / LOWEST));

export function notation(entries) {
  // Real entries are numbers with colons between them; a third part is for neutral steps.
  const ternary = entries.every((entry) => [-1, 0, 1].includes(entry));
  const written = entries.map((entry) => (ternary ? SYMBOLS[entry + 1] : entry)), parts = [];
  for (let at = 0; at < written.length; at += 4) parts.push(written.slice(at, at + 4).join(ternary ? "" : ":"));
  return parts.join("/");
}

export class RuleCard {
  constructor(changed) {
    this.changed = changed;
    this.parts = [];
    byId("layered").addEventListener("change", () => this.layer(byId("layered").checked));
    const text = byId("rule-text");
    this.typing = false; // a late answer must not replace what is being typed
    text.addEventListener("input", () => { this.typing = true; });
    text.addEventListener("change", () => { this.typing = false; if (text.value.trim()) changed(text.value.trim()); });
    text.addEventListener("blur", () => { if (this.typing) text.value = this.rule; this.typing = false; });
    byId("presets").addEventListener("change", () => byId("presets").value && changed(byId("presets").value));
  }

  offer(presets) {
    const select = byId("presets"), groups = new Map();
    for (const { group, name, rule } of presets) {
      if (!groups.has(group)) groups.set(group, element("optgroup", { label: group }));
      groups.get(group).append(element("option", { value: rule }, `${rule.split("@")[0]}  ${name}`));
    }
    select.replaceChildren(element("option", { value: "" }, "choose a rule"), ...groups.values());
  }

  begin(life) {
    // As many rules as there are layers, or one for all.
    this.layers = life.layers.length - 1;
    byId("layered").disabled = this.layers === 1;
  }

  take(told) {
    // What the server says the agent lives by now.
    this.parts = told.parts.map((part) => part && { entries: [...part.entries], eta: part.eta });
    byId("layered").checked = this.parts.length > 1;
    this.rule = told.rule;
    if (!this.typing) byId("rule-text").value = told.rule;
    byId("presets").value = [...byId("presets").options].some((option) => option.value === told.rule) ? told.rule : "";
    const paper = told.paper.length ? ` (${told.paper.join(", ")} of the paper)` : "";
    byId("rule-words").textContent = `${told.words} Family: ${told.family}${paper}.`;
    this.show();
  }

  layer(apart) {
    const last = this.parts.at(-1);
    this.parts = apart ? Array.from({ length: this.layers }, () => ({ entries: [...last.entries], eta: last.eta })) : [last];
    this.tell();
    this.show();
  }

  tell() {
    // Each eta as the server told it, to the last digit: whoever turns an entry has not touched it.
    this.changed(this.parts.map((part) => (part ? `${notation(part.entries)}@${part.eta}` : "frozen")).join(","));
  }

  show() {
    const layers = byId("layers");
    if (layers.children.length !== this.parts.length) layers.replaceChildren(...this.parts.map((_, layer) => this.build(layer)));
    this.parts.forEach((part, layer) => this.fill(layers.children[layer], part));
  }

  build(layer) {
    const count = this.parts.length, name = named(count, layer);
    const box = element("div", { class: "layer", role: "group", "aria-label": name });
    if (count > 1) box.append(element("h3", {}, name));
    if (layer < count - 1) {
      const frozen = element("input", { type: "checkbox", class: "frozen" });
      frozen.addEventListener("change", () => {
        const other = this.parts.at(-1);
        this.parts[layer] = frozen.checked ? null : { entries: [...other.entries], eta: other.eta };
        this.tell();
        this.show();
      });
      box.append(element("label", { class: "layers live-only" }, frozen, " frozen: keeps its initial weights"));
    }
    const grid = element("div", { class: "switches" }, element("span"), ...PAIRS.map(([before, after]) => element("span", { class: "pair" }, before, element("br"), `→ ${after}`)));
    ["punished", "rewarded"].forEach((half, row) => {
      grid.append(element("span", { class: "half", "data-half": row }, half));
      for (let at = 0; at < 4; at++) grid.append(this.toggle(layer, 4 * row + at, `${name}, ${half}, ${PAIRS[at].join(" → ")}`));
    });
    const eta = element("input", { type: "range", min: 0, max: STOPS, step: 1, class: "eta", "aria-label": `eta, ${name}` });
    const shown = element("output", {});
    let waiting = null;
    eta.addEventListener("input", () => {
      this.parts[layer].eta = Number(short(etaOf(Number(eta.value))));
      shown.textContent = short(this.parts[layer].eta);
      waiting ??= setTimeout(() => { waiting = null; this.tell(); }, 60);
    });
    box.append(grid, element("label", { class: "eta-row" }, "Eta ", eta, shown));
    return box;
  }

  toggle(layer, place, name) {
    const group = `entry-${layer}-${place}`;
    const box = element("span", { class: "switch", role: "radiogroup", "aria-label": name });
    for (const sign of [1, 0, -1]) {
      const input = element("input", { type: "radio", name: group, value: String(sign), "aria-label": NAMES[sign + 1] });
      input.addEventListener("change", () => { this.parts[layer].entries[place] = sign; this.tell(); this.show(); });
      box.append(element("label", { class: NAMES[sign + 1] }, input, element("span", { "aria-hidden": "true" }, SIGNS[sign + 1])));
    }
    box.append(element("small", { class: "acted" }));
    return box;
  }

  fill(box, part) {
    const frozen = box.querySelector(".frozen");
    if (frozen) frozen.checked = part === null;
    box.classList.toggle("is-frozen", part === null);
    const [eta, shown] = [box.querySelector(".eta"), box.querySelector("output")];
    const still = document.body.classList.contains("replaying") || part === null;
    box.querySelectorAll(".switch").forEach((group, place) => {
      group.querySelectorAll("input").forEach((input) => {
        input.disabled = still;
        input.checked = part !== null && Number(input.value) === part.entries[place];
      });
    });
    eta.disabled = still;
    if (part) {
      if (document.activeElement !== eta) eta.value = stopOf(part.eta);
      shown.textContent = short(part.eta);
    } else shown.textContent = "";
  }

  tally(acted) {
    // How many synapses each entry has changed; null where it is not counted.
    document.querySelectorAll(".layer").forEach((box, at, { length }) => box.querySelectorAll(".acted").forEach((cell, place) => {
      const count = acted === null ? null : length === 1 ? acted.reduce((sum, layer) => sum + layer[place], 0) : acted[at][place];
      const text = count ? compact.format(count) : "";
      if (cell.textContent !== text) cell.textContent = text;
    }));
  }

  fire(signal) {
    // The half that the last step used, if any.
    document.querySelectorAll(".layer").forEach((box, layer) => box.querySelectorAll(".half").forEach((half, row) => {
      const heard = signal !== 0 && row === (signal > 0 ? 1 : 0), part = this.parts[layer];
      const changes = part && part.entries.slice(4 * row, 4 * row + 4).some((entry) => entry !== 0);
      half.classList.toggle("fires", Boolean(heard && changes));
      half.classList.toggle("heard", Boolean(heard && !changes));
    }));
  }
}
