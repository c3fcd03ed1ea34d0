import type { TokenClass } from "../../../contract/token-classes.ts";
import { ByteReader } from "../../bytes/byte-reader.ts";
import { readTexts } from "./texts.ts";

/**
 * In a row group where some run has parts, or has saved, the first such text has one of these, whatever it shares with the text
 * before it: no other name of what runs have begins with `sa`.
 */
const [PARTS_END, SAVED_END] = ['rts":{"', 'ved":"'];
const [PARTS, SAVED] = ['"parts":{', '"saved":"'];
/** Matches both at the beginning of a stored `extra`: they come before anything that callers choose freely. */
const WRITTEN =
  /^\{(?:"priced":(?:\d+|true),?)?(?:"variant":"[^"\\]*",?)?(?:"parts":\{([^}]*)\},?)?(?:"saved":"(\d+)")?/;

/** Receives the fields of runs that have no column, each with the run's place in its row group. */
export interface ExtraReader {
  part(run: number, name: string, tokens: number): void;
  /** In nano-dollars. */
  saved(run: number, nanos: bigint): void;
}

/** Tells of each part of a run's tokens, and of what each run saved, in one pass. */
export function readExtra(extra: Uint8Array | undefined, count: number, reader: ExtraReader): void {
  if (extra === undefined) return;
  const view = Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength);
  if (!view.includes(PARTS_END) && !view.includes(SAVED_END)) return;
  for (const [run, text] of readTexts(new ByteReader(extra), count).entries()) {
    if (text === null) continue;
    const [first = "", parts, saved] = WRITTEN.exec(text) ?? [];
    // Text of a caller may look like either, too.
    if (text.includes(PARTS, first.length) || text.includes(SAVED, first.length)) {
      readParsed(text, run, reader);
      continue;
    }
    if (parts !== undefined) readWritten(parts, run, reader);
    if (saved !== undefined) reader.saved(run, BigInt(saved));
  }
}

/** Reads the parts of a text such as `"cache_read":12,"reasoning":3`. */
function readWritten(written: string, run: number, reader: ExtraReader): void {
  for (let at = 0; at < written.length;) {
    const colon = written.indexOf(":", at);
    const comma = written.indexOf(",", colon);
    const end = comma === -1 ? written.length : comma;
    reader.part(run, written.slice(at + 1, colon - 1), Number(written.slice(colon + 1, end)));
    at = end + 1;
  }
}

function readParsed(text: string, run: number, reader: ExtraReader): void {
  const { parts = {}, saved } = JSON.parse(text) as {
    parts?: Partial<Record<TokenClass, number>>;
    saved?: string;
  };
  for (const [name, tokens] of Object.entries(parts)) reader.part(run, name, tokens);
  if (saved !== undefined) reader.saved(run, BigInt(saved));
}
