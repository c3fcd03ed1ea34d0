import type { GovernedCall } from "../adapters/governed-call.ts";
import type { WireRefusal } from "../adapters/refusal-response.ts";
import { observed } from "../adapters/observed-body.ts";
import { isEventStream, readingOf, usageReader } from "../adapters/usage/reading.ts";
import { badGateway, failedAnswer } from "./answer.ts";
import { headersFrom } from "./headers.ts";
import type { Provider } from "./options.ts";
import type { Watch } from "./watch.ts";

export interface Relayed {
  readonly call: GovernedCall;
  readonly provider: Provider;
  readonly watch: Watch;
  /** Fires when the caller goes away. */
  readonly gone: AbortSignal;
  readonly send: () => Promise<Response>;
  /** Whether the answer's body is the runtime's own. */
  readonly isNative: boolean;
}

/** The provider's answer, byte for byte, as fast as the caller reads it. Whichever way it ends, the call is settled. */
export async function relay(relayed: Relayed): Promise<Response | WireRefusal> {
  const { call, watch, provider } = relayed;
  let answer: Response;
  try {
    answer = await relayed.send();
  } catch {
    watch.end();
    if (relayed.gone.aborted) call.cancel(null);
    else call.fail();
    return badGateway("The provider could not be reached, or did not answer in time.");
  }
  if (answer.ok) return isShort(answer) ? shortAnswer(answer, relayed) : succeeded(answer, relayed);
  call.fail();
  try {
    const failed = await failedAnswer(answer, provider);
    if (failed instanceof Response) failed.headers.set("x-sluice-run-id", call.runId);
    return failed;
  } catch {
    return badGateway("The provider broke off its answer.");
  } finally {
    watch.end();
  }
}

/** The longest answer that is read at once. */
const MOST_SHORT_BYTES = 65_536;

/** Whether its length is known and small, and nobody waits for its beginning. What is compressed may be of any length. */
function isShort({ headers, body }: Response): boolean {
  const length = headers.get("content-length");
  return (
    body !== null &&
    length !== null &&
    !headers.has("content-encoding") &&
    Number(length) <= MOST_SHORT_BYTES &&
    !isEventStream(headers.get("content-type"))
  );
}

/** Reading it at once takes a fraction of the processor time that its chunks would, each by itself. */
async function shortAnswer(answer: Response, relayed: Relayed): Promise<Response | WireRefusal> {
  const { call, watch } = relayed;
  try {
    const bytes = await answer.arrayBuffer();
    call.finish(readingOf(new Uint8Array(bytes)));
    return new Response(bytes, { status: answer.status, headers: relayedHeaders(answer, relayed) });
  } catch {
    call.breakOff(readingOf(new Uint8Array()));
    return badGateway("The provider broke off its answer.");
  } finally {
    watch.end();
  }
}

function relayedHeaders(answer: Response, { provider, call }: Relayed): Headers {
  const headers = headersFrom(provider, answer.headers);
  headers.set("x-sluice-run-id", call.runId);
  return headers;
}

function succeeded(answer: Response, relayed: Relayed): Response {
  const { call, watch } = relayed;
  const headers = relayedHeaders(answer, relayed);
  const { status } = answer;
  if (answer.body === null) {
    watch.end();
    call.finish(null);
    return new Response(null, { status, headers });
  }
  return new Response(relayedBody(answer.body as ReadableStream<Uint8Array>, answer.headers, relayed), {
    status,
    headers,
  });
}

function relayedBody(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  { call, watch, gone, isNative }: Relayed,
): ReadableStream<Uint8Array> {
  const contentType = headers.get("content-type");
  const reader = usageReader(contentType);
  const ended = (settle: () => void) => {
    watch.end();
    settle();
  };
  const caller = { hasLeft: false };
  const stream = observed(
    body,
    {
      chunk: (chunk) => {
        watch.heard();
        reader.push(chunk);
      },
      end: () => ended(() => call.finish(reader.reading)),
      error: () =>
        ended(() => (caller.hasLeft ? call.cancel(reader.reading) : call.breakOff(reader.reading))),
      cancel: () => ended(() => call.cancel(reader.reading)),
    },
    // A stream comes as fast as a model writes. Any other body may come faster than a copy of it is read.
    { isReadToEnd: call.isToldAtEnd, isNative: isNative && isEventStream(contentType) },
  );
  whenGone(gone, async () => {
    caller.hasLeft = true;
    await stream.leave();
    // A provider that is silent would go on until its next piece.
    watch.abort(new Error("the caller has left"));
  });
  return stream.readable;
}

/** A function of its own, so that the listener does not keep the signal alive, and the request with it. */
function whenGone(gone: AbortSignal, leave: () => Promise<void>): void {
  if (gone.aborted) void leave();
  else gone.addEventListener("abort", () => void leave(), { once: true });
}
