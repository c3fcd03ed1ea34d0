import { describe, expect, test } from "vitest";
import { kinds, trail, verify } from "../support/audit.ts";
import { aRun, newSpender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { storedRuns } from "../support/stored-runs.ts";
import { call } from "../support/worker.ts";
import { addToLog, AUDIT_ROWS, changeAudit } from "../support/logs.ts";

describe("retention", () => {
  const POLICY = { runs_days: 3, audit_days: 90, deliveries_days: 7, legal_hold: false };
  const DAY = 86_400;

  test("is read and set, and each invalid field is refused", async () => {
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

  test("deletes old runs and keeps their totals", async () => {
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

  test("deletes old entries, and the chain still verifies from the hash in the purge entry", async () => {
    const org = await trail();
    await org.send("PUT", "retention-policy", POLICY);
    const [last] = await rowsOf<{ seq: number; hash: string }>(
      org.id,
      `SELECT seq, hash FROM ${AUDIT_ROWS} ORDER BY seq DESC LIMIT 1`,
    );
    await org.advance(91 * DAY);
    const purged = await org.send("GET", "audit-log?action=retention.purged");
    expect(purged.body.data[0].detail).toMatchObject({
      kind: "audit",
      last_seq: last?.seq,
      last_hash: last?.hash,
    });
    const [first] = await rowsOf<{ seq: number }>(org.id, `SELECT MIN(seq) AS seq FROM ${AUDIT_ROWS}`);
    expect(first?.seq).toBe((last?.seq ?? 0) + 1);
    expect(await verify(org)).toMatchObject({ valid: true });
    const shown = await org.send("GET", "audit-log?sort=created_at&limit=1");
    expect(shown.body.data[0].prev_hash).toBe(last?.hash);
    await changeAudit(org.id, (rows) => rows.filter(({ seq }) => seq !== first?.seq));
    expect((await verify(org)).valid).toBe(false);
  });

  test("keeps everything under a legal hold, even if the days change", async () => {
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

  test("deletes many rows in bounded, audited steps, and serves other calls in between", async () => {
    const org = await newSpender();
    for (let batch = 0; batch < 5; batch += 1) {
      const runs = Array.from({ length: 900 }, (_, index) => aRun({ id: `r${batch}-${index}` }));
      expect((await org.bulk(runs)).body.accepted).toBe(900);
    }
    await org.advance(4 * DAY);
    await org.send("PUT", "retention-policy", POLICY);
    const left = async () => (await storedRuns(org.id)).length;
    await expect.poll(left).toBe(0);
    const purged = await org.send("GET", "audit-log?action=retention.purged&sort=created_at");
    const counts = purged.body.data.map((one: { detail: { count: number } }) => one.detail.count);
    expect(counts).toEqual([2_700, 1_800]);
    expect(await verify(org)).toMatchObject({ valid: true });
  });

  test("keeps an event as long as one of its deliveries", async () => {
    const org = await newSpender();
    await org.send("PUT", "retention-policy", POLICY);
    const url = "https://example.com/hook";
    const hook = await org.send("POST", "webhooks", { url, events: ["budget.*"] });
    const at = Date.now();
    const idOf = (number: number) => `evt_${"0".repeat(25)}${number}`;
    const [alone, waiting, last] = [idOf(1), idOf(2), idOf(3)];
    await addToLog(
      org.id,
      "events",
      [alone, waiting, last].map((id) => [null, id, "key.revoked", at, "{}", null]),
    );
    await rowsOf(
      org.id,
      `INSERT INTO webhook_deliveries
         (id, subscription_id, event_id, event_type, status, attempts, next_attempt_at, attempt_log, created_at)
       VALUES ('dlv_1', ?1, ?3, 'key.revoked', 'pending', 1, NULL, '[]', ?2)`,
      hook.body.id,
      at,
      waiting,
    );
    await org.advance(8 * DAY);
    const left = async () => {
      const listed = await org.send("GET", "events?type=key.revoked&sort=created_at");
      return listed.body.data.map(({ id }: { id: string }) => id);
    };
    await expect.poll(left).toEqual([waiting, last]);
  });

  test("reads no more of large runs in one step than others can wait for", async () => {
    const org = await newSpender();
    const metadata = (index: number) => ({ text: `${index} `.repeat(20_000).slice(0, 60_000) });
    const runs = Array.from({ length: 40 }, (_, index) =>
      aRun({ id: `r${index}`, metadata: metadata(index) }),
    );
    expect((await org.bulk(runs)).body.accepted).toBe(40);
    await org.advance(4 * DAY);
    await org.send("PUT", "retention-policy", POLICY);
    const left = async () => (await storedRuns(org.id)).length;
    await expect.poll(left).toBe(0);
    const purged = await org.send("GET", "audit-log?action=retention.purged&sort=created_at");
    const counts = purged.body.data.map((one: { detail: { count: number } }) => one.detail.count);
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.reduce((sum: number, count: number) => sum + count)).toBe(40);
    expect((await org.run({ id: "r2", metadata: metadata(2) })).status).toBe(200);
  });

  test("keeps entries that were tampered with", async () => {
    const org = await trail();
    await org.send("PUT", "retention-policy", POLICY);
    await changeAudit(org.id, (rows) =>
      rows.map((row) => (row.seq === 3 ? { ...row, actor_id: "somebody" } : row)),
    );
    await org.advance(91 * DAY);
    expect(await kinds(org)).toEqual(["changed 3"]);
    const halted = await org.send("GET", "audit-log?action=retention.halted");
    expect(halted.body.data.length).toBeGreaterThan(0);
  });
});
