import { expect, test } from "vitest";
import { http } from "../support/http.ts";
import { operator, TwoRegions } from "../support/two-regions.ts";

const regions = new TwoRegions();
const tokenIn = (page: string) => /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
const pairOf = (answer: Response) => (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

/** Sends forms as a browser of an operator does. */
async function signedIn(base: string) {
  const send = (path: string, cookie: string, fields: Record<string, string>) =>
    fetch(base + path, {
      method: "POST",
      headers: { cookie },
      body: new URLSearchParams({ _once: crypto.randomUUID(), ...fields }),
      redirect: "manual",
    });
  const login = await fetch(`${base}/operator/login`);
  const fields = { _csrf: tokenIn(await login.text()), key: operator.key };
  const cookie = pairOf(await send("/operator/login", pairOf(login), fields));
  const read = async (path: string) => (await fetch(base + path, { headers: { cookie } })).text();
  const _csrf = tokenIn(await read("/operator/plans"));
  return {
    read,
    send: (path: string, form: Record<string, string>) => send(path, cookie, { _csrf, ...form }),
  };
}

test("an operator moves an org by a form, which moves it once however often it is sent", async () => {
  const [eu] = regions.eu.urls;
  const org = await regions.newOrg();
  const homeOf = async () => (await http("GET", `${eu}/v1/admin/orgs/${org.id}`, operator)).body.home_region;
  const { read, send } = await signedIn(eu);
  const path = `/operator/orgs/${org.id}`;
  const page = await read(`${path}/data`);
  expect(page).toContain('<option value="us">us</option>');
  expect(page).not.toContain('<option value="eu"');
  expect(page).toContain("Allows every region");
  const form = { to: "us", confirm: "Acme", _once: "moved-once" };
  expect((await send(`${path}/move`, { ...form, confirm: "Acme Inc" })).status).toBe(422);
  expect(await homeOf()).toBe("eu");
  for (let sent = 0; sent < 2; sent += 1) {
    const moved = await send(`${path}/move`, form);
    expect([moved.status, moved.headers.get("location")]).toEqual([303, `${path}/data?notice=moved`]);
    await regions.expectWhole(org, "us");
  }
  const back = await http("POST", `${regions.us.urls[0]}/v1/admin/orgs/${org.id}/move`, {
    ...operator,
    body: { to: "eu" },
  });
  expect([back.status, await homeOf()]).toEqual([200, "eu"]);
  expect((await send(`${path}/move`, form)).status).toBe(303);
  expect(await homeOf()).toBe("eu");
});

test("a move that the org's residency rule excludes is refused, with the rule beside the form", async () => {
  const [eu] = regions.eu.urls;
  const org = await regions.newOrg();
  await http("PUT", `${eu}/v1/orgs/${org.id}/residency`, { key: org.key, body: { regions: ["eu"] } });
  const { send } = await signedIn(eu);
  const refused = await send(`/operator/orgs/${org.id}/move`, { to: "us", confirm: org.id });
  const page = await refused.text();
  expect([refused.status, page.includes("Allows eu only"), page.includes('role="alert"')]).toEqual([
    403,
    true,
    true,
  ]);
  expect((await http("GET", `${eu}/v1/admin/orgs/${org.id}`, operator)).body.home_region).toBe("eu");
});
