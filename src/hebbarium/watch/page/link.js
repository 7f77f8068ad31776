// The socket: what is asked for goes out, what is told comes in; lost, it is opened again.
import { clearNotice, notice } from "./tools.js";

const FEW = 3; // tries after which the server is likely to be another one, with another token

export class Link {
  constructor(token, told, lost) {
    this.address = `ws://${location.host}/socket?token=${encodeURIComponent(token)}`;
    this.told = told;
    this.lost = lost;
    this.tries = 0;
    this.open();
  }

  open() {
    const socket = this.socket = new WebSocket(this.address);
    socket.addEventListener("open", () => { this.tries = 0; clearNotice("lost"); });
    socket.addEventListener("message", (event) => this.told(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      this.tries++;
      this.lost();
      notice(this.problem(event.code), "lost");
      setTimeout(() => this.open(), Math.min(8000, 500 * 2 ** this.tries));
    });
  }

  problem(code) {
    if (code === 1013) return "Too many pages are open. Trying again…";
    if (this.tries < FEW) return "The server is gone. Trying again…";
    return "The server is gone. If it was started again, open the address that hebbarium watch printed.";
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}

export class Twin {
  // Without a server: a worker that is part of this page lives the same lives.
  constructor({ known, worker }, told) {
    this.worker = new Worker(URL.createObjectURL(new Blob([worker], { type: "text/javascript" })));
    this.worker.addEventListener("message", (event) => told(event.data));
    this.worker.addEventListener("error", (event) => notice(`Something went wrong in this page: ${event.message}`, "problem"));
    this.worker.postMessage({ known });
  }

  send(message) { this.worker.postMessage(message); }
}
