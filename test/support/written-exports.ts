import { createHash } from "node:crypto";
import { expect } from "vitest";
import { bucket } from "./archive.ts";
import type { Spender } from "./ledger.ts";

interface Manifest {
  readonly rows: number;
  readonly cost_usd: string;
  readonly files: readonly { name: string; kind: string; rows: number; sha256: string; cost_usd: string }[];
}

const nanos = (text: string) => BigInt(text.replace(/\.(\d+)$/, (_, part: string) => part.padEnd(9, "0")));

/** What the bucket has of an org, by name. */
export async function stored(org: Spender): Promise<Map<string, Uint8Array>> {
  const prefix = `exports/${org.id}/`;
  const { objects } = await bucket().list({ prefix });
  const found = new Map<string, Uint8Array>();
  for (const { key } of objects) {
    const object = await bucket().get(key);
    if (object !== null) found.set(key.slice(prefix.length), new Uint8Array(await object.arrayBuffer()));
  }
  return found;
}

export const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** The manifests of an org's exports, each checked against its files. */
export async function manifests(org: Spender): Promise<Manifest[]> {
  const files = await stored(org);
  const all = [...files].filter(([key]) => key.endsWith("/manifest.json"));
  return all.map(([key, bytes]) => {
    const manifest = JSON.parse(textOf(bytes)) as Manifest;
    const folder = key.slice(0, -"manifest.json".length);
    for (const { name, sha256 } of manifest.files) {
      const file = files.get(`${folder}${name}`) ?? new Uint8Array(0);
      expect(createHash("sha256").update(file).digest("hex")).toBe(sha256);
    }
    return manifest;
  });
}

export const costOf = (all: readonly Manifest[]) =>
  all.reduce((sum, { cost_usd }) => sum + nanos(cost_usd), 0n);
export const spent = async (org: Spender) =>
  nanos((await org.send("GET", "usage/report?group_by=model")).body.totals.cost_usd as string);
