// What is watched, and how it stands in the address: readable, and all of it after the #.
export const SPEEDS = [1, 2, 5, 10, 30, 60, 200, 500, 2000, 10000, 100000, 1000000, 0];
export const USUAL_SPEED = "500";
const FASTEST = 1e9;
const OWN = ["task", "rule", "seed", "trial", "hidden", "brains", "stop", "then", "at", "playing", "speed", "blame", "eligibility"];
export const USUAL = { trial: "0", brains: "1", stop: "0", then: "", at: "0", playing: "1", hidden: "", rule: "", blame: "", eligibility: "" };

const written = (value) => encodeURIComponent(value).replace(/%(2B|2F|40|2C|3A|3B)/g, decodeURIComponent);
const isSpeed = (text) => text.trim() !== "" && Number(text) >= 0 && Number(text) <= FASTEST;

export function read(hash) {
  // "#task=foraging&seed=7" -> {task: "foraging", seed: "7"}; what cannot be read is left out
  const state = {};
  for (const pair of hash.replace(/^#/, "").split("&")) {
    const [name, ...rest] = pair.split("=");
    try {
      if (/^[a-z_]{1,40}$/.test(name) && rest.length) state[name] = decodeURIComponent(rest.join("="));
    } catch { /* not an address of ours */ }
  }
  if (state.speed !== undefined && !isSpeed(state.speed)) delete state.speed;
  return state;
}

export function write(state) {
  const names = [...OWN, ...Object.keys(state).filter((name) => !OWN.includes(name)).sort()];
  return names
    .filter((name) => state[name] !== undefined && state[name] !== "" && state[name] !== USUAL[name])
    .map((name) => `${name}=${written(state[name])}`)
    .join("&");
}

export function numeric(text) {
  // What a field for numbers can show; a browser complains about anything else.
  return /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? text : "";
}

export function weights(text = "") {
  // "missed:0.5,wrong:2" -> {missed: 0.5, wrong: 2}
  return Object.fromEntries(text.split(",").filter((pair) => pair.includes(":")).map((pair) => {
    const [name, value] = pair.split(":");
    return [name, Number(value)];
  }));
}

export const SHOWN = ["task", "rule", "seed", "trial", "brains", "stop", "then", "at", "playing", "speed"]; // on the page anyway

export function command(state, life, rule, seasons) {
  // What lives the same life on the command line.
  const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const words = ["hebbarium live", life.typed ?? life.task, ...(state.agent ? [] : ["--rule", quoted(rule)]), "--lifetimes", life.brains + life.trial, "--seed", life.seed, "--seasons", seasons];
  for (const [name, value] of Object.entries(state)) {
    if (SHOWN.includes(name) || value === "") continue;
    const option = name.replaceAll("_", "-");
    if (value === "true") words.push(`--${option}`);
    else if (value === "false") words.push(`--no-${option}`);
    else words.push(`--${option}`, quoted(["blame", "eligibility"].includes(name) ? value.replaceAll(":", "=") : value));
  }
  return words.join(" ");
}

export function life(state) {
  // What the server is asked for.
  const asked = { ...state, blame: weights(state.blame), eligibility: weights(state.eligibility) };
  delete asked.speed;
  delete asked.playing;
  return asked;
}
