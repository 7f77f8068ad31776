// The world as it is drawn, whole or close up.
import { clamp, colour, isFaint, seasonColour, surface, thingColour } from "./tools.js";

const CLOSE = 15; // cells along each side of a close-up
export const isSmall = (life) => life.rows <= CLOSE && life.columns <= CLOSE; // close up it would look no different
const BEYOND = 8; // margin in pixels

export class Picture {
  // The cells of one life, kept up to date from frames.
  constructor(life, world) {
    this.rows = life.rows;
    this.columns = life.columns;
    this.legend = world.legend;
    this.cells = new Uint8Array(this.rows * this.columns);
    this.agent = null;
    this.view = [];
    this.trail = [];
  }

  take(seen, bytes) {
    if (seen.cells) this.cells = bytes(seen.cells);
    const changes = seen.changes || [];
    for (let at = 0; at < changes.length; at += 2) this.cells[changes[at]] = changes[at + 1];
    this.agent = seen.agent || null;
    this.view = seen.view || [];
  }
}

export function drawWhole(canvas, picture, kind) {
  const drawn = surface(canvas);
  if (!drawn) return;
  const size = Math.min((drawn.width) / picture.columns, (drawn.height) / picture.rows);
  const left = (drawn.width - size * picture.columns) / 2, top = (drawn.height - size * picture.rows) / 2;
  draw(drawn.pen, picture, kind, { row: 0, column: 0, rows: picture.rows, columns: picture.columns, size, left, top });
}

export function drawClose(canvas, picture, kind) {
  const drawn = surface(canvas);
  if (!drawn || !picture.agent) return;
  const [row, column] = picture.agent, side = Math.floor(CLOSE / 2);
  const size = drawn.width / CLOSE;
  draw(drawn.pen, picture, kind, { row: row - side, column: column - side, rows: CLOSE, columns: CLOSE, size, left: 0, top: 0 });
}

function draw(pen, picture, kind, window) {
  const { size, left, top } = window;
  pen.save();
  pen.beginPath();
  pen.rect(left, top, size * window.columns, size * window.rows);
  pen.clip();
  pen.translate(left - window.column * size, top - window.row * size);
  pen.fillStyle = seasonColour(kind);
  pen.fillRect(0, 0, picture.columns * size, picture.rows * size);
  drawThings(pen, picture, kind, window);
  drawTrail(pen, picture.trail, size);
  drawView(pen, picture.view, size);
  if (picture.agent) drawAgent(pen, picture.agent, size);
  pen.restore();
}

function drawThings(pen, picture, kind, { row, column, rows, columns, size }) {
  const paths = picture.legend.map(() => new Path2D());
  const radius = Math.max(size * 0.42, Math.min(size, 3));
  for (let r = Math.max(0, row); r < Math.min(picture.rows, row + rows); r++) {
    for (let c = Math.max(0, column); c < Math.min(picture.columns, column + columns); c++) {
      const thing = picture.cells[r * picture.columns + c];
      if (!thing || !picture.legend[thing]) continue;
      if (/wall/i.test(picture.legend[thing].name)) paths[thing].rect(c * size, r * size, size + 0.3, size + 0.3);
      else {
        const x = (c + 0.5) * size, y = (r + 0.5) * size;
        paths[thing].moveTo(x + radius, y);
        paths[thing].arc(x, y, radius, 0, 7);
      }
    }
  }
  picture.legend.forEach((thing, place) => {
    if (!thing.colour) return;
    pen.fillStyle = thingColour(thing);
    pen.fill(paths[place]);
    if (isFaint(thingColour(thing), seasonColour(kind))) {
      pen.lineWidth = 1;
      pen.strokeStyle = colour("grey");
      pen.stroke(paths[place]);
    }
  });
}

function drawTrail(pen, trail, size) {
  const steps = trail.length / 2;
  pen.lineCap = "round";
  pen.strokeStyle = colour("accent");
  pen.lineWidth = clamp(size * 0.28, 1.5, 6);
  for (let at = 1; at < steps; at++) {
    const [r0, c0, r1, c1] = trail.slice(2 * at - 2, 2 * at + 2);
    if (Math.abs(r0 - r1) + Math.abs(c0 - c1) > 2) continue;
    pen.globalAlpha = 0.55 * (at / steps) ** 1.5;
    pen.beginPath();
    pen.moveTo((c0 + 0.5) * size, (r0 + 0.5) * size);
    pen.lineTo((c1 + 0.5) * size, (r1 + 0.5) * size);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function drawView(pen, view, size) {
  pen.fillStyle = colour("accent");
  pen.strokeStyle = colour("accent");
  pen.lineWidth = 1;
  for (let at = 0; at < view.length; at += 2) {
    const x = view[at + 1] * size, y = view[at] * size;
    pen.globalAlpha = 0.16;
    pen.fillRect(x, y, size, size);
    if (size > 8) {
      pen.globalAlpha = 0.5;
      pen.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
    }
  }
  pen.globalAlpha = 1;
}

function drawAgent(pen, [row, column, direction], size) {
  const reach = Math.max(size * 0.48, BEYOND);
  pen.save();
  pen.translate((column + 0.5) * size, (row + 0.5) * size);
  pen.rotate(Math.max(direction, 0) * Math.PI / 2);
  pen.beginPath();
  if (direction < 0) pen.arc(0, 0, reach * 0.8, 0, 7);
  else {
    pen.moveTo(0, -reach);
    pen.lineTo(reach * 0.8, reach * 0.8);
    pen.lineTo(0, reach * 0.4);
    pen.lineTo(-reach * 0.8, reach * 0.8);
    pen.closePath();
  }
  pen.lineJoin = "round";
  pen.lineWidth = 3;
  pen.strokeStyle = colour("page");
  pen.stroke();
  pen.fillStyle = colour("accent");
  pen.fill();
  pen.restore();
}
