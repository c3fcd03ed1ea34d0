import { expect } from "vitest";
import { compare, type Sent } from "./two-ways.ts";

/** By name: what is sent, the status of the response, and whether the fast path gives it by itself. */
export type Cases = Record<string, readonly [sent: Sent, status: number, way?: "fast"]>;

/** Both paths give the expected response, and leave the same traces. */
export async function expectAlike(cases: Cases): Promise<void> {
  const sentBy = (way?: "fast") =>
    Object.fromEntries(
      Object.entries(cases).flatMap(([name, [sent, , wants]]) => (wants === way ? [[name, sent]] : [])),
    );
  const compared = { ...(await compare(sentBy("fast"), true)), ...(await compare(sentBy())) };
  const pick = <T>(part: (name: string) => T) =>
    Object.fromEntries(Object.keys(cases).map((name) => [name, part(name)]));
  expect(pick((name) => compared[name]?.front)).toEqual(pick((name) => compared[name]?.back));
  expect(pick((name) => compared[name]?.front.status)).toEqual(pick((name) => cases[name]?.[1]));
  expect(pick((name) => compared[name]?.front.log.length)).toEqual(pick(() => 1));
  const fast = Object.keys(cases).filter((name) => cases[name]?.[2] === "fast");
  expect(fast.filter((name) => compared[name]?.isFast !== true)).toEqual([]);
}

/** The same, with each request sent with this key. */
export function expectAlikeWith(key: string, cases: Cases): Promise<void> {
  const keyed = Object.entries(cases).map(([name, [sent, ...rest]]) => [
    name,
    [{ key, ...sent }, ...rest] as const,
  ]);
  return expectAlike(Object.fromEntries(keyed) as Cases);
}
