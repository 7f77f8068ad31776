// Settings of the world, the brain and the judgements: forms made from what the server says there is.
import { byId, element, words } from "./tools.js";
import { weights } from "./state.js";

export class Settings {
  constructor(changed) {
    this.changed = changed; // (name, text): an empty text is the usual value
    for (const name of ["hidden", "stop"]) byId(name).addEventListener("change", () => changed(name, byId(name).value));
  }

  offer(world, state) {
    byId("hidden").placeholder = world.hidden;
    byId("hidden").value = state.hidden || "";
    byId("stop").value = state.stop && state.stop !== "0" ? state.stop : "";
    const own = (setting) => this.field(setting, state[setting.name] ?? setting.value);
    byId("world-settings").replaceChildren(...world.settings.map(own));
    byId("brain-settings").replaceChildren(...world.brain.map(own));
    byId("blame-settings").replaceChildren(...world.groups.flatMap((group) => [this.weight("blame", group, "1", state), this.weight("eligibility", group, "0", state)]));
  }

  field(setting, value) {
    const input = setting.choices.length
      ? element("select", {}, ...setting.choices.map((choice) => element("option", { value: choice }, choice)))
      : element("input", { type: "text", autocomplete: "off", spellcheck: false });
    input.value = value;
    input.dataset.setting = setting.name;
    input.addEventListener("change", () => this.changed(setting.name, input.value === setting.value ? "" : input.value));
    return element("label", { title: setting.words }, element("span", {}, words(setting.name)), input);
  }

  weight(kind, group, usual, state) {
    const input = element("input", { type: "number", step: "any" });
    input.value = weights(state[kind])[group] ?? usual;
    input.addEventListener("change", () => {
      const all = { ...weights(state[kind]), [group]: Number(input.value) };
      if (input.value === "" || input.value === usual) delete all[group];
      this.changed(kind, Object.entries(all).map(([name, value]) => `${name}:${value}`).join(","));
    });
    return element("label", {}, element("span", {}, `${kind}: ${words(group)}`), input);
  }
}
