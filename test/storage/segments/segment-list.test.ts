import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ArchivedFile,
  type ArchivedSegment,
  type IsWanted,
  lastSeqOf,
  type LocalSegment,
  type SegmentMetadata,
  STATE,
} from "../../../src/storage/segments/metadata.ts";
import { SegmentList } from "../../../src/storage/segments/segment-list.ts";
import { joinZoneMaps, type ZoneMap } from "../../../src/storage/segments/zone-map.ts";

/** The list with files beside a plain list of every segment. */

const moment = fc.integer({ min: 0, max: 50 });
const facts = fc
  .record({
    rows: fc.integer({ min: 1, max: 5 }),
    startedMin: moment,
    recordedMin: moment,
    costMin: moment,
    span: moment,
  })
  .map(({ rows, startedMin, recordedMin, costMin, span }) => ({
    rows,
    bytes: rows * 10,
    startedMin,
    startedMax: startedMin + span,
    recordedMin,
    recordedMax: recordedMin + span,
    costMin: BigInt(costMin),
    costMax: BigInt(costMin + span),
  }));
type Facts = ZoneMap & { readonly rows: number; readonly bytes: number };

/** Tombstones, files of segments, then segments that are stored here. */
const drawn = fc.record({
  deleted: fc.array(facts, { maxLength: 3 }),
  files: fc.array(fc.array(facts, { minLength: 1, maxLength: 6 }), { maxLength: 6 }),
  local: fc.array(facts, { maxLength: 6 }),
});

interface Drawn {
  readonly deleted: readonly Facts[];
  readonly files: readonly (readonly Facts[])[];
  readonly local: readonly Facts[];
}

function listOf({ deleted, files, local }: Drawn) {
  let firstSeq = 1;
  const place = <Given extends Facts>(given: Given) => {
    const placed = { ...given, firstSeq };
    firstSeq += given.rows;
    return placed;
  };
  const stored = (all: readonly Facts[], state: LocalSegment["state"]) =>
    all.map((one): LocalSegment => ({ ...place(one), state }));
  const tombstones = stored(deleted, STATE.tombstones);
  const segmentsOf = new Map<ArchivedFile, ArchivedSegment[]>();
  for (const [at, own] of files.entries()) {
    const placed = own.map(place);
    const [rows, bytes] = [own.reduce((sum, one) => sum + one.rows, 0), own.length];
    const zones = joinZoneMaps(own);
    const range = { firstSeq: placed[0]?.firstSeq ?? 0, rows, bytes, name: `file ${at}` };
    const file: ArchivedFile = { ...range, ...zones, state: STATE.archived, segments: own.length };
    segmentsOf.set(
      file,
      placed.map((one) => ({ ...one, state: STATE.archived, file, offset: 0, digest: "" })),
    );
  }
  const here = stored(local, STATE.rows);
  const plain: SegmentMetadata[] = [...tombstones, ...[...segmentsOf.values()].flat(), ...here];
  const list = new SegmentList(
    [...tombstones, ...segmentsOf.keys(), ...here],
    (file) => segmentsOf.get(file) ?? [],
  );
  return { list, plain };
}

const asked = fc.record({ from: moment, to: moment, seq: fc.integer({ min: 0, max: 120 }) });

test("a list with files answers as a plain list of all segments does", () => {
  fc.assert(
    fc.property(drawn, fc.array(asked, { minLength: 1, maxLength: 8 }), (given, questions) => {
      const { list, plain } = listOf(given);
      for (const { from, to, seq } of questions) {
        const wishes: IsWanted[] = [
          () => true,
          ({ state }) => state !== STATE.tombstones,
          ({ startedMin, startedMax }) => startedMax >= from && startedMin < to,
          ({ recordedMax }) => recordedMax >= from,
          ({ costMin, costMax }) => costMax >= BigInt(from) && costMin < BigInt(to),
          ({ firstSeq }) => firstSeq <= seq,
        ];
        for (const isWanted of wishes) {
          const wanted = plain.filter(isWanted);
          expect([...list.forward(isWanted)]).toEqual(wanted);
          expect([...list.backward(isWanted)]).toEqual(wanted.toReversed());
          expect([...list.forward(isWanted, seq)]).toEqual(wanted.filter((one) => lastSeqOf(one) >= seq));
        }
        expect(list.with(seq)).toEqual(plain.find((one) => one.firstSeq <= seq && seq <= lastSeqOf(one)));
      }
    }),
  );
});

test("ranges that were replaced are not found any more, and others cannot be replaced", () => {
  fc.assert(
    fc.property(drawn, fc.nat(), (given, which) => {
      const { list, plain } = listOf(given);
      const file = list.ranges.filter((range) => range.state === STATE.archived).at(which % 7);
      if (file === undefined) return;
      const restored = list.segmentsOf(file).map((one): LocalSegment => {
        const { file: _file, offset: _offset, digest: _digest, ...own } = one;
        return { ...own, state: STATE.rows };
      });
      list.replace([file], restored);
      expect([...list.forward(() => true)].map(({ firstSeq }) => firstSeq)).toEqual(
        plain.map(({ firstSeq }) => firstSeq),
      );
      expect(restored.every((one) => list.with(one.firstSeq) === one)).toBe(true);
      expect(() => list.replace([file], restored)).toThrow("other segments");
    }),
  );
});
