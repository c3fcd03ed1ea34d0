import { expect } from "vitest";
import { send } from "../support/observed-decision.ts";

/** A decision that any org has room for. */
export const SMALL_DECISION = JSON.stringify({ estimate: { cost_usd: "0.01" } });

/** Lets the isolate learn of a key. */
export async function knows(key: string): Promise<void> {
  await send({ key, body: SMALL_DECISION });
}

/** Until the isolate uses the object's latest answer. */
export async function untilStatus(key: string, status: number): Promise<void> {
  const asked = async () => (await send({ key, body: SMALL_DECISION })).seen.status;
  await expect.poll(asked, { interval: 50 }).toBe(status);
}
