// An evolution, finished or running: fitness over the generations, and individuals to put into the world.
import { byId, colour, element, number } from "./tools.js";
import { drawLines } from "./charts.js";

export class Evolution {
  constructor(chosen) {
    this.chosen = chosen;
    this.run = null;
  }

  take(run) {
    this.run = run;
    byId("evolution-title").textContent = `The evolution in ${run.name}`;
    byId("evolution-problem").hidden = true;
    const state = run.finished ? `Finished ${run.finished.replace("T", " ").slice(0, 16)} UTC.` : "Not finished: this page follows it.";
    byId("evolution-words").textContent = `${run.task}, ${run.search}, ${run.runs} ${run.runs === 1 ? "run" : "runs"}; ${number(run.evaluations)} evaluations, ${number(run.lifetimes)} lifetimes. ${state} Click a rule to put it into the world.`;
    const searched = run.runs > 1 ? ["run"] : []; // with a single one there is nothing to tell apart
    byId("found").replaceChildren(...(run.found.length ? [this.table("Distinct rules found", ["rule", "fitness", "count"], run.found)] : []));
    byId("population").replaceChildren(this.table(`Latest ${this.unit}`, ["rule", "fitness", "lifetimes", ...searched, "generation"], run.population));
    this.draw();
  }

  get unit() { return this.run.search === "racing" ? "round" : "generation"; } // of a race there are no generations

  lose(problem) {
    // What was seen of it stays; the world goes on.
    byId("evolution-problem").hidden = false;
    byId("evolution-problem").textContent = `The run cannot be read now: ${problem} This page keeps trying.`;
  }

  draw() {
    if (!this.run) return;
    const { curves } = this.run, several = curves.length > 1;
    const line = (place, name, kind) => curves.map((curve, at) => ({ points: curve.map((point) => [point[0], point[place]]), colour: colour(kind), name: at ? "" : name, thin: several }));
    const end = Math.max(1, ...curves.map((curve) => (curve.at(-1) || [0])[0]));
    drawLines(byId("generations"), [...line(2, "mean", "second"), ...line(1, "best", "first")], [], end, this.unit);
  }

  table(title, columns, rows) {
    const head = element("tr", {}, ...columns.map((column) => element("th", { scope: "col" }, column === "generation" ? this.unit : column)));
    const body = rows.map((row) => {
      const put = element("button", { type: "button", class: "put", "data-rule": row.rule, title: row.words || "Put it into the world" }, row.shown || row.rule);
      put.addEventListener("click", () => this.chosen(row, this.run));
      return element("tr", {}, element("td", {}, put), ...columns.slice(1).map((column) => element("td", {}, number(row[column]))));
    });
    return element("table", {}, element("caption", {}, title), element("thead", {}, head), element("tbody", {}, ...body));
  }
}
