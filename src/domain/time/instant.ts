/** No timestamp begins like this one. */
let parsed = { text: "-", ms: 0 };

const TO_THE_MILLISECOND = 24;
const POINT = 46;
const LETTER_Z = 90;

/**
 * Parses a validated RFC 3339 timestamp. Runs of a batch start within seconds of each other, so the common prefix is
 * parsed once.
 */
export function instantOf(text: string): number {
  const ms = millisecondsIn(text);
  if (ms < 0) return Date.parse(text);
  if (!isWithin(text, parsed.text)) {
    const upTo = text.slice(0, 19);
    parsed = { text: upTo, ms: Date.parse(`${upTo}Z`) };
  }
  return parsed.ms + ms;
}

/**
 * Returns whether a time is within a second, of which the text has the beginning. From the end on, where times differ.
 */
export function isWithin(time: string, second: string): boolean {
  for (let at = second.length - 1; at >= 0; at -= 1) {
    if (time.charCodeAt(at) !== second.charCodeAt(at)) return false;
  }
  return true;
}

/** The fraction of a UTC time that has three digits of it. -1: it is written otherwise. */
function millisecondsIn(text: string): number {
  if (text.length !== TO_THE_MILLISECOND || text.charCodeAt(19) !== POINT) return -1;
  if (text.charCodeAt(23) !== LETTER_Z) return -1;
  return (text.charCodeAt(20) - 48) * 100 + (text.charCodeAt(21) - 48) * 10 + (text.charCodeAt(22) - 48);
}
