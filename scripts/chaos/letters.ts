import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { HOST } from "../ports.ts";

const POLL_MS = 20;

/** A receiver of webhooks, which can be told not to answer. Only what it has answered counts as arrived. */
export class Letters {
  readonly url: string;
  readonly arrived = new Set<string>();
  readonly #server: Server;
  readonly #unanswered = new Set<ServerResponse>();
  #isSilent = false;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://${HOST}:${(server.address() as AddressInfo).port}/letters`;
    server.on("request", (request, response) => {
      request.resume();
      request.once("end", () => this.#take(String(request.headers["x-svc-event-id"]), response));
    });
  }

  static async open(): Promise<Letters> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(0, HOST, resolve);
    });
    return new Letters(server);
  }

  /** From now on, no call is answered. */
  beSilent(): void {
    this.#isSilent = true;
  }

  /** Until a call waits for its answer, or for so long. */
  async waitForOne(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    while (this.#unanswered.size === 0 && performance.now() < until) await sleep(POLL_MS);
  }

  /** Calls that wait are cut off without an answer, and later ones are answered. */
  speak(): void {
    this.#isSilent = false;
    for (const response of this.#unanswered) response.destroy();
    this.#unanswered.clear();
  }

  async close(): Promise<void> {
    this.speak();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #take(event: string, response: ServerResponse): void {
    if (this.#isSilent) {
      this.#unanswered.add(response);
      return;
    }
    this.arrived.add(event);
    response.writeHead(200).end();
  }
}
