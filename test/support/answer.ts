/** What came back for a call, read to its end. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, if there is one. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as their callers do, by path
  readonly body: any;
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  text(): Promise<string>;
}

export async function answerOf(response: Received): Promise<HttpAnswer> {
  return asAnswer(response, await response.text());
}

export function asAnswer({ status, headers }: Omit<Received, "text">, text: string): HttpAnswer {
  const isJson = headers.get("content-type")?.startsWith("application/json") === true;
  return { status, headers, text, body: isJson && text !== "" ? JSON.parse(text) : undefined };
}
