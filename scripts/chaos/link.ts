import { connect, createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { HOST } from "../ports.ts";

/** A connection between two parts, which can be cut or slowed down. It listens at once; where it leads is said later. */
export class Link {
  readonly url: string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #port = 0;
  #delayMs = 0;
  #isCut = false;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://${HOST}:${(server.address() as AddressInfo).port}`;
    server.on("connection", (socket) => this.#accept(socket));
  }

  static async open(): Promise<Link> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(0, HOST, resolve);
    });
    return new Link(server);
  }

  leadTo(url: string): void {
    this.#port = Number(new URL(url).port);
  }

  /** Ends every connection, and refuses new ones until it heals. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#open) socket.destroy();
  }

  delay(ms: number): void {
    this.#delayMs = ms;
  }

  heal(): void {
    this.#isCut = false;
    this.#delayMs = 0;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    if (this.#isCut) {
      socket.destroy();
      return;
    }
    const other = connect(this.#port, HOST);
    this.#pass(socket, other);
    this.#pass(other, socket);
  }

  #pass(from: Socket, to: Socket): void {
    this.#open.add(from);
    // All data waits alike, so that none overtakes another.
    let last = Promise.resolve();
    from.on("data", (data) => {
      const delayMs = this.#delayMs;
      last = last.then(() =>
        delayMs === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, delayMs)),
      );
      void last.then(() => to.writable && to.write(data));
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      this.#open.delete(from);
      void last.then(() => to.destroy());
    });
  }
}
