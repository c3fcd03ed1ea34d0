import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HOST } from "../ports.ts";

const BUSY = { error: { message: "busy", type: "server_error" } };

/** A provider that has the API of OpenAI, fails for some models, and knows with which keys it was called. */
export class FlakyProvider {
  readonly url: string;
  readonly failing = new Set<string>();
  /** The model of each call that it billed. */
  readonly billed: string[] = [];
  readonly keys: (string | undefined)[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://${HOST}:${(server.address() as AddressInfo).port}`;
    server.on("request", (request: IncomingMessage, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      request.once("end", () => {
        const [status, body] = this.#answerTo(request, text);
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
    });
  }

  static async open(): Promise<FlakyProvider> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(0, HOST, resolve);
    });
    return new FlakyProvider(server);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #answerTo({ headers }: IncomingMessage, text: string): readonly [status: number, body: object] {
    const { model } = JSON.parse(text) as { model: string };
    this.keys.push(headers.authorization);
    if (this.failing.has(model)) return [503, BUSY];
    this.billed.push(model);
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const message = { role: "assistant", content: "yes" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return [200, { id: crypto.randomUUID(), object: "chat.completion", created: 0, model, choices, usage }];
  }
}
