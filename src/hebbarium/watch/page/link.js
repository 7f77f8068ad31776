// The socket: what is asked for goes out, what is told comes in; lost, it is opened again.
import { notice } from "./tools.js";

export class Link {
  constructor(token, told, opened) {
    this.address = `ws://${location.host}/socket?token=${encodeURIComponent(token)}`;
    this.told = told;
    this.opened = opened;
    this.tries = 0;
    this.open();
  }

  open() {
    const socket = this.socket = new WebSocket(this.address);
    socket.addEventListener("open", () => { this.tries = 0; notice(""); this.opened(); });
    socket.addEventListener("message", (event) => this.told(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      this.tries++;
      const why = event.code === 1013 ? "Too many pages are open." : "The server is gone.";
      notice(`${why} Trying again…`, "problem");
      setTimeout(() => this.open(), Math.min(8000, 500 * 2 ** this.tries));
    });
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
