/** Calls to an object in another region as JSON, extended for integers that JSON would round. */

/** The largest call that a region reads. */
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
