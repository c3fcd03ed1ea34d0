import { expect, test } from "vitest";
import { ENCRYPTED_COLUMNS } from "../../src/org/peppers/encrypted-columns.ts";
import { rowsOf } from "../support/rows.ts";
import { newOrg } from "../support/worker.ts";

/** They expire before a pepper may be dropped. */
const EXPIRING = ["idempotency", "idempotency_parts", "sign_in_attempts"];

test("what is encrypted for good is encrypted anew when the pepper changes, in every table", async () => {
  const { id } = await newOrg();
  const tables = await rowsOf<{ name: string }>(
    id,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '% sealed TEXT%' ORDER BY name",
  );
  const names = tables.map(({ name }) => name).filter((name) => !EXPIRING.includes(name));
  expect(names).toEqual(ENCRYPTED_COLUMNS.map(({ table }) => table).toSorted());
});
