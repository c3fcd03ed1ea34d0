import { readBounded } from "../../edge/request/read-bounded.ts";
import type { Settings } from "../../settings.ts";
import type { ReadForm } from "../html.tsx";

/** The largest file of a form. It is in memory twice while it is read; the API takes a file of any size, in pieces. */
export const MOST_UPLOAD_MIB = 15;
const MIB = 1_048_576;
/** A form has at most so many bytes beside its file. */
const OF_FIELDS = 65_536;

/** A form with one file. */
export async function readUpload(request: Request, settings: Settings): Promise<ReadForm> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.startsWith("multipart/form-data")) return { fields: null, tooLong: false };
  const bytes = await readBounded(request, MOST_UPLOAD_MIB * MIB + OF_FIELDS, settings);
  if (bytes === null) return { fields: null, tooLong: true };
  const sent = await new Response(bytes, { headers: { "content-type": type } }).formData().catch(() => null);
  if (sent === null) return { fields: null, tooLong: false };
  const fields = new URLSearchParams();
  let file: Uint8Array | null = null;
  for (const [name, value] of sent) {
    if (typeof value === "string") fields.append(name, value);
    // A form without a file sends one of no bytes.
    else if (value.size > 0) file = new Uint8Array(await value.arrayBuffer());
  }
  return { fields, file };
}

const PIECE_BYTES = 65_536;

/** A file as a network delivers it, so that whoever reads it has little of it in memory at once. */
export function streamOf(file: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= file.byteLength) return controller.close();
      controller.enqueue(file.slice(at, at + PIECE_BYTES));
      at += PIECE_BYTES;
    },
  });
}
