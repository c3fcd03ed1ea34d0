import { describe, expect, test } from "vitest";
import { type AuditEntry, CHAIN_START, chainHash } from "../../src/domain/audit/chain.ts";
import { kinds, trail, verify } from "../support/audit.ts";
import { newSpender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, newOrg } from "../support/worker.ts";
import { addToLog, AUDIT_ROWS, changeAudit } from "../support/logs.ts";

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

/** The hash as anyone with an export would compute it. */
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
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const some = await org.send("GET", `audit-log?from=${today}&to=${tomorrow}`);
    expect(some.body.data.length).toBeGreaterThan(0);
    expect((await org.send("GET", `audit-log?from=${tomorrow}`)).body.data).toEqual([]);
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

  test("records each release of a reservation with actor and amount, but no decisions", async () => {
    const org = await newSpender();
    const made = await org.decide("2.50");
    await org.decide("3");
    const { id } = made.body.reservation as { id: string };
    expect((await org.release(id)).status).toBe(204);
    expect((await org.release(id)).status).toBe(204);
    expect((await org.release("rsv_00000000000000000000000000")).status).toBe(404);
    const listed = await org.send("GET", "audit-log?action=reservation.released&sort=created_at");
    const entry = { target: id, outcome: "done", actor: { kind: "key" } };
    expect(listed.body.data).toMatchObject([
      { ...entry, detail: { amount_usd: "2.50", was: "open" } },
      { ...entry, detail: { amount_usd: "2.50", was: "released" } },
    ]);
    const all = await org.send("GET", "audit-log?limit=200");
    const actions = all.body.data.map((one: Shown) => one.action) as string[];
    expect(actions.filter((action) => action.startsWith("decision"))).toEqual([]);
    expect(await kinds(org)).toEqual([]);
  });

  test("requires the scope, and is invisible to other orgs", async () => {
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
  test("in NDJSON contains all that is needed to recompute every hash, and is audited", async () => {
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

  test("covers a range of many pages", async () => {
    const org = await trail(0);
    const entry = (seq: number) => [
      seq,
      `aud_${seq}`,
      Date.now(),
      "x.y",
      "key",
      "k",
      null,
      null,
      "done",
      "t",
    ];
    await addToLog(
      org.id,
      "audit",
      Array.from({ length: 4_999 }, (_, at) => [...entry(at + 2), null, "{}", "h"]),
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
  test("finds no break in an intact trail, and is audited", async () => {
    const org = await trail();
    expect(await verify(org)).toMatchObject({ valid: true, checked: 6, last_seq: 6, breaks: [] });
    expect(await verify(org)).toMatchObject({ valid: true, checked: 7 });
  });

  test("finds a changed entry", async () => {
    const org = await trail();
    await changeAudit(org.id, (rows) =>
      rows.map((row) => (row.seq === 3 ? { ...row, actor_id: "somebody" } : row)),
    );
    expect(await kinds(org)).toEqual(["changed 3"]);
  });

  test("finds entries that were moved", async () => {
    const org = await trail();
    const moved = new Map([
      [2, 5],
      [5, 2],
    ]);
    await changeAudit(org.id, (rows) => rows.map((row) => ({ ...row, seq: moved.get(row.seq) ?? row.seq })));
    expect(await kinds(org)).toEqual(expect.arrayContaining(["changed 2", "moved 5"]));
  });

  test("finds dropped entries, in the middle, at the start and at the end", async () => {
    const middle = await trail();
    await changeAudit(middle.id, (rows) => rows.filter(({ seq }) => seq !== 4));
    expect(await kinds(middle)).toEqual(["dropped 5"]);
    const start = await trail();
    await changeAudit(start.id, (rows) => rows.filter(({ seq }) => seq > 2));
    expect(await kinds(start)).toEqual(["dropped 3"]);
    const end = await trail();
    await changeAudit(end.id, (rows) => rows.filter(({ seq }) => seq < 5));
    expect(await kinds(end)).toEqual(["dropped 6"]);
  });

  test("finds an entry appended with a matching hash, even after the service has written more", async () => {
    const org = await trail();
    const [last] = await rowsOf<{ hash: string; at: number }>(
      org.id,
      `SELECT hash, at FROM ${AUDIT_ROWS} WHERE seq = 6`,
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
    const { seq, id, at, action, actorKind, actorId, outcome, trace, detail } = forged;
    const hash = chainHash(last?.hash ?? "", forged);
    await addToLog(org.id, "audit", [
      [seq, id, at, action, actorKind, actorId, null, null, outcome, trace, null, detail, hash],
    ]);
    expect(await kinds(org)).toEqual(["appended 7"]);
    expect(await kinds(org)).toEqual(["changed 8"]);
  });

  test("finds a head that was moved along with a cut trail", async () => {
    const org = await trail();
    await changeAudit(org.id, (rows) => rows.filter(({ seq }) => seq !== 6));
    await rowsOf(
      org.id,
      `UPDATE audit_ends SET seq = 5, hash = (SELECT hash FROM ${AUDIT_ROWS} WHERE seq = 5) WHERE name = 'head'`,
    );
    expect(await verify(org)).toMatchObject({
      valid: false,
      breaks: [{ message: "the head is not genuine" }],
    });
  });
});
