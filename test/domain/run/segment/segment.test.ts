import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RunColumns } from "../../../../src/domain/run/segment/columns.ts";
import { encodeRowGroup } from "../../../../src/domain/run/segment/row-group.ts";
import { decodeTombstones, encodeTombstones } from "../../../../src/domain/run/segment/tombstones.ts";
import { NAME_COLUMNS, type RunRecord } from "../../../../src/domain/run/segment/record.ts";
import { runRecord } from "../../../support/run-records.ts";

const name = fc.oneof(
  fc.constantFrom("a", "acme/m1", "acme/m2", "wf_😀", "é".repeat(100)),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);
const nullable = fc.option(name);
const moment = fc.oneof(
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }),
  fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
);
const count = fc.oneof(fc.constant(0), fc.nat(5000), fc.maxSafeNat());
const run: fc.Arbitrary<RunRecord> = fc
  .record({
    id: fc.oneof(
      fc.uuid(),
      name,
      // No UUIDs, though they look like some.
      fc.uuid().map((id) => id.toUpperCase()),
      fc
        .tuple(fc.uuid(), fc.nat(35), fc.constantFrom("-", "g", "/", ":", "`", "é"))
        .map(([id, at, other]) => {
          return id.slice(0, at) + other + id.slice(at + 1);
        }),
    ),
    startedAt: moment,
    lasted: fc.option(fc.nat()),
    chargedAt: moment,
    recordedAt: moment,
    model: name,
    action: nullable,
    workflowId: nullable,
    deploymentId: nullable,
    departmentId: nullable,
    customerId: nullable,
    chainId: nullable,
    parentRunId: nullable,
    depth: count,
    inputTokens: count,
    outputTokens: count,
    cost: fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 7n), fc.bigInt(0n, 2n ** 70n)),
    charges: fc.oneof(fc.constant(""), name),
    userId: nullable,
    provider: nullable,
    keyId: nullable,
    outcome: nullable,
    tags: nullable,
    extra: fc.option(fc.dictionary(name, fc.jsonValue({ noUnicodeString: false }))),
  })
  .map(({ lasted, ...rest }) => ({
    ...rest,
    extra: rest.extra === null ? null : (JSON.parse(JSON.stringify(rest.extra)) as object),
    endedAt: lasted === null ? null : rest.startedAt + lasted,
  }));

const someGroups = fc.array(fc.array(run, { minLength: 1, maxLength: 12 }), { maxLength: 4 });

function blockOf(rowGroups: readonly (readonly RunRecord[])[]): RunColumns {
  const encoded = rowGroups.map((runs) => encodeRowGroup(runs).data);
  const bytes = new Uint8Array(encoded.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const rowGroup of encoded) {
    bytes.set(rowGroup, at);
    at += rowGroup.length;
  }
  return new RunColumns(bytes);
}

test("any runs are read back from a segment, in order", () => {
  fc.assert(
    fc.property(someGroups, (rowGroups) => {
      const columns = blockOf(rowGroups);
      expect([...columns]).toEqual(rowGroups.flat());
      expect(columns.count).toBe(rowGroups.flat().length);
    }),
  );
});

test("a run that is read by itself is the same as among all, however many were read before", () => {
  fc.assert(
    fc.property(someGroups, fc.array(fc.nat(47), { maxLength: 20 }), (rowGroups, places) => {
      const [all, columns] = [rowGroups.flat(), blockOf(rowGroups)];
      for (const at of places.filter((one) => one < all.length)) {
        expect(columns.rowAlone(at)).toEqual(all[at]);
        expect(columns.idAlone(at)).toBe(all[at]?.id);
      }
    }),
  );
});

test("runs with a name, or without one, are found by their places", () => {
  fc.assert(
    fc.property(someGroups, nullable, (rowGroups, other) => {
      const [all, columns] = [rowGroups.flat(), blockOf(rowGroups)];
      for (const column of NAME_COLUMNS) {
        for (const sought of new Set([other, null, ...all.map((one) => one[column])])) {
          const places = all.flatMap((one, at) => (one[column] === sought ? [at] : []));
          expect(columns.placesOf(column, sought)).toEqual(places);
        }
      }
    }),
  );
});

