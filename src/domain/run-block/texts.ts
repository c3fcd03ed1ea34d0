import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";

/**
 * Texts that mostly differ, such as ids. Each is written as the length of the prefix that it shares with the previous
 * one, and the rest. All rests form one text, which is encoded and decoded at once. A UUID takes 16 bytes.
 */
const MIXED = 0;
const UUIDS = 1;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_BYTES = 16;

export function writeTexts(writer: ByteWriter, texts: readonly (string | null)[]): void {
  if (texts.every((text) => text?.length === 36 && UUID.test(text))) {
    writer.byte(UUIDS);
    for (const text of texts) if (text !== null) writeUuid(writer, text);
    return;
  }
  writer.byte(MIXED);
  let rests = "";
  let previous = "";
  for (const text of texts) {
    // One more than the shared length, because 0 stands for null.
    if (text === null) {
      writer.count(0);
      continue;
    }
    const shared = sharedLength(previous, text);
    writer.count(shared + 1);
    writer.count(text.length - shared);
    rests += shared === 0 ? text : text.slice(shared);
    previous = text;
  }
  writer.text(rests);
}

export function readTexts(reader: ByteReader, count: number): (string | null)[] {
  if (reader.byte() === UUIDS) return Array.from({ length: count }, () => readUuid(reader));
  const shapes = new Float64Array(count * 2);
  for (let at = 0; at < count; at += 1) {
    const shared = reader.count();
    shapes[at * 2] = shared;
    if (shared > 0) shapes[at * 2 + 1] = reader.count();
  }
  const rests = reader.text();
  const texts: (string | null)[] = [];
  let previous = "";
  let from = 0;
  for (let at = 0; at < count; at += 1) {
    const shared = shapes[at * 2] ?? 0;
    if (shared === 0) {
      texts.push(null);
      continue;
    }
    const to = from + (shapes[at * 2 + 1] ?? 0);
    const rest = rests.slice(from, to);
    previous = shared === 1 ? rest : previous.slice(0, shared - 1) + rest;
    from = to;
    texts.push(previous);
  }
  return texts;
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  // Half of a surrogate pair cannot be encoded alone.
  return at > 0 && isHighSurrogate(one.charCodeAt(at - 1)) ? at - 1 : at;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdb_ff;
}

const DASHES_BEFORE = new Set([4, 6, 8, 10]);
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function writeUuid(writer: ByteWriter, text: string): void {
  for (let byte = 0, at = 0; byte < UUID_BYTES; byte += 1, at += 2) {
    if (DASHES_BEFORE.has(byte)) at += 1;
    writer.byte((digit(text.charCodeAt(at)) << 4) | digit(text.charCodeAt(at + 1)));
  }
}

function readUuid(reader: ByteReader): string {
  const bytes = reader.part(UUID_BYTES);
  let text = "";
  for (let byte = 0; byte < UUID_BYTES; byte += 1) {
    text += `${DASHES_BEFORE.has(byte) ? "-" : ""}${HEX[bytes[byte] ?? 0]}`;
  }
  return text;
}

/** The value of a lower-case hexadecimal digit by its character code. */
function digit(code: number): number {
  return code > 57 ? code - 87 : code - 48;
}
