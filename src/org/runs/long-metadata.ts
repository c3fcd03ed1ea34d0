import { rawJson, writeRaw } from "../../domain/text/raw-json.ts";
import { runInParts } from "../../storage/json-rows.ts";
import type { Run } from "./run.ts";
import { digestOfRun } from "./duplicate-check.ts";

/** Longer metadata is stored outside its run, in parts, because the platform stores no row above 2 MB. */
const LONGEST_IN_ROW_CHARACTERS = 65_536;
/** A character is at most three bytes. */
const PART_CHARACTERS = 500_000;

/** The run as its row holds it. Metadata that is too long is stored separately, and the row has a digest instead. */
export function storeApart(sql: SqlStorage, run: Run): Run {
  if (run.extra?.metadata === undefined) return run;
  const { metadata, ...extra } = run.extra;
  const json = JSON.stringify(metadata);
  if (json.length <= LONGEST_IN_ROW_CHARACTERS) return run;
  const text = writeRaw(json);
  for (const [part, piece] of piecesOf(text).entries()) {
    sql.exec("INSERT INTO run_metadata (run_id, part, text) VALUES (?, ?, ?)", run.id, part, piece);
  }
  return { ...run, extra: { ...extra, long: { characters: text.length, said: digestOfRun(run) } } };
}

/** The run with its metadata, wherever that is stored. */
export function withMetadata(sql: SqlStorage, run: Run): Run {
  if (run.extra?.long === undefined) return run;
  const parts = sql
    .exec<{ text: string }>("SELECT text FROM run_metadata WHERE run_id = ? ORDER BY part", run.id)
    .toArray();
  const text = parts.map((part) => part.text).join("");
  return { ...run, extra: { ...run.extra, metadata: { ...rawJson(text) } } };
}

/** How much of a run's metadata is stored separately. */
export function countCharactersApart({ extra }: Run): number {
  return extra?.long?.characters ?? 0;
}

/** When the runs are deleted. */
export function deleteApart(sql: SqlStorage, runs: readonly Run[]): void {
  const ids = runs.filter(({ extra }) => extra?.long !== undefined).map(({ id }) => id);
  if (ids.length === 0) return;
  runInParts(ids, (json) =>
    sql.exec("DELETE FROM run_metadata WHERE run_id IN (SELECT value FROM json_each(?))", json),
  );
}

/** No part ends within a character. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PART_CHARACTERS, text.length);
    if (to < text.length && isLow(text.charCodeAt(to))) to -= 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
