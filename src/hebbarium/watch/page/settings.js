// Settings of the world, the brain and the judgements: forms made from what the server says there is.
import { byId, element, words } from "./tools.js";
import { numeric, weights } from "./state.js";

export class Settings {
  constructor(changed) {
    this.changed = changed; // (name, text): an empty text is the usual value
    this.world = null;
    this.state = {};
    this.fields = []; // [input, its value in the present state]
    for (const name of ["hidden", "stop"]) byId(name).addEventListener("change", () => changed(name, byId(name).value));
  }

  offer(world, state) {
    // Fields are made anew for another world only: whoever is in one of them stays there.
    this.state = state;
    if (world !== this.world) this.build(world);
    byId("hidden").value = state.hidden || "";
    byId("stop").value = state.stop && state.stop !== "0" ? numeric(state.stop) : "";
    for (const [input, value] of this.fields) input.value = value();
  }

  build(world) {
    this.world = world;
    this.fields = [];
    byId("hidden").placeholder = world.hidden;
    byId("world-settings").replaceChildren(...world.settings.map((setting) => this.field(setting)));
    byId("brain-settings").replaceChildren(...world.brain.map((setting) => this.field(setting)));
    byId("blame-settings").replaceChildren(...world.groups.flatMap((group) => [this.weight("blame", group, "1"), this.weight("eligibility", group, "0")]));
  }

  field(setting) {
    const input = setting.choices.length
      ? element("select", {}, ...setting.choices.map((choice) => element("option", { value: choice }, choice)))
      : element("input", { type: "text", autocomplete: "off", spellcheck: false });
    input.dataset.setting = setting.name;
    input.addEventListener("change", () => this.changed(setting.name, input.value === setting.value ? "" : input.value));
    this.fields.push([input, () => this.state[setting.name] ?? setting.value]);
    return element("label", { title: setting.words }, element("span", {}, words(setting.name)), input);
  }

  weight(kind, group, usual) {
    const input = element("input", { type: "number", step: "any" });
    input.addEventListener("change", () => {
      const all = { ...weights(this.state[kind]), [group]: Number(input.value) };
      if (input.value === "" || input.value === usual) delete all[group];
      this.changed(kind, Object.entries(all).map(([name, value]) => `${name}:${value}`).join(","));
    });
    this.fields.push([input, () => numeric(String(weights(this.state[kind])[group] ?? usual))]);
    return element("label", {}, element("span", {}, `${kind}: ${words(group)}`), input);
  }
}