test("UUIDs are read back, and so is what only looks like one", () => {
  const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const others = Array.from({ length: id.length }, (_, at) => `${id.slice(0, at)}x${id.slice(at + 1)}`);
  for (const ids of [[id, id], ...others.map((other) => [id, other])]) {
    const columns = blockOf([ids.map((one) => runRecord(one))]);
    expect(columns.ids).toEqual(ids);
  }
});

test("the names of a segment are those of its runs, each once", () => {
  fc.assert(
    fc.property(fc.array(run, { maxLength: 12 }), (runs) => {
      const { names } = encodeRowGroup(runs);
      for (const column of NAME_COLUMNS) {
        const said = runs.map((one) => one[column]).filter((one) => one !== null);
        expect(names.get(column) ?? []).toEqual([...new Set(said)]);
      }
    }),
  );
});

test("a truncated segment is an error, never fewer runs", () => {
  fc.assert(
    fc.property(
      fc.array(run, { minLength: 1, maxLength: 6 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (runs, share) => {
        const bytes = encodeRowGroup(runs).data;
        const cut = bytes.subarray(0, Math.max(1, Math.floor((bytes.length - 1) * share)));
        expect(() => [...new RunColumns(cut)]).toThrow("ends too early");
      },
    ),
  );
});

test("a reader skips unknown columns", () => {
  const [known] = fc.sample(run, 1);
  if (known === undefined) throw new Error("no run was drawn");
  const bytes = encodeRowGroup([known]).data;
  const longer = new Uint8Array([...bytes.subarray(0, -1), 200, 3, 1, 2, 3, 0]);
  expect([...new RunColumns(longer)]).toEqual([known]);
});

/** Two runs without users, providers, keys and tags, as they are stored. */
const STORED =
  "02010c00010505010672756e2d3132020780a0abfef962000307e8a7abfef962000504e907e9070606d0a54cd0" +
  "a54c0704880e880e0804d804d804090202020a0a010761636d652f6d31010b07010463686174010c0501027766" +
  "010d060103646570010e060103647074010f08010363757300010010050102636801110901066275645f303101" +
  "120b00010506000572756e2d30131100010c000c7b22707269636564223a337d00";

test("the bytes of a segment never change between versions, and have no column that all runs lack", () => {
  const runs = [...new RunColumns(Buffer.from(STORED, "hex"))];
  const lacking = { userId: null, provider: null, keyId: null, outcome: null, tags: null };
  expect(runs).toMatchObject([
    { id: "run-1", customerId: "cus", extra: { priced: 3 }, ...lacking },
    { id: "run-2", customerId: null, extra: null, ...lacking },
  ]);
  expect(Buffer.from(encodeRowGroup(runs).data).toString("hex")).toBe(STORED);
});

test("a thousand runs of one application take at most 45 bytes each, including ids of 16 bytes", () => {
  const runs = Array.from({ length: 1000 }, (_, at) =>
    runRecord(crypto.randomUUID(), {
      startedAt: 1_700_000_000_000 - at,
      chargedAt: 1_700_000_000_500,
      recordedAt: 1_700_000_000_500,
      model: "acme/m1",
      action: "chat.completion",
      workflowId: "wf_support_answers",
      deploymentId: "dep_europe_production",
      departmentId: "dpt_customer_care",
      customerId: `cus_${at % 50}`,
      inputTokens: 1800,
      outputTokens: 600,
      cost: 1_250_000n,
      charges: "bud_01 bud_02 spend_cap",
      provider: "acme",
      keyId: "key_01JD0000000000000000000000",
      outcome: "failed",
    }),
  );
  expect(encodeRowGroup(runs).data.length / 1000).toBeLessThan(45);
});

test("any tombstones of runs are read back, in order", () => {
  const hex = (bytes: number) =>
    fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => Buffer.from(all).toString("hex"));
  const one = fc.record({
    keyHash: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    name: hex(10),
    said: hex(8),
    recordedAt: moment,
    chargedAt: moment,
    depth: fc.nat(100),
    cost: fc.bigInt(0n, 2n ** 70n),
  });
  fc.assert(
    fc.property(fc.array(one), (all) => {
      expect(decodeTombstones(encodeTombstones(all))).toEqual(all);
    }),
  );
});
