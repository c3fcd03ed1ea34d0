import { expect, test } from "vitest";
import { readHours } from "../../src/api/usage/known-hours.ts";
import type { OrgDoor } from "../../src/edge/object/org-door.ts";

/** An org whose hours take so many steps to read. */
function orgOf(steps: number) {
  const asked: unknown[] = [];
  const query = async (_name: string, { after }: { after: { run: number } | null }) => {
    asked.push(after);
    const run = (after?.run ?? 0) + 1;
    const next = run < steps ? { run, replacement: 1 } : null;
    return { status: 200, body: { spends: [[7, "org", "", 1, 1]], next } };
  };
  return { asked, org: { query } as unknown as OrgDoor };
}

test("hours are read in ten steps at most, each from where the one before ended", async () => {
  const ten = orgOf(10);
  expect(await readHours(ten.org)).toEqual([[7, "org", "", 10, 10]]);
  expect(ten.asked.slice(0, 3)).toEqual([null, { run: 1, replacement: 1 }, { run: 2, replacement: 1 }]);
  const eleven = orgOf(11);
  expect(await readHours(eleven.org)).toBeNull();
  expect(eleven.asked).toHaveLength(10);
});
