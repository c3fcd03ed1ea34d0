import { beforeAll, describe, expect, test } from "vitest";
import { MOST_UPLOAD_MIB } from "../../../src/web/operator/upload.ts";
import { backup, forget } from "../../support/backup.ts";
import { operatorSignIn, pairOf } from "../../support/operator-browser.ts";
import { call, newOrg, operatorKey, serve, type TestOrg } from "../../support/worker.ts";

/** A backup that an operator imports in a browser. */

const PATH = "/operator/orgs/import";
const ORIGIN = "http://sluice.test";
const MIB = 1_048_576;
let cookie: string;
let org: TestOrg;
let archive: Buffer;

beforeAll(async () => {
  cookie = pairOf(await operatorSignIn(operatorKey()));
  org = await newOrg({ name: "Hooli", environment: "test" });
  archive = await backup(org.id);
});

const headers = () => ({ "cf-connecting-ip": "203.0.113.77", cookie });
const read = async (path: string) => (await serve(ORIGIN + path, { headers: headers() })).text();

/** Sends the form as a browser does. */
async function send(
  file: Uint8Array | null,
  fields: Record<string, string>,
  more: Record<string, string> = {},
): Promise<Response> {
  const [, _csrf = ""] = /name="_csrf" value="([^"]+)"/.exec(await read(PATH)) ?? [];
  const body = new FormData();
  for (const [name, value] of Object.entries({ _csrf, _once: crypto.randomUUID(), ...fields }))
    body.append(name, value);
  body.append(
    "backup",
    new Blob(file === null ? [] : [new Uint8Array(file)]),
    file === null ? "" : "hooli.backup",
  );
  return serve(ORIGIN + PATH, {
    method: "POST",
    headers: { ...headers(), ...more },
    body,
    redirect: "manual",
  });
}

const statusOf = async () => (await call("GET", `/v1/admin/orgs/${org.id}`, { key: operatorKey() })).status;

test("the page says what to check first, and how a larger file is sent, and the list leads to it", async () => {
  expect(await read("/operator")).toContain(`href="${PATH}"`);
  const page = await read(PATH);
  for (const text of ["Becomes its home", "Must not have it", "multipart/form-data", "--data-binary"])
    expect(page).toContain(text);
});

describe("a backup is not imported", () => {
  beforeAll(() => forget(org.id));
  const expectRefused = async (answer: Response, status: number, ...texts: readonly string[]) => {
    const page = await answer.text();
    expect(answer.status).toBe(status);
    for (const text of texts) expect(page).toContain(text);
    expect(await statusOf()).toBe(404);
  };

  test.each(["", "Hooli", "org_00000000000000000000000000"])("if %j is typed for its id", async (confirm) => {
    await expectRefused(await send(archive, { confirm }), 422, `must be ${org.id}`, `value="${confirm}"`);
  });

  test("if there is none, or if it is something else, cut off or changed", async () => {
    const confirm = org.id;
    await expectRefused(await send(null, { confirm }), 422, "Choose the file", `value="${confirm}"`);
    await expectRefused(
      await send(Buffer.from("a picture"), { confirm }),
      422,
      "is not a backup of this service",
    );
    await expectRefused(await send(archive.subarray(0, -1), { confirm }), 422, "ends too early");
    const changed = Buffer.from(archive);
    changed.writeUInt8(changed.readUInt8(changed.byteLength - 40) ^ 1, changed.byteLength - 40);
    await expectRefused(
      await send(changed, { confirm }),
      422,
      "was changed, or was made where SVC_KEY_PEPPER",
    );
  });

  test("if it is larger than a form takes: the answer has the command for it", async () => {
    const large = await send(new Uint8Array((MOST_UPLOAD_MIB + 1) * MIB), { confirm: org.id });
    await expectRefused(large, 413, "Nothing was imported", "--data-binary");
  });

  test("without the form's token, from another site, or as another kind of form", async () => {
    await expectRefused(await send(archive, { confirm: org.id, _csrf: "x" }), 403, "Nothing was changed");
    const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    await expectRefused(await send(archive, { confirm: org.id }, elsewhere), 403, "Nothing was changed");
    const plain = new URLSearchParams({ confirm: org.id });
    const init = { method: "POST", redirect: "manual" } as const;
    await expectRefused(await serve(ORIGIN + PATH, { ...init, headers: headers(), body: plain }), 403);
    const broken = { ...headers(), "content-type": "multipart/form-data; boundary=x" };
    await expectRefused(await serve(ORIGIN + PATH, { ...init, headers: broken, body: "no form" }), 403);
    const nobody = await serve(ORIGIN + PATH, { ...init, body: new FormData() });
    await expectRefused(nobody, 403, "Only an operator can do this");
  });
});

test("a backup is imported once its organization's id was typed, and a second time changes nothing", async () => {
  await forget(org.id);
  const at = `/operator/orgs/${org.id}`;
  const first = await send(archive, { confirm: ` ${org.id} ` });
  expect([first.status, first.headers.get("location")]).toEqual([303, `${at}?notice=imported`]);
  expect(await read(`${at}?notice=imported`)).toContain("Imported. This region is its home now.");
  expect((await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey })).body.name).toBe("Hooli");
  const second = await send(archive, { confirm: org.id });
  expect(second.headers.get("location")).toBe(`${at}?notice=imported_before`);
});

test("an organization that exists is not imported over, and the API's reason is shown", async () => {
  const other = await newOrg({ name: "Initech", environment: "test" });
  const answer = await send(await backup(other.id), { confirm: other.id });
  expect([answer.status, (await answer.text()).includes("exists here already")]).toEqual([409, true]);
});
