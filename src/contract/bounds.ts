/**
 * Bounds of what callers send, without zod: the shapes and the checks that are written out for speed are both made from
 * them.
 */

/** Ids that callers choose. */
export const CALLER_ID_MOST_CHARACTERS = 128;
export const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Whether a text is an id as callers may choose it: 1 to 128 printable ASCII characters. */
export function isCallerId(text: string): boolean {
  return text.length <= CALLER_ID_MOST_CHARACTERS && PRINTABLE_ASCII.test(text);
}

export const MODEL_NAME_MOST_CHARACTERS = 200;

/** Dollars, on either side of the point. Zeros at the front do not count. */
export const USD_MOST_DIGITS = 9;

export const JSON_MEDIA = "application/json";
