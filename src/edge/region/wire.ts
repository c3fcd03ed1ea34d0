/** Calls to an object in another region as JSON, extended for integers that JSON would round. */

/** The largest call that a region reads. */
export const MOST_CALL_BYTES = 4_194_304;

export interface ObjectCall {
  readonly org: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Marks an integer. A caller's field with this name is sent with one more `$`. */
const INTEGER = "$bigint";
const ESCAPED = /^\$+bigint$/;

export function toWire(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "bigint" ? { [INTEGER]: String(part) } : renamed(part, (name) => `$${name}`),
  );
}

export function fromWire(text: string): unknown {
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
