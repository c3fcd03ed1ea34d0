import type { Json, Piece } from "../shape.ts";

/** An event of a stream, with a name where the API has names. */
export function event(
  data: Json | string,
  { name, tokens = 0 }: { name?: string; tokens?: number } = {},
): Piece {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return { bytes: `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`, tokens };
}

/** Without members that are undefined. */
export function known(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
