/** JSON, extended for integers that it would round. */

/** Stands for an integer. A field that callers named so is sent with one more `$`. */
const INTEGER = "$bigint";
const ESCAPED = /^\$+bigint$/;

export function toExactJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "bigint" ? { [INTEGER]: String(part) } : renamed(part, (name) => `$${name}`),
  );
}

export function fromExactJson(text: string): unknown {
  return JSON.parse(text, (_, part: unknown) => {
    if (typeof part !== "object" || part === null) return part;
    const integer = Object.hasOwn(part, INTEGER) ? (part as { [INTEGER]: unknown })[INTEGER] : undefined;
    return typeof integer === "string" ? BigInt(integer) : renamed(part, (name) => name.slice(1));
  });
}

function renamed(part: unknown, rename: (name: string) => string): unknown {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  if (!Object.keys(part).some((name) => ESCAPED.test(name))) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [ESCAPED.test(name) ? rename(name) : name, value]),
  );
}
