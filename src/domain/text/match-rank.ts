/**
 * How well a name matches a text, in upper or lower case. 0: they are equal. 1: the name begins with the text. 2: the name
 * contains it. Null: it does not.
 */
export function matchRank(name: string, text: string): number | null {
  const [whole, part] = [name.toLowerCase(), text.toLowerCase()];
  if (whole === part) return 0;
  if (whole.startsWith(part)) return 1;
  return whole.includes(part) ? 2 : null;
}
