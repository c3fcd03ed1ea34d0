import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Billed, billOf } from "./rates.ts";
import type { Json, Piece, Said, Shape } from "./shape.ts";
import { asAsked } from "./wires/gemini.ts";

const WORDS = ["the ", "sun ", "is ", "up ", "and ", "we ", "go ", "on ", "to ", "see ", "it ", "all "];
const MOST_WORDS = 400;
/** Before a caller leaves, or a connection breaks, so much of the answer has come. */
const SHOWN_PIECES = 12;
const KEPT_OPEN_MS = 60_000;
/** Longer than a caller needs to leave. */
const GOES_ON_AFTER_MS = 40;

/** What a provider has billed of a call. */
export interface Bill {
  readonly shape: Shape;
  nanos: bigint;
  /** How often the call came. */
  times: number;
}

/**
 * A provider that answers as a shape says, in the form of its API, and bills by its own table whatever it tells. It knows a call by a
 * name in its text, so that it need not trust anything that somebody on the way writes.
 */
export class BillingProvider {
  readonly bills = new Map<string, Bill>();
  readonly #shapes = new Map<string, Shape>();
  readonly #server = createServer({ keepAliveTimeout: KEPT_OPEN_MS }, (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** A name for a call, to be put into its text. */
  nameOf(shape: Shape): string {
    const name = `meter-${this.#shapes.size + 1}-`;
    this.#shapes.set(name, shape);
    return name;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("latin1");
    const [name = ""] = /meter-\d+-/.exec(body) ?? [];
    const shape = this.#shapes.get(name);
    if (shape === undefined) {
      response.writeHead(404).end();
      return;
    }
    const bill = this.bills.get(name) ?? { shape, nanos: 0n, times: 0 };
    bill.times += 1;
    this.bills.set(name, bill);
    await answer({ shape, bill, request, response, sent: jsonIn(body) });
  }
}

interface Serving {
  readonly shape: Shape;
  readonly bill: Bill;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly sent: Json;
}

async function answer(serving: Serving): Promise<void> {
  const { shape, bill, response, sent } = serving;
  const { wire, priced, ends } = shape;
  const billed = typeof shape.billed === "function" ? shape.billed(sent) : shape.billed;
  const said = saidOf(shape, billed);
  if (shape.isStream === true) {
    await stream(serving, said);
    return;
  }
  bill.nanos += billOf(priced, billed);
  if (ends === "lost") {
    response.destroy();
    return;
  }
  if (ends === "timed out") {
    response.writeHead(504, { "content-type": "text/html" }).end("<html>504 Gateway Time-out</html>");
    return;
  }
  const whole = wire.whole(said);
  response.writeHead(200, { "content-type": wire.wholeType ?? "application/json" });
  response.end(whole instanceof Uint8Array ? whole : shown(JSON.stringify(whole), serving));
}

function saidOf(shape: Shape, billed: Billed): Said {
  const { wire, tells, items = [] } = shape;
  const full = wire.usageOf(billed);
  const words = Math.max(1, Math.min(MOST_WORDS, billed.output ?? 0));
  return {
    model: shape.priced.slice(shape.priced.indexOf(" ") + 1),
    words: Array.from({ length: words }, (_, index) => WORDS[index % WORDS.length] ?? ""),
    billed,
    usage: tells === undefined ? full : tells(full),
    tier: shape.tier,
    tellsEarly: shape.tellsEarly === true,
    items: typeof items === "function" ? items(billed) : items,
  };
}

/** A stream that ends early is billed for what was sent of it, and for what the model had thought before. */
async function stream({ shape, bill, request, response }: Serving, said: Said): Promise<void> {
  const { wire, priced, ends } = shape;
  const pieces = wire.pieces?.(said) ?? [];
  const isWhole = ends === undefined || ends === "left alone";
  const before = bill.nanos;
  const write = (list: readonly Piece[]) => {
    for (const { bytes } of list)
      response.write(typeof bytes === "string" ? shown(bytes, { shape, request }) : bytes);
  };
  const head = pieces.slice(0, isWhole && ends === undefined ? pieces.length : SHOWN_PIECES);
  const rest = pieces.slice(head.length);
  const sentTokens = head.reduce((sum, { tokens }) => sum + tokens, 0);
  bill.nanos = before + billOf(priced, isWhole ? said.billed : { ...said.billed, output: sentTokens });
  response.writeHead(200, { "content-type": wire.streamType ?? "text/event-stream; charset=utf-8" });
  write(head);
  if (ends === "left") {
    await once(response, "close");
    return;
  }
  if (ends === "left alone") await sleep(GOES_ON_AFTER_MS);
  if (ends === "cut") {
    await sleep(GOES_ON_AFTER_MS);
    response.destroy();
    return;
  }
  if (ends === "broken off" && wire.failure !== undefined) write([wire.failure()]);
  if (isWhole) write(rest);
  response.end();
}

/** Only Google's front leaves fields out. */
function shown(text: string, { shape, request }: Pick<Serving, "shape" | "request">): string {
  if (shape.host !== "gemini") return text;
  const { searchParams: query } = new URL(request.url ?? "/", "http://provider.test");
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  return asAsked(text, { query, headers });
}

function jsonIn(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return {};
  }
}
