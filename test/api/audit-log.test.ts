import { describe, expect, test } from "vitest";
import { type AuditEntry, CHAIN_START, chainHash } from "../../src/domain/audit-chain.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, newOrg } from "../support/worker.ts";

type Shown = {
  id: string;
  seq: number;
  created_at: string;
  action: string;
  actor: { kind: string; id: string; on_behalf_of: string | null };
  target: string | null;
  outcome: AuditEntry["outcome"];
  trace_id: string;
  address: string | null;
  detail: object;
  prev_hash: string;
  hash: string;
};

/** The hash as anyone who holds an export would compute it. */
function recomputed(entry: Shown): string {
  return chainHash(entry.prev_hash, {
    seq: entry.seq,
    id: entry.id,
    at: Date.parse(entry.created_at),
    action: entry.action,
    actorKind: entry.actor.kind,
    actorId: entry.actor.id,
    onBehalfOf: entry.actor.on_behalf_of,
    target: entry.target,
    outcome: entry.outcome,
    trace: entry.trace_id,
    address: entry.address,
    detail: JSON.stringify(entry.detail),
  });
}

/** An org whose trail has a few entries. */
async function trail(entries = 5): Promise<Spender> {
  const org = await newSpender();
  for (let i = 0; i < entries; i++) {
    await org.send("PUT", "content-safety", { detectors: [] });
  }
  return org;
}

const verify = async (org: Spender) => (await org.send("GET", "audit-log/verify")).body;
const kinds = async (org: Spender) =>
  (await verify(org)).breaks.map((one: { kind: string; seq: number }) => `${one.kind} ${one.seq}`);
const range = (format: string) => {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString();
  return `audit-log/export?from=${day(-1)}&to=${day(1)}&format=${format}`;
};

describe("the audit trail", () => {
  test("lists newest first, filters, pages, and shows the reads of it", async () => {
    const org = await trail();
    const first = await org.send("GET", "audit-log?limit=2");
    expect(first.status).toBe(200);
    expect(first.body.data.map((one: Shown) => one.seq)).toEqual([6, 5]);
    const next = await org.send("GET", `audit-log?limit=2&cursor=${first.body.next_cursor}`);
    expect(next.body.data.map((one: Shown) => one.seq)).toEqual([4, 3]);
    const created = await org.send("GET", "audit-log?action=org.created&sort=created_at");
    expect(created.body.data).toMatchObject([
      { seq: 1, prev_hash: CHAIN_START, actor: { kind: "operator" } },
    ]);
    const reads = await org.send("GET", "audit-log?outcome=read");
    expect(reads.body.data).toHaveLength(3);
    const none = await org.send("GET", "audit-log?from=2020-01-01&to=2020-02-01");
    expect(none.body.data).toEqual([]);
  });

  test.each([
    ["from=2026-01-01&to=2026-05-01", "to", "out_of_range"],
    ["sort=actor", "sort", "invalid_value"],
    ["colour=red", "colour", "unknown_parameter"],
    ["outcome=maybe", "outcome", "invalid_value"],
  ])("refuses the query %s", async (query, field, code) => {
    const org = await trail(0);
    const { status, body } = await org.send("GET", `audit-log?${query}`);
    expect(status).toBe(422);
    expect(body.error.details.fields).toContainEqual(expect.objectContaining({ field, code }));
  });

  test("needs the scope, and is another org's secret", async () => {
    const org = await newOrg();
    const blind = await org.mint("admin", { scopes: ["policies:read"] });
    const path = `/v1/orgs/${org.id}/audit-log`;
    for (const below of ["", "/verify", "/export?from=2026-01-01&to=2026-01-02"]) {
      const refused = await call("GET", `${path}${below}`, { key: blind });
      expect(refused.body.error).toMatchObject({
        code: "missing_scope",
        details: { required: "audit:read" },
      });
    }
    const other = await newOrg();
    expect((await call("GET", path, { key: other.ownerKey })).status).toBe(404);
  });
});

