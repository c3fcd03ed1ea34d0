import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { forget, sendArchive } from "../../support/backup.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../../support/worker.ts";
import { operatorBrowser, type OperatorBrowser } from "../../support/operator-browser.ts";

/** Backup, restore and move of an organization, as an operator does them in a browser. */

let operator: OperatorBrowser;
let org: TestOrg;
beforeAll(async () => {
  operator = await operatorBrowser();
  org = await newOrg({ name: "Acme Robotics", environment: "test" });
});

const ago = (ms: number) => new Date(Date.now() - ms).toISOString().slice(0, 16);
const at = (of: TestOrg, work: string) => `/operator/orgs/${of.id}/${work}`;
const statusOf = async ({ id }: TestOrg) =>
  (await call("GET", `/v1/admin/orgs/${id}`, { key: operatorKey() })).body.status as string;

/** Lets the object restore itself, as where the platform keeps a history, and notes to when. */
async function withHistory({ id }: TestOrg): Promise<string[]> {
  const asked: string[] = [];
  await runInDurableObject(env.ORG.getByName(id), (object) => {
    (object as unknown as { recovery: object }).recovery = {
      bookmarkAt: async (atMs: number) => new Date(atMs).toISOString(),
      restoreAtNextStart: async (bookmark: string) => {
        asked.push(bookmark);
        return "the-way-back";
      },
      restart: () => undefined,
    };
  });
  return asked;
}

test("the page has what to check first, and leads there from the organization", async () => {
  expect(await operator.read(`/operator/orgs/${org.id}`)).toContain(`href="${at(org, "data")}"`);
  const page = await operator.read(at(org, "data"));
  for (const text of [
    "keep it as safe as the database",
    "Suspend it, so that no call comes in between",
    "Earliest moment",
    "There is no other region.",
  ]) {
    expect(page).toContain(text);
  }
  expect(page).not.toContain('action="/operator/orgs/:id/move"');
});

describe("a typed confirmation", () => {
  test.each(["", "Acme", "acme robotics", "org_00000000000000000000000000"])(
    "that is %j does nothing, and says what to type",
    async (confirm) => {
      const asked = await withHistory(org);
      for (const work of ["backup", "restore", "move"]) {
        const fields = { confirm, at: ago(60_000), to: "local" };
        const answer = await operator.post(at(org, work), fields);
        const page = await answer.text();
        expect([work, answer.status]).toEqual([work, 422]);
        expect(answer.headers.get("content-disposition")).toBeNull();
        if (work !== "move") expect(page).toContain(`must be Acme Robotics or ${org.id}`);
        if (work === "restore") expect(page).toContain(`value="${fields.at}"`);
      }
      expect([asked, await statusOf(org)]).toEqual([[], "active"]);
    },
  );
});

test("a backup is downloaded, and an organization is made of it again", async () => {
  const saved = await newOrg({ name: "Hooli", environment: "test" });
  const answer = await operator.post(at(saved, "backup"), { confirm: "Hooli" });
  expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
    200,
    `attachment; filename="${saved.id}.backup"`,
  ]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const archive = Buffer.from(await answer.arrayBuffer());
  await forget(saved.id);
  const imported = await sendArchive(archive);
  expect([imported.status, imported.body]).toMatchObject([201, { org_id: saved.id, imported: true }]);
});

describe("a restore", () => {
  test("is done once however often its form is sent, and shows the way back each time", async () => {
    const other = await newOrg({ name: "Globex", environment: "test" });
    const asked = await withHistory(other);
    const form = { confirm: other.id, at: ago(3_600_000), _once: "restored-once" };
    for (let sent = 0; sent < 2; sent += 1) {
      const page = await (await operator.post(at(other, "restore"), form)).text();
      expect(page).toContain("the-way-back");
      expect(page).toContain("It is suspended.");
    }
    expect(asked).toEqual([`${form.at}:00.000Z`]);
    expect(await statusOf(other)).toBe("suspended");
    await operator.post(`/operator/orgs/${other.id}/resume`, {});
    expect((await operator.post(at(other, "restore"), form)).status).toBe(200);
    expect([asked.length, await statusOf(other)]).toEqual([1, "active"]);
    const changed = await operator.post(at(other, "restore"), { ...form, at: ago(7_200_000) });
    expect([changed.status, (await changed.text()).includes("already sent with other content")]).toEqual([
      409,
      true,
    ]);
    expect((await operator.post(at(other, "restore"), { ...form, _once: "again" })).status).toBe(200);
    expect(asked.length).toBe(2);
  });

  test("says what is wrong with its moment, and that there is no history where the platform keeps none", async () => {
    const bare = await newOrg({ name: "Initech", environment: "test" });
    for (const [moment, text] of [
      [ago(-3_600_000), "must be in the past"],
      [ago(31 * 86_400_000), "must be within 30 days"],
      ["", "is required"],
      ["yesterday", "restore-at-error"],
    ] as const) {
      const answer = await operator.post(at(bare, "restore"), { confirm: "Initech", at: moment });
      expect([moment, answer.status, (await answer.text()).includes(text)]).toEqual([moment, 422, true]);
    }
    const answer = await operator.post(at(bare, "restore"), { confirm: "Initech", at: ago(60_000) });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("Import a backup instead.");
    expect(await statusOf(bare)).toBe("active");
  });
});

test("a move to where there is no region is refused in its form's words, and no move is given up that is not there", async () => {
  const answer = await operator.post(at(org, "move"), { confirm: org.id, to: "mars" });
  expect(answer.status).toBe(422);
  const stay = await operator.post(at(org, "stay"), {});
  expect([stay.status, (await stay.text()).includes("No move of this organization is under way.")]).toEqual([
    404,
    true,
  ]);
});
