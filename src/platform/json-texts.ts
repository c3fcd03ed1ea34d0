/** D1 takes two million bytes in one value. */
const MOST_CHARACTERS = 500_000;

/** Rows as JSON arrays, each of a size that D1 takes. */
export function jsonTexts(rows: readonly (readonly (string | number | null)[])[]): string[] {
  const texts: string[] = [];
  let text = "";
  for (const row of rows) {
    const json = JSON.stringify(row);
    if (text !== "" && text.length + json.length > MOST_CHARACTERS) {
      texts.push(`[${text}]`);
      text = "";
    }
    text += text === "" ? json : `,${json}`;
  }
  return text === "" ? texts : [...texts, `[${text}]`];
}
