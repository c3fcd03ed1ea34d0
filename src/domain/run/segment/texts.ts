import type { ByteReader } from "../../bytes/byte-reader.ts";
import { ByteWriter } from "../../bytes/byte-writer.ts";

/**
 * Texts that mostly differ, such as ids. Each is written as the length of the prefix that it shares with the previous
 * one, and the rest. All rests form one text, which is encoded and decoded at once. A UUID takes 16 bytes.
 */
const MIXED = 0;
const UUIDS = 1;

const UUID_BYTES = 16;
const restWriter = new ByteWriter();

export function writeTexts(writer: ByteWriter, texts: readonly (string | null)[]): void {
  if (writeUuids(writer, texts)) return;
  writer.byte(MIXED);
  restWriter.clear();
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
    restWriter.characters(text, shared);
    previous = text;
  }
  writer.count(restWriter.length);
  writer.append(restWriter.view);
}

export function readTexts(reader: ByteReader, count: number): (string | null)[] {
  if (reader.byte() === UUIDS) return Array.from({ length: count }, () => readUuid(reader));
  return readMixed(reader, count, count);
}

/** One of so many texts. */
export function readText(reader: ByteReader, count: number, at: number): string | null {
  if (reader.byte() !== UUIDS) return readMixed(reader, count, at + 1)[at] ?? null;
  reader.part(at * UUID_BYTES);
  return readUuid(reader);
}

/** The first of so many texts. */
function readMixed(reader: ByteReader, count: number, most: number): (string | null)[] {
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
  for (let at = 0; at < most; at += 1) {
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

const UUID_CHARACTERS = 36;
const DASH = 45;
const NO_DIGIT = 16;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** False if one of them is no UUID in lower case. Then nothing is written. */
function writeUuids(writer: ByteWriter, texts: readonly (string | null)[]): boolean {
  const bytes = new Uint8Array(texts.length * UUID_BYTES);
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? null;
    if (text?.length !== UUID_CHARACTERS || !readUuidInto(bytes, at * UUID_BYTES, text)) return false;
  }
  writer.byte(UUIDS);
  writer.append(bytes);
  return true;
}

function readUuidInto(bytes: Uint8Array, start: number, text: string): boolean {
  let at = 0;
  for (let byte = 0; byte < UUID_BYTES; byte += 1) {
    if (isDashBefore(byte) && text.charCodeAt(at++) !== DASH) return false;
    const high = digit(text.charCodeAt(at++));
    const low = digit(text.charCodeAt(at++));
    if ((high | low) >= NO_DIGIT) return false;
    bytes[start + byte] = (high << 4) | low;
  }
  return true;
}

function isDashBefore(byte: number): boolean {
  return byte === 4 || byte === 6 || byte === 8 || byte === 10;
}

function readUuid(reader: ByteReader): string {
  const bytes = reader.part(UUID_BYTES);
  let text = "";
  for (let byte = 0; byte < UUID_BYTES; byte += 1) {
    text += `${isDashBefore(byte) ? "-" : ""}${HEX[bytes[byte] ?? 0]}`;
  }
  return text;
}

/** The value of a lower-case hexadecimal digit by its character code. 16: it is none. */
function digit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : NO_DIGIT;
}
