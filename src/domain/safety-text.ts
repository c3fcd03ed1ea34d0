/** The text of an input, as the detectors read it. */
export function textToRead(input: unknown): string {
  return plain(textOf(input));
}

/** Every text within, whatever the shape of the input: a prompt, a list of messages, parts of them. */
function textOf(input: unknown): string {
  const texts: string[] = [];
  const rest = [input];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" || typeof next === "number") texts.push(String(next));
    else if (typeof next === "object" && next !== null) {
      for (const [key, value] of Object.entries(next).reverse()) {
        rest.push(value);
        if (!Array.isArray(next)) rest.push(key);
      }
    }
  }
  return texts.join("\n");
}

const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/g;
const NOT_ASCII = /[^\n\r\t -~]/;
/**
 * Marks are sorted when a text is normalized, each run of them in time that grows with its square. No script needs more
 * than 30 on one letter (Unicode Standard Annex 15, stream-safe text); the rest is dropped.
 */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Wide digits, styled letters and invisible marks inside a word would slip past any expression. */
function plain(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text.replaceAll(TOO_MANY_MARKS, "$1").normalize("NFKC").replaceAll(INVISIBLE, "");
}
