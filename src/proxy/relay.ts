import type { GovernedCall } from "../adapters/governed-call.ts";
import type { Dialect } from "../adapters/refusal-response.ts";
import { observed } from "../adapters/observed-body.ts";
import { usageReader } from "../adapters/usage/reading.ts";
import { badGateway, failedAnswer } from "./answer.ts";
import { headersFrom } from "./headers.ts";
import type { Provider } from "./options.ts";
import type { Watch } from "./watch.ts";

export interface Relayed {
  readonly call: GovernedCall;
  readonly provider: Provider;
  readonly dialect: Dialect;
  readonly watch: Watch;
  /** Fires when the caller goes away. */
  readonly gone: AbortSignal;
  readonly send: () => Promise<Response>;
}

/** The provider's answer, byte for byte, as fast as the caller reads it. Whichever way it ends, the call is settled. */
export async function relay(relayed: Relayed): Promise<Response> {
  const { call, watch, dialect, provider } = relayed;
  let answer: Response;
  try {
    answer = await relayed.send();
  } catch {
    watch.end();
    if (relayed.gone.aborted) call.cancel(null);
    else call.fail();
    return badGateway("The provider could not be reached, or did not answer in time.", dialect);
  }
  if (answer.ok) return succeeded(answer, relayed);
  call.fail();
  try {
    return await failedAnswer(answer, provider, dialect);
  } catch {
    return badGateway("The provider broke off its answer.", dialect);
  } finally {
    watch.end();
  }
}

function succeeded(answer: Response, relayed: Relayed): Response {
  const { call, provider, watch } = relayed;
  const headers = headersFrom(provider, answer.headers);
  headers.set("x-sluice-run-id", call.runId);
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
  { call, watch, gone }: Relayed,
): ReadableStream<Uint8Array> {
  const reader = usageReader(headers.get("content-type"));
  const ended = (settle: () => void) => {
    watch.end();
    settle();
  };
  const stream = observed(
    body,
    {
      chunk: (chunk) => {
        watch.heard();
        reader.push(chunk);
      },
      end: () => ended(() => call.finish(reader.reading)),
      error: () => ended(() => (gone.aborted ? call.cancel(reader.reading) : call.breakOff(reader.reading))),
      cancel: () => ended(() => call.cancel(reader.reading)),
    },
    call.isToldAtEnd,
  );
  gone.addEventListener("abort", () => void stream.leave());
  if (gone.aborted) void stream.leave();
  return stream.readable;
}
