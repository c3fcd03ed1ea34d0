/** The value of a tag among stored tags; null where there is none of this name. */
export function tagIn(text: string | null, name: string): string | null {
  if (text === null) return null;
  const tags = JSON.parse(text) as Record<string, string>;
  return Object.hasOwn(tags, name) ? (tags[name] ?? null) : null;
}
