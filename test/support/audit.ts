import { newSpender, type Spender } from "./ledger.ts";

/** An org whose trail has a few entries. */
export async function trail(entries = 5): Promise<Spender> {
  const org = await newSpender();
  for (let i = 0; i < entries; i++) {
    await org.send("PUT", "content-safety", { detectors: [] });
  }
  return org;
}

/** The result of verifying. */
export const verify = async (org: Spender) => (await org.send("GET", "audit-log/verify")).body;
export const kinds = async (org: Spender) =>
  (await verify(org)).breaks.map((one: { kind: string; seq: number }) => `${one.kind} ${one.seq}`);
