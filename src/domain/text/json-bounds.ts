/** A text of at most this length cannot have more values than allowed. */
export const SURELY_BOUNDED_CHARACTERS = 1_048_576;

/** Objects and lists that a value may be in, the outermost included. */
export const MOST_DEPTH = 32;
/** As many as fit into 1 MiB. A larger body has room for longer texts, not for more values. */
const MOST_VALUES = 700_000;
/** How many of the values may have a name. Those take most of the memory. */
const MOST_FIELDS = 200_000;

/**
 * Returns what is wrong with the structure of a JSON text, or null. It is found without parsing: a hostile text of a
 * few megabytes can use a hundred times as much memory, and exhaust the stack.
 */
export function structureProblem(text: string): string | null {
  let depth = 0;
  let values = 1;
  let fields = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 92) i++;
      else if (c === 34) inString = false;
    } else if (c === 34) inString = true;
    else if (c === 123 || c === 91) {
      if (++depth > MOST_DEPTH) return `must not be nested deeper than ${MOST_DEPTH} levels`;
      values += 1;
    } else if (c === 125 || c === 93) depth--;
    else if (c === 44) values += 1;
    else if (c === 58) fields += 1;
    if (values > MOST_VALUES) return `must not contain more than ${MOST_VALUES} values`;
    if (fields > MOST_FIELDS) return `must not contain more than ${MOST_FIELDS} fields`;
  }
  return null;
}