describe("an export", () => {
  test("in NDJSON lets its holder recompute every hash, and is an entry", async () => {
    const org = await trail();
    const { status, text, headers } = await org.send("GET", range("ndjson"));
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/x-ndjson");
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Shown);
    expect(lines.map((one) => one.seq)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const [index, one] of lines.entries()) {
      expect(one.hash).toBe(recomputed(one));
      expect(one.prev_hash).toBe(lines[index - 1]?.hash ?? CHAIN_START);
    }
    const exported = await org.send("GET", "audit-log?action=audit.exported");
    expect(exported.body.data).toMatchObject([{ outcome: "read", detail: { format: "ndjson" } }]);
  });

  test("in CSV and OCSF has a line for each entry", async () => {
    const org = await trail();
    const csv = await org.send("GET", range("csv"));
    expect(csv.headers.get("content-type")).toContain("text/csv");
    expect(csv.text.split("\r\n")[0]).toContain("seq,id,created_at,action");
    expect(csv.text.trimEnd().split("\r\n")).toHaveLength(7);
    const ocsf = await org.send("GET", range("ocsf"));
    const lines = ocsf.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { class_uid: number });
    expect(lines).toHaveLength(8 - 1);
    expect(new Set(lines.map((line) => line.class_uid))).toEqual(new Set([6003]));
  });

  test("reads as many pages as it takes", async () => {
    const org = await trail(0);
    await rowsOf(
      org.id,
      `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       INSERT INTO audit SELECT i, 'aud_' || i, ?, 'x.y', 'key', 'k', NULL, NULL, 'done', 't', NULL, '{}', 'h' FROM n`,
      Date.now(),
    );
    const { text } = await org.send("GET", range("ndjson"));
    const seqs = text
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as Shown).seq);
    expect(seqs).toEqual(Array.from({ length: 5_000 }, (_, i) => i + 1));
  });

  test.each([
    ["from=2026-01-01", "to", "required"],
    ["to=2026-01-01", "from", "required"],
    ["from=2025-01-01&to=2026-01-02", "to", "out_of_range"],
    ["from=2026-01-02&to=2026-01-01", "to", "out_of_range"],
    ["from=x&to=2026-01-01", "from", "invalid_format"],
    ["from=2026-01-01&to=2026-01-02&format=xml", "format", "invalid_value"],
  ])("refuses the window %s", async (query, field, code) => {
    const org = await trail(0);
    const { status, body } = await org.send("GET", `audit-log/export?${query}`);
    expect(status).toBe(422);
    expect(body.error.details.fields).toContainEqual(expect.objectContaining({ field, code }));
  });
});

describe("verifying", () => {
  test("finds nothing wrong with a trail that nobody touched, and is an entry", async () => {
    const org = await trail();
    expect(await verify(org)).toMatchObject({ valid: true, checked: 6, last_seq: 6, breaks: [] });
    expect(await verify(org)).toMatchObject({ valid: true, checked: 7 });
  });

  test("finds a changed entry", async () => {
    const org = await trail();
    await rowsOf(org.id, "UPDATE audit SET actor_id = 'somebody' WHERE seq = 3");
    expect(await kinds(org)).toEqual(["changed 3"]);
  });

  test("finds entries that changed places", async () => {
    const org = await trail();
    await rowsOf(org.id, "UPDATE audit SET seq = 99 WHERE seq = 2");
    await rowsOf(org.id, "UPDATE audit SET seq = 2 WHERE seq = 5");
    await rowsOf(org.id, "UPDATE audit SET seq = 5 WHERE seq = 99");
    expect(await kinds(org)).toEqual(expect.arrayContaining(["changed 2", "moved 5"]));
  });

  test("finds dropped entries, in the middle, at the start and at the end", async () => {
    const middle = await trail();
    await rowsOf(middle.id, "DELETE FROM audit WHERE seq = 4");
    expect(await kinds(middle)).toEqual(["dropped 5"]);
    const start = await trail();
    await rowsOf(start.id, "DELETE FROM audit WHERE seq <= 2");
    expect(await kinds(start)).toEqual(["dropped 3"]);
    const end = await trail();
    await rowsOf(end.id, "DELETE FROM audit WHERE seq >= 5");
    expect(await kinds(end)).toEqual(["dropped 6"]);
  });

  test("finds an entry appended with a fitting hash, even once the service has written after it", async () => {
    const org = await trail();
    const [last] = await rowsOf<{ hash: string; at: number }>(
      org.id,
      "SELECT hash, at FROM audit WHERE seq = 6",
    );
    const forged: AuditEntry = {
      seq: 7,
      id: "aud_forged",
      at: last?.at ?? 0,
      action: "key.created",
      actorKind: "key",
      actorId: "k",
      onBehalfOf: null,
      target: null,
      outcome: "done",
      trace: "t",
      address: null,
      detail: "{}",
    };
    await rowsOf(
      org.id,
      "INSERT INTO audit VALUES (7, 'aud_forged', ?, 'key.created', 'key', 'k', NULL, NULL, 'done', 't', NULL, '{}', ?)",
      forged.at,
      chainHash(last?.hash ?? "", forged),
    );
    expect(await kinds(org)).toEqual(["appended 7"]);
    expect(await kinds(org)).toEqual(["changed 8"]);
  });

  test("finds a head that was moved along with a cut trail", async () => {
    const org = await trail();
    await rowsOf(org.id, "DELETE FROM audit WHERE seq = 6");
    await rowsOf(
      org.id,
      "UPDATE audit_ends SET seq = 5, hash = (SELECT hash FROM audit WHERE seq = 5) WHERE name = 'head'",
    );
    expect(await verify(org)).toMatchObject({
      valid: false,
      breaks: [{ message: "the head is not genuine" }],
    });
  });
});

