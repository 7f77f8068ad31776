// Sixteen brains under one rule: small pictures, so that one sees what is luck.
import { byId, element, short } from "./tools.js";
import { drawWhole } from "./picture.js";

export class Many {
  constructor(chosen) {
    this.chosen = chosen;
    this.tiles = [];
  }

  begin(count, first) {
    this.tiles = Array.from({ length: count }, (_, at) => {
      const canvas = element("canvas", {}), words = element("span", {});
      const tile = element("button", { type: "button", class: "tile", title: "Watch this one alone" }, canvas, words);
      tile.addEventListener("click", () => this.chosen(first + at));
      return { tile, canvas, words };
    });
    byId("many").replaceChildren(...this.tiles.map(({ tile }) => tile));
  }

  draw(pictures, frame) {
    const scores = frame.lives.map((life) => life.fitness), best = Math.max(...scores);
    this.tiles.forEach(({ canvas, words, tile }, at) => {
      drawWhole(canvas, pictures[at], frame.kind);
      words.textContent = short(scores[at]);
      tile.classList.toggle("best", scores[at] === best && best > Math.min(...scores));
      tile.setAttribute("aria-label", `Brain ${at + 1}, fitness ${short(scores[at])}; watch it alone`);
    });
  }
}
