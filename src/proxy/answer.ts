import type { WireRefusal } from "../providers/wire-refusal.ts";
import type { KeyOf } from "./credentials.ts";
import { headersFrom } from "./headers.ts";

const MOST_ERROR_BYTES = 65_536;

const NOT_ACCEPTED = {
  proxy: "The provider did not accept this proxy's own key. Your key is not the reason: tell its operator.",
  org: "The provider did not accept the key that your organization has set for it. An admin can set another.",
} as const;

/** The provider did not answer as one does. Its text is not passed on. */
export function badGateway(message: string): WireRefusal {
  return { status: 502, code: "bad_gateway", message, details: {} };
}

interface FailedCall {
  readonly secrets: readonly string[];
  readonly keyOf: KeyOf;
  readonly keyRefusals?: readonly number[] | undefined;
}

/** Returns the part of an answer that is relayed if it is no success. */
export async function failedAnswer(
  answer: Response,
  { secrets, keyOf, keyRefusals = [401] }: FailedCall,
): Promise<Response | WireRefusal> {
  const { status } = answer;
  if (status < 400) {
    await answer.body?.cancel();
    return badGateway("The provider answered with a redirect, which this proxy does not follow.");
  }
  if (keyRefusals.includes(status) && keyOf !== "caller") {
    await answer.body?.cancel();
    return badGateway(NOT_ACCEPTED[keyOf]);
  }
  const text = await textWithin(answer, MOST_ERROR_BYTES);
  return new Response(
    secrets.reduce((shown, secret) => shown.replaceAll(secret, "[key]"), text),
    { status, headers: headersFrom(secrets, answer.headers) },
  );
}

/** The beginning of a body. A provider that never ends is left there. */
export async function textWithin({ body }: Response, mostBytes: number): Promise<string> {
  if (body === null) return "";
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; bytes < mostBytes;) {
    const { done, value } = await reader.read();
    if (done) return text;
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel().catch(() => undefined);
  return text.slice(0, mostBytes);
}