describe("retention", () => {
  const POLICY = { runs_days: 3, audit_days: 90, deliveries_days: 7, legal_hold: false };
  const DAY = 86_400;

  test("is read, set and refused field by field", async () => {
    const org = await newSpender();
    const before = await org.send("GET", "retention-policy");
    expect(before.body).toEqual({
      runs_days: 1095,
      audit_days: 3650,
      deliveries_days: 90,
      legal_hold: false,
      updated_at: null,
    });
    expect((await org.send("PUT", "retention-policy", POLICY)).body).toMatchObject(POLICY);
    const bad = { runs_days: 2, audit_days: 89, deliveries_days: "7", legal_hold: 1, more: 1 };
    const { status, body } = await org.send("PUT", "retention-policy", bad);
    expect(status).toBe(422);
    const fields = body.error.details.fields.map(
      (one: { field: string; code: string }) => `${one.field} ${one.code}`,
    );
    expect(fields.sort((a: string, b: string) => a.localeCompare(b))).toEqual([
      "audit_days out_of_range",
      "deliveries_days invalid_type",
      "legal_hold invalid_type",
      "more invalid_body",
      "runs_days out_of_range",
    ]);
  });

  test("takes old runs away and leaves what they cost", async () => {
    const org = await newSpender();
    await org.send("PUT", "retention-policy", POLICY);
    expect((await org.run({ id: "old", cost_usd: "7" })).status).toBe(201);
    await org.advance(2 * DAY);
    expect((await org.run({ id: "young" })).status).toBe(201);
    await org.advance(2 * DAY);
    const listed = await call("GET", "/v1/runs", { key: org.key });
    expect(listed.body.data.map((run: { id: string }) => run.id)).toEqual(["young"]);
    const days = await rowsOf<{ usd: string }>(
      org.id,
      "SELECT usd FROM usage_daily WHERE scope_kind = 'org'",
    );
    expect(days.reduce((sum, row) => sum + BigInt(row.usd), 0n)).toBe(8_000_000_000n);
    const purged = await org.send("GET", "audit-log?action=retention.purged");
    expect(purged.body.data).toMatchObject([
      { detail: { kind: "runs", count: 1 }, actor: { kind: "system" } },
    ]);
  });

  test("takes old entries away, and the chain still verifies from the hash that the purge carries", async () => {
    const org = await trail();
    await org.send("PUT", "retention-policy", POLICY);
    const [last] = await rowsOf<{ seq: number; hash: string }>(
      org.id,
      "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1",
    );
    await org.advance(91 * DAY);
    const purged = await org.send("GET", "audit-log?action=retention.purged");
    expect(purged.body.data[0].detail).toMatchObject({
      kind: "audit",
      last_seq: last?.seq,
      last_hash: last?.hash,
    });
    const [first] = await rowsOf<{ seq: number }>(org.id, "SELECT MIN(seq) AS seq FROM audit");
    expect(first?.seq).toBe((last?.seq ?? 0) + 1);
    expect(await verify(org)).toMatchObject({ valid: true });
    const shown = await org.send("GET", "audit-log?sort=created_at&limit=1");
    expect(shown.body.data[0].prev_hash).toBe(last?.hash);
    await rowsOf(org.id, "DELETE FROM audit WHERE seq = ?", first?.seq ?? 0);
    expect((await verify(org)).valid).toBe(false);
  });

  test("keeps everything under a legal hold, which no change of days lifts", async () => {
    const org = await trail();
    await org.send("PUT", "retention-policy", { ...POLICY, legal_hold: true });
    const { legal_hold: _, ...days } = POLICY;
    expect((await org.send("PUT", "retention-policy", days)).body.legal_hold).toBe(true);
    await org.run({ id: "old" });
    await org.advance(400 * DAY);
    expect((await call("GET", "/v1/runs/old", { key: org.key })).status).toBe(200);
    expect((await org.send("GET", "audit-log?action=org.created")).body.data).toHaveLength(1);
    await org.send("PUT", "retention-policy", POLICY);
    await org.advance(DAY);
    expect((await call("GET", "/v1/runs/old", { key: org.key })).status).toBe(404);
  });

  test("takes much away in bounded steps, each with its entry, and lets others in between", async () => {
    const org = await newSpender();
    await org.run({ id: "first" });
    await rowsOf(
      org.id,
      `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
       INSERT INTO runs (seq, id, started_at, charged_at, recorded_at, cost, data)
       SELECT i, 'r' || i, started_at, charged_at, recorded_at, cost, data FROM n, runs`,
    );
    await org.advance(4 * DAY);
    await org.send("PUT", "retention-policy", POLICY);
    const left = async () => (await rowsOf(org.id, "SELECT 1 FROM runs")).length;
    await expect.poll(left, { timeout: 20_000 }).toBe(0);
    const purged = await org.send("GET", "audit-log?action=retention.purged&sort=created_at");
    const counts = purged.body.data.map((one: { detail: { count: number } }) => one.detail.count);
    expect(counts).toEqual([2_000, 2_000, 500]);
    expect(await verify(org)).toMatchObject({ valid: true });
  });

  test("leaves entries that somebody tampered with where they are", async () => {
    const org = await trail();
    await org.send("PUT", "retention-policy", POLICY);
    await rowsOf(org.id, "UPDATE audit SET actor_id = 'somebody' WHERE seq = 3");
    await org.advance(91 * DAY);
    expect(await kinds(org)).toEqual(["changed 3"]);
    const halted = await org.send("GET", "audit-log?action=retention.halted");
    expect(halted.body.data.length).toBeGreaterThan(0);
  });
});
