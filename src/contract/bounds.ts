/** Bounds of what callers send, without zod. Both the schemas and the hand-written fast checks use them. */

/** Ids that callers choose. */
export const CALLER_ID_MOST_CHARACTERS = 128;
export const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Ids in paths are checked against this before any use. */
export const SAFE_ID = /^[A-Za-z0-9_]{1,64}$/;
export const SAFE_ID_TEXT = "must be 1 to 64 letters, digits and underscores";

/** Returns whether a text is a valid id chosen by a caller: 1 to 128 printable ASCII characters. */
export function isCallerId(text: string): boolean {
  return text.length <= CALLER_ID_MOST_CHARACTERS && PRINTABLE_ASCII.test(text);
}

export const MODEL_NAME_MOST_CHARACTERS = 200;

/** Dollars, on either side of the point. Leading zeros do not count. */
export const USD_MOST_DIGITS = 9;

export const JSON_MEDIA = "application/json";

/** The version of the lease exchange. One that is not known is refused, never guessed at. */
export const LEASE_VERSION = 1;

/** The longest touch: that of a decision that touches many limits. */
export const TOUCH_MOST_CHARACTERS = 65_536;

/** The longest metadata that an approval shows: a list has up to 100 approvals. */
export const SHOWN_METADATA_CHARACTERS = 4096;
