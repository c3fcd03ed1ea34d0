import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LASTING } from "./lasting.ts";

/** A receiver of webhooks on a real socket. */

interface Arrived {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: { readonly id: string; readonly type: string };
}

type Answer = (response: ServerResponse, nth: number, request: IncomingMessage) => void;

export interface HttpReceiver {
  readonly url: string;
  readonly arrived: readonly Arrived[];
  answer: Answer;
  /** How many bytes were written to callers. An endless response is cut short by its reader. */
  written(): number;
  close(): Promise<void>;
}

export const answerWith =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end("answered");

export async function startReceiver(answer: Answer = answerWith(200)): Promise<HttpReceiver> {
  const arrived: Arrived[] = [];
  let written = 0;
  const server = createServer(LASTING, (request, response) => {
    const chunks: Buffer[] = [];
    const { socket } = request;
    socket.once("close", () => (written += socket.bytesWritten));
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const headers = request.headers as Record<string, string>;
      arrived.push({ headers, body, event: JSON.parse(body) as Arrived["event"] });
      receiver.answer(response, arrived.length, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: HttpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrived,
    answer,
    written: () => written,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
