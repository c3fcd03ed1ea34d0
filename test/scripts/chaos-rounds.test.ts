import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { tablesWith } from "../../scripts/chaos/leftovers.ts";
import { Letters } from "../../scripts/chaos/letters.ts";
import { type Change, wrongEntries } from "../../scripts/chaos/trail.ts";
import { temporaryFolder } from "../support/folder.ts";

/** The parts that rounds of `npm run chaos` compare with. */

async function receiver(): Promise<Letters> {
  const letters = await Letters.open();
  onTestFinished(() => letters.close());
  return letters;
}

const deliver = ({ url }: Letters, event: string) =>
  fetch(url, { method: "POST", headers: { "x-svc-event-id": event }, body: "{}" }).then(
    ({ status }) => status,
    () => null,
  );

test("only a delivery that was answered has arrived", async () => {
  const letters = await receiver();
  expect(await deliver(letters, "evt_1")).toBe(200);
  letters.beSilent();
  const cutOff = deliver(letters, "evt_2");
  await letters.waitForOne(60_000);
  letters.speak();
  expect(await cutOff).toBe(null);
  expect([...letters.arrived]).toEqual(["evt_1"]);
  expect(await deliver(letters, "evt_2")).toBe(200);
  expect([...letters.arrived]).toEqual(["evt_1", "evt_2"]);
});

test("a delivery that never comes is not waited for for ever", async () => {
  await expect((await receiver()).waitForOne(1)).resolves.toBeUndefined();
});

test("tables are searched for a text in any column, and only those that have it are named", () => {
  const state = temporaryFolder();
  const objects = join(state, "v3/do/sluice-OrgObject");
  mkdirSync(objects, { recursive: true });
  const database = new DatabaseSync(join(objects, `${"a".repeat(64)}.sqlite`));
  onTestFinished(() => database.close());
  database.exec(`
    CREATE TABLE texts (id INTEGER, body TEXT); INSERT INTO texts VALUES (9007199254740993, 'of person-1, and more');
    CREATE TABLE bytes (body BLOB); INSERT INTO bytes VALUES (CAST('xx person-1 xx' AS BLOB));
    CREATE TABLE gone (body TEXT); INSERT INTO gone VALUES ('person-1'); DELETE FROM gone;
    CREATE TABLE others (body TEXT); INSERT INTO others VALUES ('person-2');
  `);
  expect(tablesWith(state, "person-1")).toEqual(["texts", "bytes"]);
  expect(tablesWith(state, "person-3")).toEqual([]);
});

test("each change has one audit entry, and a run that was sent again may have more that say so", () => {
  const changes: Change[] = [
    ["run.recorded", "r1"],
    ["run.adjusted", "r1"],
  ];
  const entry = (action: string, status: string) => ({ action, target: "r1", detail: { status } });
  const [recorded, again] = [entry("run.recorded", "accepted"), entry("run.recorded", "duplicate")];
  const adjusted = { action: "run.adjusted", target: "r1", detail: null };
  expect(wrongEntries(changes, [recorded, again, again, adjusted])).toEqual([]);
  expect(wrongEntries(changes, [again, adjusted])).toEqual(["run.recorded of r1 has 0 audit entries"]);
  expect(wrongEntries(changes, [recorded, adjusted, adjusted])).toEqual([
    "run.adjusted of r1 has 2 audit entries",
  ]);
});
