import { expect, test } from "vitest";
import { signedIn } from "../support/session.ts";
import { newOrg, serve } from "../support/worker.ts";

const ORIGIN = "http://sluice.test";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const CHUNK = new Uint8Array(65_536).fill(97);
const MIB = 1024 * 1024;

/** A body of 150 MiB without a declared length, and how much of it was read. */
function flood(): { readonly stream: ReadableStream; readonly taken: () => number } {
  let bytes = 0;
  const stream = new ReadableStream({
    pull(controller) {
      bytes += CHUNK.byteLength;
      controller.enqueue(CHUNK);
      if (bytes >= 150 * MIB) controller.close();
    },
  });
  return { stream, taken: () => bytes };
}

async function expectRefusedEarly(path: string, headers: Record<string, string> = {}): Promise<void> {
  const { stream, taken } = flood();
  const answer = await serve(ORIGIN + path, {
    method: "POST",
    headers: { ...FORM, ...headers },
    body: stream,
    redirect: "manual",
  });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([413, "text/html; charset=utf-8"]);
  expect(await answer.text()).toContain("payload_too_large");
  // The part over the limit is drained, up to 16 MiB, so that the client sees the response.
  expect(taken()).toBeLessThan(20 * MIB);
}

test("an endless response of an identity provider is refused before it is read", async () => {
  const org = await newOrg();
  await expectRefusedEarly(`/saml/${org.id}/acs`);
});

test("an endless form of the console is refused before it is read", async () => {
  const browser = await signedIn((await newOrg()).id);
  await expectRefusedEarly("/console/budgets", { cookie: browser.cookie });
});

test.each(["/saml/org_01ARZ3NDEKTSV4RRFFQ69G5FAV/acs", "/console/budgets"])(
  "a form to %s that declares too much is refused unread",
  async (path) => {
    const browser = await signedIn((await newOrg()).id);
    const { stream, taken } = flood();
    const answer = await serve(ORIGIN + path, {
      method: "POST",
      headers: { ...FORM, cookie: browser.cookie, "content-length": String(150 * MIB) },
      body: stream,
    });
    expect(answer.status).toBe(413);
    expect(taken()).toBeLessThanOrEqual(2 * CHUNK.byteLength);
  },
);

test("a body that is not a form is not a sign-in", async () => {
  const org = await newOrg();
  const answer = await serve(`${ORIGIN}/saml/${org.id}/acs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining("response_malformed")]);
});
