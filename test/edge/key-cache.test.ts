import { expect, test } from "vitest";
import { KeyCache } from "../../src/edge/identity/key-cache.ts";
import type { Snapshot } from "../../src/gate/snapshot/snapshot.ts";
import { useRealLives } from "../support/lives.ts";

useRealLives();

function snapshotOf(keyId: string, status: "active" | "suspended"): Snapshot {
  const org: Snapshot["org"] = {
    id: "org_1",
    status,
    environment: "live",
    homeRegion: "local",
    regions: null,
    ipAllowList: [],
    clockOffsetMs: 0,
    rates: { read_rpm: null, policies: [] },
    checks: "limits",
    onExpiry: "release",
  };
  const key = {
    id: keyId,
    role: "owner",
    scopes: [],
    revoked: false,
    notBefore: null,
    expiresAt: null,
  } as const;
  return { org, key };
}

test("an answer to an earlier question never replaces newer knowledge of the org", () => {
  const known = new KeyCache();
  known.set("one", "digest", snapshotOf("key_1", "suspended"), 1500);
  known.set("other", "digest", snapshotOf("key_2", "active"), 0);
  expect(known.get("one", 3000)?.org.snapshot.status).toBe("suspended");
  expect(known.get("other", 1999)?.org.snapshot.status).toBe("suspended");
  known.set("other", "digest", snapshotOf("key_2", "active"), 1600);
  expect(known.get("one", 3000)?.org.snapshot.status).toBe("active");
});
