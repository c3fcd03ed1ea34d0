import { ByteReader } from "./byte-reader.ts";
import { END } from "./frame.ts";

/** Runs that were written together, by the numbers of their columns. */
export interface Frame {
  readonly count: number;
  readonly columns: ReadonlyMap<number, Uint8Array>;
}

/** The frames of a block. Nothing in them is decoded. */
export function framesOf(bytes: Uint8Array): Frame[] {
  const reader = new ByteReader(bytes);
  const frames: Frame[] = [];
  while (!reader.isAtEnd) frames.push(readFrame(reader));
  return frames;
}

function readFrame(reader: ByteReader): Frame {
  const count = reader.count();
  const columns = new Map<number, Uint8Array>();
  for (let column = reader.byte(); column !== END; column = reader.byte()) {
    columns.set(column, reader.part(reader.count()));
  }
  return { count, columns };
}
