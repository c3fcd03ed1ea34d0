/**
 * A message tells a person of an event: what happened, how much it is, until when, and what to do, with one link. All
 * of it is plain text.
 */
export interface Message {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly advice: string;
  /** Into the console. */
  readonly link: string;
  readonly severity: Severity;
}

export type Fact = readonly [label: string, value: string];
export type Severity = "info" | "warning" | "error";

/** The text of a message, before it is known whose it is. */
export interface EventText extends Omit<Message, "link"> {
  /** A path of the console. */
  readonly path: string;
}

const MOST_CHARACTERS = 120;

/**
 * A text that somebody else chose, as part of a message: one line, of bounded length, without characters that nobody sees or
 * that turn the direction of writing. Nothing in it becomes a link by itself. Each format escapes it once more.
 */
export function foreignText(text: string, most = MOST_CHARACTERS): string {
  const visible = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, " ")
    .replaceAll("://", ": //")
    .replaceAll(/\bwww\./gi, "www .")
    .replaceAll(/\s+/g, " ")
    .trim();
  return visible.length <= most ? visible : `${cutText(visible, most - 1)}…`;
}

/** The beginning of a text, without half of a character at its end. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
}

export const quoteText = (text: string): string => `“${foreignText(text)}”`;

/** A moment as people read it. */
export function momentText(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return foreignText(iso);
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
