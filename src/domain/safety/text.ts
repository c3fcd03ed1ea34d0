/** The text of an input, as the detectors read it. */
export function textToRead(input: unknown): string {
  return plain(textOf(input));
}

/** Every text in the input, whatever its shape: a prompt, messages, or parts of messages. */
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

/**
 * Characters that no reader sees: ignorable characters, control characters except white space, and annotation marks.
 */
const INVISIBLE = /(?![\t\n\v\f\r\u0085])[\p{Default_Ignorable_Code_Point}\p{Cc}\uFFF9-\uFFFB]+/gu;
const NOT_ASCII = /[^\n\r\t -~]/;
/**
 * Normalization sorts combining marks in quadratic time. No script needs more than 30 on one letter (Unicode Standard
 * Annex 15, stream-safe text), so the rest is dropped.
 */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Full-width digits, styled letters and invisible marks would evade any expression. */
function plain(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text.replaceAll(INVISIBLE, "").replaceAll(TOO_MANY_MARKS, "$1").normalize("NFKC");
}
