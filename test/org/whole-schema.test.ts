import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { applySchema, ORG_STEPS, stepsOf } from "../../src/org/schema.ts";
import { env } from "../support/worker.ts";

/** What a new object has: every table and index with its text, and every row. */
function contents({ sql }: DurableObjectStorage): Record<string, unknown> {
  const made = sql
    .exec<{
      type: string;
      name: string;
      sql: string | null;
    }>("SELECT type, name, sql FROM sqlite_master WHERE name NOT GLOB '_cf_*' ORDER BY name")
    .toArray()
    .map((one) => ({ ...one, sql: one.sql?.replaceAll(/\s+/g, " ") }));
  const tables = made.filter(({ type, name }) => type === "table" && !name.startsWith("sqlite_"));
  const rows = tables.map(({ name }) => [name, sql.exec(`SELECT * FROM ${name}`).toArray()] as const);
  return { made, rows: Object.fromEntries(rows) };
}

test("a new object has what all steps make one after the other, and a key of its own", async () => {
  const byStep = await runInDurableObject(env.ORG.getByName("by-step"), (_object, storage) => {
    stepsOf(storage.storage).apply(ORG_STEPS.map(({ name }) => name));
    // Notes the shapes of what is journaled. No step is missing.
    expect(applySchema(storage.storage)).toBe(false);
    return contents(storage.storage);
  });
  const atOnce = await runInDurableObject(env.ORG.getByName("at-once"), (_object, { storage }) => {
    expect(applySchema(storage)).toBe(true);
    return contents(storage);
  });
  const keyed = { rows: { run_id_key: [{ one: 1, first: expect.any(Number), second: expect.any(Number) }] } };
  expect(atOnce).toMatchObject(keyed);
  expect(byStep).toMatchObject(keyed);
  const withoutKey = ({ made, rows }: Record<string, unknown>) => ({
    made,
    rows: { ...(rows as object), run_id_key: [] },
  });
  expect(withoutKey(atOnce)).toEqual(withoutKey(byStep));
});
