import type { GovernedCall } from "./governed-call.ts";
import { observed } from "./observed-body.ts";
import { usageReader } from "./usage/reading.ts";

/** A provider's answer, unchanged, whose end settles the call. */
export function settledResponse(answer: Response, call: GovernedCall): Response {
  if (!answer.ok) {
    call.fail();
    return answer;
  }
  if (answer.body === null) {
    call.finish(null);
    return answer;
  }
  const { status, statusText, headers } = answer;
  return withUrl(
    new Response(settledBody(answer.body, headers, call), { status, statusText, headers }),
    answer.url,
  );
}

/** The same bytes. Whichever way they end, the call is settled by what passed until then. */
export function settledBody(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  call: GovernedCall,
): ReadableStream<Uint8Array> {
  const reader = usageReader(headers.get("content-type"));
  const { readable } = observed(body, {
    chunk: (chunk) => reader.push(chunk),
    end: () => call.finish(reader.reading),
    error: (error) => (isAbort(error) ? call.cancel(reader.reading) : call.breakOff(reader.reading)),
    cancel: () => call.cancel(reader.reading),
  });
  return readable;
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
}

/** A new response has no address, and SDKs show it in their logs. */
function withUrl(response: Response, url: string): Response {
  Object.defineProperty(response, "url", { value: url });
  return response;
}
