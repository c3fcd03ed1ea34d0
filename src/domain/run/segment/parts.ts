import { TOKEN_CLASS_NAMES, type TokenClass } from "../../../contract/token-classes.ts";
import { ByteReader } from "../../bytes/byte-reader.ts";
import { readTexts } from "./texts.ts";

/**
 * In a row group where some run has parts, or has saved, the first such text has one of these, whatever it shares with the text
 * before it: no other name of what runs have begins with `sa`.
 */
const [PARTS_END, SAVED_END] = ['rts":{"', 'ved":"'];
const [PARTS, SAVED] = ['"parts":{', '"saved":"'];
const COUNTS = TOKEN_CLASS_NAMES.map((name) => `(?:"${name}":(\\d+),?)?`).join("");
/** Matches both at the beginning of a stored `extra`: they come before anything that callers choose freely. */
const WRITTEN = new RegExp(
  `^\\{(?:"priced":(?:\\d+|true),?)?(?:"variant":"[^"\\\\]*",?)?(?:"parts":\\{${COUNTS}\\},?)?(?:"saved":"(\\d+)")?`,
);

/** Receives the fields of runs that have no column, each with the run's place in its row group. */
export interface ExtraReader {
  part(run: number, name: string, tokens: number): void;
  /** The digits of nano-dollars. */
  saved(run: number, nanos: string): void;
}

/** Tells of each part of a run's tokens, and of what each run saved, in one pass. */
export function readExtra(extra: Uint8Array | undefined, count: number, reader: ExtraReader): void {
  if (extra === undefined) return;
  const view = Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength);
  if (!view.includes(PARTS_END) && !view.includes(SAVED_END)) return;
  for (const [run, text] of readTexts(new ByteReader(extra), count).entries()) {
    if (text === null) continue;
    const written = WRITTEN.exec(text);
    const end = written?.[0].length ?? 0;
    // Text of a caller may look like either, too.
    const isAll = end + 1 === text.length;
    if (!isAll && (text.includes(PARTS, end) || text.includes(SAVED, end))) {
      readParsed(text, run, reader);
      continue;
    }
    for (let at = 0; at < TOKEN_CLASS_NAMES.length; at += 1) {
      const tokens = written?.[at + 1];
      if (tokens !== undefined) reader.part(run, TOKEN_CLASS_NAMES[at] ?? "", Number(tokens));
    }
    const saved = written?.[TOKEN_CLASS_NAMES.length + 1];
    if (saved !== undefined) reader.saved(run, saved);
  }
}

function readParsed(text: string, run: number, reader: ExtraReader): void {
  const { parts = {}, saved } = JSON.parse(text) as {
    parts?: Partial<Record<TokenClass, number>>;
    saved?: string;
  };
  for (const [name, tokens] of Object.entries(parts)) reader.part(run, name, tokens);
  if (saved !== undefined) reader.saved(run, saved);
}
