/** Calls over real sockets, as a client makes them. */

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, if there is one. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as their callers do, by path
  readonly body: any;
}

export interface HttpOptions {
  readonly key?: string;
  readonly body?: unknown;
  /** A body sent as it is, instead of `body`. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

export async function http(method: string, url: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  const headers = new Headers(options.headers);
  if (options.key !== undefined) headers.set("authorization", `Bearer ${options.key}`);
  const body = options.text ?? (options.body === undefined ? null : JSON.stringify(options.body));
  if (body !== null) headers.set("content-type", "application/json");
  return answerOf(await fetch(url, { method, headers, body, redirect: "manual" }));
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  text(): Promise<string>;
}

export async function answerOf(response: Received): Promise<HttpAnswer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}
