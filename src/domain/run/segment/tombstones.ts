import { ByteReader } from "../../bytes/byte-reader.ts";
import { ByteWriter } from "../../bytes/byte-writer.ts";

/**
 * The remainder of a run that retention has deleted: enough to recognize it if it is sent again, and to say what it
 * cost.
 */
export interface Tombstone {
  /** The hash by which the index finds its id. */
  readonly keyHash: number;
  /** Digests of the id and of the run's content, in hexadecimal. */
  readonly name: string;
  readonly said: string;
  readonly recordedAt: number;
  readonly chargedAt: number;
  readonly depth: number;
  readonly cost: bigint;
}

export const NAME_BYTES = 10;
export const SAID_BYTES = 8;

export function encodeTombstones(all: readonly Tombstone[]): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writer.count(all.length);
  let previous = 0;
  for (const one of all) {
    writer.count(one.keyHash);
    writeHex(writer, one.name, NAME_BYTES);
    writeHex(writer, one.said, SAID_BYTES);
    writer.signed(one.recordedAt - previous);
    writer.signed(one.recordedAt - one.chargedAt);
    writer.count(one.depth);
    writer.amount(one.cost);
    previous = one.recordedAt;
  }
  return writer.bytes;
}

export function decodeTombstones(bytes: Uint8Array): Tombstone[] {
  const reader = new ByteReader(bytes);
  let recordedAt = 0;
  return Array.from({ length: reader.count() }, () => {
    const keyHash = reader.count();
    const name = readHex(reader, NAME_BYTES);
    const said = readHex(reader, SAID_BYTES);
    recordedAt += reader.signed();
    const chargedAt = recordedAt - reader.signed();
    return { keyHash, name, said, recordedAt, chargedAt, depth: reader.count(), cost: reader.amount() };
  });
}

function writeHex(writer: ByteWriter, text: string, length: number): void {
  for (let at = 0; at < length; at += 1) writer.byte(Number.parseInt(text.slice(at * 2, at * 2 + 2), 16));
}

function readHex(reader: ByteReader, length: number): string {
  return Array.from(reader.part(length), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
