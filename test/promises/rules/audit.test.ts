import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AuditEntry, CHAIN_START, chainHash } from "../../../src/domain/audit/chain.ts";
import { type AuditLink, EXPORTS } from "../../../src/domain/audit/export.ts";
import { csvField } from "../../../src/domain/text/csv.ts";
import { beginWalk, endWalk, type StoredEntry, walkOn } from "../../../src/domain/audit/verify.ts";
import { nextSweep, purgeBefore, RETENTION_DEFAULT } from "../../../src/domain/run/retention.ts";

function entry(seq: number, overrides: Partial<AuditEntry> = {}): AuditEntry {
  return {
    seq,
    id: `aud_${seq}`,
    at: 1_000 * seq,
    action: "budget.created",
    actorKind: "key",
    actorId: "key_1",
    onBehalfOf: null,
    target: "bud_1",
    outcome: "done",
    trace: "t",
    address: "203.0.113.7",
    detail: '{"a":1}',
    ...overrides,
  };
}

function chain(
  length: number,
  after: { seq: number; hash: string } = { seq: 0, hash: CHAIN_START },
): StoredEntry[] {
  const entries: StoredEntry[] = [];
  let { hash } = after;
  for (let seq = after.seq + 1; seq <= after.seq + length; seq++) {
    const next = entry(seq);
    hash = chainHash(hash, next);
    entries.push({ ...next, hash });
  }
  return entries;
}

const headOf = (entries: readonly StoredEntry[]) => ({
  seq: entries.length,
  hash: entries.at(-1)?.hash ?? "",
});
const kinds = (entries: StoredEntry[], head: { seq: number; hash: string }) =>
  endWalk(walkOn(beginWalk(undefined), entries), head).map((one) => `${one.kind} ${one.seq}`);

describe("verifying the trail", () => {
  const whole = chain(10);
  const head = headOf(whole);

  test("an intact trail has no breaks, in steps of any size", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 10 }), (sizes) => {
        let walk = beginWalk(undefined);
        let from = 0;
        for (const size of [...sizes, 10]) {
          walk = walkOn(walk, whole.slice(from, from + size));
          from += size;
        }
        expect(endWalk(walk, head)).toEqual([]);
        expect(walk.checked).toBe(10);
      }),
    );
  });

  test("a changed entry is found, whichever field changed", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom<keyof AuditEntry>(
          "action",
          "actorId",
          "target",
          "outcome",
          "trace",
          "address",
          "detail",
          "id",
        ),
        (at, field) => {
          const tampered = whole.map((one, index) => (index === at ? { ...one, [field]: "forged" } : one));
          expect(kinds(tampered, head)).toEqual([`changed ${at + 1}`]);
        },
      ),
    );
  });

  test("a changed entry with a recomputed hash is found at the next entry or at the head", () => {
    for (const at of [3, 9]) {
      const forged = entry(at + 1, { target: "forged" });
      const hash = chainHash(whole[at - 1]?.hash ?? "", forged);
      const tampered = whole.map((one, index) => (index === at ? { ...forged, hash } : one));
      expect(kinds(tampered, head)).toEqual([`changed ${Math.min(at + 2, 10)}`]);
    }
  });

  test("moved entries are found", () => {
    const moved = whole.map((one, index) => {
      const other = index === 3 ? whole[6] : index === 6 ? whole[3] : undefined;
      return other ? { ...other, seq: one.seq } : one;
    });
    const found = kinds(moved, head);
    expect(found).toContain("changed 4");
    expect(found).toContain("moved 7");
  });

  test("dropped entries are found, at the beginning, in the middle and at the end", () => {
    expect(kinds(whole.slice(2), head)).toEqual(["dropped 3"]);
    expect(kinds([...whole.slice(0, 4), ...whole.slice(6)], head)).toEqual(["dropped 7"]);
    expect(kinds(whole.slice(0, 8), head)).toEqual(["dropped 10"]);
    expect(kinds([], head)).toEqual(["dropped 10"]);
  });

  test("an appended entry is found, even with the right hash", () => {
    expect(kinds([...whole, ...chain(1, head)], head)).toEqual(["appended 11"]);
  });

  test("after a purge, verification starts at the last deleted hash", () => {
    const anchor = { seq: 4, hash: whole[3]?.hash ?? "" };
    expect(endWalk(walkOn(beginWalk(anchor), whole.slice(4)), head)).toEqual([]);
    expect(endWalk(walkOn(beginWalk(anchor), whole.slice(5)), head)).toHaveLength(1);
  });
});

describe("exporting the trail", () => {
  const link: AuditLink = { ...entry(1), previousHash: CHAIN_START, hash: chainHash(CHAIN_START, entry(1)) };

  test("an NDJSON line holds everything that the hash covers", () => {
    const said = JSON.parse(EXPORTS.ndjson.line(link)) as { prev_hash: string; hash: string; seq: number };
    expect(said).toMatchObject({ prev_hash: CHAIN_START, hash: link.hash, seq: 1, actor: { id: "key_1" } });
  });

  test("no CSV field starts like a formula, and every text can be parsed again", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[=+\-@\t\r ＝].{0,20}$/)),
        (text) => {
          const field = csvField(text);
          const content = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
          expect(content).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
          expect(content === text || content === `'${text}`).toBe(true);
        },
      ),
    );
  });

  test("a CSV row has as many fields as the header, whatever the entry contains", () => {
    const hostile = { ...link, target: '=HYPERLINK("http://x","y")', actorId: "a,b\r\nc" };
    expect(EXPORTS.csv.header.trim().split(",")).toHaveLength(14);
    expect(EXPORTS.csv.line(hostile)).toContain(`"'=HYPERLINK(""http://x"",""y"")"`);
    expect(EXPORTS.csv.line(hostile)).toContain('"a,b\r\nc"');
  });

  test("an OCSF line is API Activity with its required fields", () => {
    expect(JSON.parse(EXPORTS.ocsf.line({ ...link, outcome: "refused" }))).toMatchObject({
      category_uid: 6,
      class_uid: 6003,
      activity_id: 1,
      type_uid: 600_301,
      time: 1_000,
      severity_id: 2,
      status_id: 2,
      metadata: { version: "1.3.0", product: { vendor_name: "Sluice" }, uid: "aud_1" },
      actor: { user: { uid: "key_1" } },
      api: { operation: "budget.created" },
      src_endpoint: { ip: "203.0.113.7" },
      resources: [{ uid: "bud_1" }],
    });
  });
});

describe("retention", () => {
  const DAY = 86_400_000;
  test("each kind is deleted after its own days, and nothing under a legal hold", () => {
    const policy = { runsDays: 3, auditDays: 90, deliveriesDays: 7, legalHold: false };
    expect(purgeBefore(policy, 100 * DAY)).toEqual({ runs: 97 * DAY, audit: 10 * DAY, deliveries: 93 * DAY });
    expect(purgeBefore({ ...policy, legalHold: true }, 100 * DAY)).toBeUndefined();
    expect(purgeBefore(RETENTION_DEFAULT, 0)).toEqual({
      runs: -1_095 * DAY,
      audit: -3_650 * DAY,
      deliveries: -90 * DAY,
    });
  });

  test("a full step is soon followed by the next, otherwise by one a day later", () => {
    expect(nextSweep(5, true)).toBe(255);
    expect(nextSweep(5, false)).toBe(5 + DAY);
  });
});
