import type { WireRefusal } from "../adapters/refusal-response.ts";

/** The whole body. A body over the bound is refused as soon as that is known. */
export async function bodyWithin(
  request: Request,
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer> | WireRefusal> {
  const { body } = request;
  if (Number(request.headers.get("content-length") ?? 0) > mostBytes) return tooLarge(mostBytes);
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > mostBytes) {
      await reader.cancel().catch(() => undefined);
      return tooLarge(mostBytes);
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

function tooLarge(mostBytes: number): WireRefusal {
  const message = `The body is larger than ${mostBytes} bytes, which is the most that this proxy takes.`;
  return { status: 413, code: "payload_too_large", message, details: {} };
}
