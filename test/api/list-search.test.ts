import { expect, test } from "vitest";
import { call, newOrg } from "../support/worker.ts";

/** Lists with `contains`: what is equal to it, then what begins with it, then what has it elsewhere. */

const rule = { target: "model", effect: "deny", when: "false", mode: "enforce", priority: 1 };
const price = { input_usd_per_mtok: "1", output_usd_per_mtok: "1" };

const LISTS = {
  keys: {
    add: (name: string) => ["POST", "keys", { name, role: "viewer" }] as const,
    nameOf: ({ name }: Record<string, string>) => name,
  },
  models: {
    add: (name: string) => ["PUT", `models/${encodeURIComponent(name)}`, price] as const,
    nameOf: ({ model }: Record<string, string>) => model,
  },
  "policy-rules": {
    add: (name: string) => ["POST", "policy-rules", { ...rule, reason: name }] as const,
    nameOf: ({ reason }: Record<string, string>) => reason,
  },
};

test.each(Object.entries(LISTS))("%s", async (list, { add, nameOf }) => {
  const org = await newOrg();
  const send = (method: string, path: string, body?: object) =>
    call(method, `/v1/orgs/${org.id}/${path}`, { key: org.ownerKey, body });
  for (const name of ["the-zebra", "zebra-1", "Zebra", "horse", "100%_zoo"]) {
    const [method, path, body] = add(name);
    expect((await send(method, path, body)).status).toBeLessThan(300);
  }
  const found = async (query: Record<string, string>) => {
    const { body } = await send("GET", `${list}?${new URLSearchParams(query)}`);
    expect(body.next_cursor).toBeNull();
    return body.data.map(nameOf);
  };
  expect(await found({ contains: "zebra" })).toEqual(["Zebra", "zebra-1", "the-zebra"]);
  expect(await found({ contains: "ZEBRA", limit: "1" })).toEqual(["Zebra"]);
  expect(await found({ contains: "%_" })).toEqual(["100%_zoo"]);
  expect(await found({ contains: "_ebra" })).toEqual([]);
  const [{ next_cursor }, other] = [(await send("GET", `${list}?limit=1`)).body, await newOrg()];
  for (const query of [`contains=`, `contains=${"x".repeat(129)}`, `contains=z&cursor=${next_cursor}`]) {
    expect([query, (await send("GET", `${list}?${query}`)).status]).toEqual([query, 422]);
  }
  const path = `/v1/orgs/${org.id}/${list}?contains=zebra`;
  expect((await call("GET", path, { key: other.ownerKey })).status).toBe(404);
});

test("a filter and a search", async () => {
  const org = await newOrg();
  const send = (method: string, path: string, body?: object) =>
    call(method, `/v1/orgs/${org.id}/${path}`, { key: org.ownerKey, body });
  for (const role of ["viewer", "admin"]) await send("POST", "keys", { name: `a ${role}`, role });
  const { body } = await send("GET", "keys?contains=a&role=viewer");
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["a viewer"]);
});
