import { TimeText } from "../../domain/time/time-text.ts";

/**
 * A hold that an isolate made, as one line of text: its id, when it was made, when it ends, its amount and, after a
 * space, the tokens that rate limits counted of it, if any. If the names in its run are reported, its input tokens follow
 * after another space: the others are output. A report has thousands of them, and text with fixed positions is cheapest for the
 * isolate to write, the object to check and its database to read.
 */
export type HoldLine = string;

const ID_CHARACTERS = 30;
const TIME_CHARACTERS = 13;
const MADE_AT = ID_CHARACTERS;
const ENDS_AT = MADE_AT + TIME_CHARACTERS;
const AMOUNT_AT = ENDS_AT + TIME_CHARACTERS;

/** Later times do not fit into a line, so the object makes such holds. */
export const LAST_REPORTED_MS = 10 ** TIME_CHARACTERS - 1;

export function holdLine({
  id,
  at,
  expiresAt,
  nanos,
}: {
  readonly id: string;
  readonly at: number;
  readonly expiresAt: number;
  readonly nanos: number | bigint;
}): HoldLine {
  return `${id}${made.of(at)}${ends.of(expiresAt)}${nanos}`;
}

const made = new TimeText(timeText);
const ends = new TimeText(timeText);

/** Times of equal width, so that they also sort as texts. */
export function timeText(ms: number): string {
  return String(ms).padStart(TIME_CHARACTERS, "0");
}

export function idOf(hold: HoldLine): string {
  return hold.slice(0, ID_CHARACTERS);
}

export function holdTime(hold: HoldLine): string {
  return hold.slice(MADE_AT, ENDS_AT);
}

export function endsAt(hold: HoldLine): string {
  return hold.slice(ENDS_AT, AMOUNT_AT);
}

export function amountOf(hold: HoldLine): string {
  const space = hold.indexOf(" ");
  return space < 0 ? hold.slice(AMOUNT_AT) : hold.slice(AMOUNT_AT, space);
}

export function tokensOf(hold: HoldLine): number {
  const space = hold.indexOf(" ");
  return space < 0 ? 0 : Number.parseInt(hold.slice(space + 1), 10);
}

/** Returns those of its tokens that are input. There are none if the line does not say. */
export function inputTokensOf(hold: HoldLine): number {
  const space = hold.indexOf(" ", hold.indexOf(" ") + 1);
  return space < AMOUNT_AT ? 0 : Number(hold.slice(space + 1));
}

export function withTokens(hold: HoldLine, tokens: number): HoldLine {
  return `${hold} ${tokens}`;
}

export function withInput(hold: HoldLine, inputTokens: number): HoldLine {
  return `${hold.includes(" ") ? hold : withTokens(hold, 0)} ${inputTokens}`;
}

/** The line without its input tokens. */
export function withoutInput(hold: HoldLine): HoldLine {
  return hold.slice(0, hold.lastIndexOf(" "));
}

export function withId(hold: HoldLine, id: string): HoldLine {
  return id + hold.slice(ID_CHARACTERS);
}

export function withMadeAt(hold: HoldLine, at: string): HoldLine {
  return hold.slice(0, MADE_AT) + at + hold.slice(ENDS_AT);
}

export function withEnd(hold: HoldLine, end: string): HoldLine {
  return hold.slice(0, ENDS_AT) + end + hold.slice(AMOUNT_AT);
}
