import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LASTING } from "./lasting.ts";
import { alike, asSdkWrites, type ReceivedSpan, spansIn } from "./otlp.ts";

/** What happens to a request. `lost`: its spans are taken, and the answer is not heard. */
export type SpanFate = "pass" | "busy" | "broken" | "lost" | "endless" | "held";

/** A receiver of OTLP over HTTP, on a real socket. It takes only what OpenTelemetry's own code would have written. */
export interface OtlpReceiver {
  readonly endpoint: string;
  /** Spans that were taken, in order, as often as they were. */
  readonly taken: readonly ReceivedSpan[];
  readonly requests: number;
  /** What arrived that the SDK would not have written. */
  readonly strange: readonly string[];
  fate: () => SpanFate;
  /** Nobody listens until it is started again, at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

const ENDLESS_BYTES = 65_536;

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const taken: ReceivedSpan[] = [];
  const strange: string[] = [];
  let [server, port, requests]: [Server | null, number, number] = [null, 0, 0];
  const take = (body: string) => {
    if (JSON.stringify(alike(JSON.parse(body))) !== JSON.stringify(asSdkWrites(body))) strange.push(body);
    taken.push(...spansIn(body));
  };
  const answer = (response: ServerResponse, body: string, fate: SpanFate) => {
    if (fate === "held") return;
    if (fate === "pass" || fate === "lost" || fate === "endless") take(body);
    if (fate === "broken" || fate === "lost") response.destroy();
    else if (fate === "busy") response.writeHead(503, { "retry-after": "7" }).end();
    else if (fate === "pass") response.writeHead(200, { "content-type": "application/json" }).end("{}");
    else pour(response.writeHead(200));
  };
  const receiver: OtlpReceiver = {
    get endpoint() {
      return `http://127.0.0.1:${port}`;
    },
    get requests() {
      return requests;
    },
    taken,
    strange,
    fate: () => "pass",
    async stop() {
      const closing = server;
      server = null;
      await new Promise<void>((resolve) => {
        closing?.close(() => resolve());
        closing?.closeAllConnections();
      });
    },
    async start() {
      const opened = createServer(LASTING, (request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          requests += 1;
          answer(response, Buffer.concat(chunks).toString("utf8"), receiver.fate());
        });
      });
      await new Promise<void>((resolve) => opened.listen(port, "127.0.0.1", resolve));
      ({ port } = opened.address() as AddressInfo);
      server = opened;
    },
  };
  await receiver.start();
  return receiver;
}

/** Writes for as long as anybody reads. */
function pour(response: ServerResponse): void {
  const chunk = Buffer.alloc(ENDLESS_BYTES, "{");
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  response.on("error", () => undefined);
  more();
}
