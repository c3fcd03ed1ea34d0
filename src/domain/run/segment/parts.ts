import type { TokenClass } from "../../../contract/token-classes.ts";
import { ByteReader } from "../../bytes/byte-reader.ts";
import { readTexts } from "./texts.ts";

/** In a row group where some run has parts, the first such text has this, whatever it shares with the text before it. */
const PARTS_END = 'rts":{"';
const PARTS = '"parts":{';
/** What parts look like in what a run has beside its columns, as it is written. */
const WRITTEN = /^\{(?:"priced":(?:\d+|true),)?"parts":\{([^}]*)\}/;

/** Calls back for each part of a run's tokens, with the run's place in its row group. */
export function eachPart(
  extra: Uint8Array | undefined,
  count: number,
  add: (run: number, name: string, tokens: number) => void,
): void {
  if (extra === undefined) return;
  const view = Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength);
  if (!view.includes(PARTS_END)) return;
  for (const [run, text] of readTexts(new ByteReader(extra), count).entries()) {
    if (text === null || !text.includes(PARTS)) continue;
    const written = WRITTEN.exec(text)?.[1];
    if (written === undefined) addParsed(text, (name, tokens) => add(run, name, tokens));
    else addWritten(written, (name, tokens) => add(run, name, tokens));
  }
}

/** In a frame where some run has saved, the first such text has this: no other name of what runs have begins with `sa`. */
const SAVED_END = 'ved":"';
const SAVED = '"saved":"';
/** What it looks like in what a run has beside its columns, as it is written: before anything that callers choose freely. */
const WRITTEN_SAVED =
  /^\{(?:"priced":(?:\d+|true),)?(?:"variant":"[^"\\]*",)?(?:"parts":\{[^}]*\},)?"saved":"(\d+)"/;

/** Calls back for each run that saved something, with its place in its frame and the nano-dollars. */
export function eachSaved(
  extra: Uint8Array | undefined,
  count: number,
  add: (run: number, nanos: bigint) => void,
): void {
  if (extra === undefined) return;
  const view = Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength);
  if (!view.includes(SAVED_END)) return;
  for (const [run, text] of readTexts(new ByteReader(extra), count).entries()) {
    if (text === null || !text.includes(SAVED)) continue;
    const saved = WRITTEN_SAVED.exec(text)?.[1] ?? (JSON.parse(text) as { saved?: string }).saved;
    if (saved !== undefined) add(run, BigInt(saved));
  }
}

/** Of `"cache_read":12,"reasoning":3`. */
function addWritten(written: string, add: (name: string, tokens: number) => void): void {
  for (let at = 0; at < written.length;) {
    const colon = written.indexOf(":", at);
    const comma = written.indexOf(",", colon);
    const end = comma === -1 ? written.length : comma;
    add(written.slice(at + 1, colon - 1), Number(written.slice(colon + 1, end)));
    at = end + 1;
  }
}

function addParsed(text: string, add: (name: string, tokens: number) => void): void {
  const { parts = {} } = JSON.parse(text) as { parts?: Partial<Record<TokenClass, number>> };
  for (const [name, tokens] of Object.entries(parts)) add(name, tokens);
}
