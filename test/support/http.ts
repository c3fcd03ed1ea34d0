import { type IncomingMessage, request } from "node:http";
import { type HttpAnswer, asAnswer } from "./answer.ts";

export type { HttpAnswer } from "./answer.ts";

/** Calls over real sockets, as a client makes them. */

export interface HttpOptions {
  readonly key?: string;
  readonly body?: unknown;
  /** A body sent as it is, instead of `body`. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

/**
 * One call, over a connection of its own (`connections.ts` says why), without following a redirect. A call by `fetch` costs
 * its caller three times as much, and more than it costs the server.
 */
export async function http(method: string, url: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  const headers = new Headers(options.headers);
  if (!headers.has("accept")) headers.set("accept", "*/*");
  if (options.key !== undefined) headers.set("authorization", `Bearer ${options.key}`);
  const body = options.text ?? (options.body === undefined ? null : JSON.stringify(options.body));
  if (body !== null) {
    headers.set("content-type", "application/json");
    headers.set("content-length", String(Buffer.byteLength(body)));
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: Object.fromEntries(headers), agent: false }, (response) => {
      read(response).then(resolve, reject);
    });
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });
}

async function read(response: IncomingMessage): Promise<HttpAnswer> {
  const text = await new Promise<string>((resolve, reject) => {
    let received = "";
    response.setEncoding("utf8").on("data", (part: string) => (received += part));
    response.on("end", () => resolve(received)).on("error", reject);
  });
  return asAnswer({ status: response.statusCode ?? 0, headers: headersOf(response) }, text);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  return headers;
}
