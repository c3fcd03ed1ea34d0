/** Calls to an object in another region, as text: JSON, and the whole numbers that JSON would round. */

/** A region reads no call that is larger. */
export const MOST_CALL_BYTES = 4_194_304;

export interface ObjectCall {
  readonly org: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

export function toWire(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "bigint" ? { $bigint: String(part) } : part,
  );
}

export function fromWire(text: string): unknown {
  return JSON.parse(text, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || !("$bigint" in part)) return part;
    return typeof part.$bigint === "string" ? BigInt(part.$bigint) : part;
  });
}
