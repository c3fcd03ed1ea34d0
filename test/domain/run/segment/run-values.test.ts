import { expect, test } from "vitest";
import { COLUMNS, runOfValues, runValues } from "../../../../src/domain/run/segment/run-values.ts";
import { runRecord } from "../../../support/run-records.ts";

const RUN = runRecord("run-1", {
  startedAt: 1,
  endedAt: 5,
  cost: 9_007_199_254_740_993n,
  customerId: "c",
  tags: '{"a":"b"}',
  extra: { metadata: { text: '"quoted"' } },
});

test("a run that waits in the write-ahead log is the same afterwards", () => {
  expect(runOfValues(JSON.parse(JSON.stringify(runValues(RUN))) as [])).toEqual(RUN);
  expect(runOfValues(runValues(runRecord("run-2")))).toEqual(runRecord("run-2"));
});

test("a column that was added after a run was written is null in it", () => {
  const last = COLUMNS.at(-1) ?? "id";
  expect(runOfValues(runValues(RUN).slice(0, -1))).toEqual({ ...RUN, [last]: null });
});
