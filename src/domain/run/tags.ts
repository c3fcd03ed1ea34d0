/** Tags by name. One may be called `__proto__`, so they are never looked up without asking whether they are there. */
export type Tags = Readonly<Record<string, string>>;

/** Tags as they are stored: the same tags, whatever their order, are the same text. Null if there is none. */
export function tagsText(tags: Tags | undefined): string | null {
  if (tags === undefined) return null;
  const entries = Object.entries(tags);
  if (entries.length === 0) return null;
  return JSON.stringify(Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1))));
}

export function tagsOf(text: string | null): Record<string, string> {
  return text === null ? {} : (JSON.parse(text) as Record<string, string>);
}
