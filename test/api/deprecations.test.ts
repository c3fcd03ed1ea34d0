import { parseItem } from "structured-headers";
import { describe, expect, test } from "vitest";
import { DEPRECATED_ROUTES } from "../../src/contract/deprecations.ts";
import { PLATFORM_ORG_ID } from "../../src/contract/platform-org.ts";
import { imfFixdate, isoDate, parseImfFixdate } from "../../src/contract/http-date.ts";
import { IN_TWO_YEARS, monthsFromToday } from "../support/deprecation.ts";
import { type Answer, call, env, newOrg, operatorKey } from "../support/worker.ts";

const PATH = "/v1/admin/deprecations";
const flagged = {
  method: "GET",
  route: "/v1/orgs/{id}",
  since: "2026-08-01",
  sunset: IN_TWO_YEARS,
  documentation: "http://127.0.0.1:8787/docs/orgs",
};

function flag(body: object): Promise<Answer> {
  return call("PUT", PATH, { key: operatorKey(), body });
}

function signalled(answer: Answer): object {
  const [since] = parseItem(answer.headers.get("deprecation") ?? "");
  const sunset = answer.headers.get("sunset") ?? "";
  expect(parseImfFixdate(sunset)).toBeTypeOf("number");
  return { since: (since as Date).toISOString().slice(0, 10), sunset, link: answer.headers.get("link") };
}

function isSilent(answer: Answer): boolean {
  return ["deprecation", "sunset", "link"].every((name) => !answer.headers.has(name));
}

describe("GET /v1/meta/deprecations", () => {
  test("lists the contract's deprecations to anyone, as a bare array", async () => {
    const { status, body } = await call("GET", "/v1/meta/deprecations");
    expect(status).toBe(200);
    expect(body).toEqual(
      expect.arrayContaining(
        DEPRECATED_ROUTES.map(({ migration: _forReaders, ...one }) => ({
          ...one,
          documentation: "http://127.0.0.1:8787/docs",
        })),
      ),
    );
  });
});

describe("PUT /v1/admin/deprecations", () => {
  test("flags a route, which is then listed and signalled immediately", async () => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}`;
    expect(isSilent(await call("GET", path, { key: org.ownerKey }))).toBe(true);
    const answer = await flag({ ...flagged, replacement: "/v2/orgs/{id}" });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...flagged, replacement: "/v2/orgs/{id}" });
    expect((await call("GET", "/v1/meta/deprecations")).body).toContainEqual(answer.body);
    expect(signalled(await call("GET", path, { key: org.ownerKey }))).toEqual({
      since: flagged.since,
      sunset: flagged.sunset,
      link: '<http://127.0.0.1:8787/docs/orgs>; rel="deprecation", </v2/orgs/{id}>; rel="successor-version"',
    });
  });

  test("signals on refusals, HEAD, OPTIONS and unserved methods, and not on the other methods of the path", async () => {
    await flag(flagged);
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}`;
    const answers: [number, Answer][] = [
      [401, await call("GET", path)],
      [404, await call("GET", "/v1/orgs/org_00000000000000000000000001", { key: org.ownerKey })],
      [200, await call("HEAD", path, { key: org.ownerKey })],
      [204, await call("OPTIONS", path)],
      [404, await call("DELETE", path, { key: org.ownerKey })],
    ];
    for (const [status, answer] of answers) {
      expect(answer.status).toBe(status);
      expect(signalled(answer)).toMatchObject({ since: flagged.since, sunset: flagged.sunset });
    }
    expect(isSilent(await call("PATCH", path, { key: org.ownerKey, body: { name: "Other" } }))).toBe(true);
    expect(isSilent(await call("GET", `${path}/keys`, { key: org.ownerKey }))).toBe(true);
  });

  test("extends a sunset, keeping the successor, and the operation is deprecated in OpenAPI", async () => {
    const route = { ...flagged, route: "/v1/orgs/{id}/keys", replacement: "/v2/keys" };
    await flag(route);
    const { replacement: _kept, ...extension } = { ...route, sunset: "2099-12-31" };
    const { status, body } = await flag(extension);
    expect(status).toBe(200);
    expect(body).toEqual({ ...route, sunset: "Thu, 31 Dec 2099 23:59:59 GMT" });
    const { paths } = (await call("GET", "/v1/openapi.json")).body;
    expect(paths["/v1/orgs/{id}/keys"].get.deprecated).toBe(true);
    expect(paths["/v1/orgs/{id}/keys"].post.deprecated).toBeUndefined();
    const { responses } = paths["/v1/orgs/{id}/keys"].get;
    for (const described of ["200", "401", "500"]) {
      expect(Object.keys(responses[described].headers)).toEqual(
        expect.arrayContaining(["Deprecation", "Sunset", "Link", "x-svc-trace-id"]),
      );
    }
  });

  test.each([
    ["an earlier sunset", { sunset: imfFixdate(monthsFromToday(13)) }],
    ["another day", { since: "2026-08-02" }],
    ["a sunset before its day", { route: "/v1/openapi.json", since: isoDate(monthsFromToday(25)) }],
  ])("refuses %s with a conflict, and nothing changes", async (_what, change) => {
    await flag(flagged);
    const before = (await call("GET", "/v1/meta/deprecations")).body;
    const answer = await flag({ ...flagged, ...change });
    expect(answer.status).toBe(409);
    expect(answer.body.error.code).toBe("conflict");
    expect((await call("GET", "/v1/meta/deprecations")).body).toEqual(before);
  });

  describe("keeps the contract's notice of 12 months", () => {
    const route = { ...flagged, route: "/v1/orgs/{id}/plan" };
    const listed = async () => (await call("GET", "/v1/meta/deprecations")).body as { route: string }[];
    const yesterday = isoDate(monthsFromToday(0, -1));
    const nextMonth = isoDate(monthsFromToday(1));

    test.each([
      ["an hour after the announcement", isoDate(Date.now()), imfFixdate(Date.now() + 3_600_000)],
      ["a day short", isoDate(Date.now()), isoDate(monthsFromToday(12, -1))],
      ["a second short", isoDate(Date.now()), imfFixdate(monthsFromToday(12) - 1000)],
      ["12 months after a day that is long over", "2020-01-01", "2027-01-01"],
      ["12 months after yesterday", yesterday, imfFixdate(monthsFromToday(12, -1))],
      [
        "12 months from now, but not after a day that is still to come",
        nextMonth,
        isoDate(monthsFromToday(12)),
      ],
    ])("a sunset %s is refused, naming it, and nothing is flagged", async (_what, since, sunset) => {
      const refused = await flag({ ...route, since, sunset });
      expect([refused.status, refused.body.error.code]).toEqual([422, "validation_failed"]);
      expect(refused.body.error.details.fields).toMatchObject([{ field: "sunset", code: "out_of_range" }]);
      expect((await listed()).map((one) => one.route)).not.toContain(route.route);
    });

    test("exactly 12 months is enough, and an announced sunset can be extended by any amount", async () => {
      const least = { ...route, since: isoDate(Date.now()), sunset: imfFixdate(monthsFromToday(12)) };
      expect((await flag(least)).status).toBe(200);
      const second = imfFixdate(monthsFromToday(12) + 1000);
      expect((await flag({ ...least, sunset: second })).body.sunset).toBe(second);
      expect((await flag({ ...least, sunset: imfFixdate(monthsFromToday(11)) })).status).toBe(409);
    });
  });

  test.each([
    ["route", { route: "/v1/nowhere" }],
    ["route", { route: "/v1/orgs/{other}" }],
    ["route", { method: "DELETE" }],
    ["method", { method: "HEAD" }],
    ["since", { since: "2026-02-30" }],
    ["since", { since: "yesterday" }],
    ["sunset", { sunset: "Thu, 31 Dec 2027 23:59:59 GMT" }],
    ["sunset", { sunset: "0000-01-01T00:00:00Z" }],
    ["sunset", { sunset: "0000-01-01" }],
    ["sunset", { sunset: "9999-12-31T23:59:59-14:00" }],
    ["sunset", { sunset: "9999-12-31T23:59:59.5Z" }],
    ["documentation", { documentation: "docs" }],
    ["documentation", { documentation: "javascript:alert(1)" }],
    ["documentation", { documentation: 'https://x.test/">; rel="next' }],
    ["documentation", { documentation: undefined }],
    ["documentation", { documentation: "https://docs.example.test/orgs" }],
    ["documentation", { documentation: "http://127.0.0.1:8787/docsx" }],
    ["documentation", { documentation: "http://127.0.0.1:8787/docs/../console" }],
    ["documentation", { documentation: "http://127.0.0.1:8787@example.test/docs" }],
    ["replacement", { replacement: "/v1/x>\r\nx: y" }],
    ["replacement", { replacement: "v1/x" }],
    ["extra", { extra: 1 }],
  ])("refuses a bad %s: %j", async (field, change) => {
    const { status, body } = await flag({ ...flagged, ...change });
    expect(status).toBe(422);
    expect(body.error.details.fields.map((one: { field: string }) => one.field)).toEqual([field]);
  });

  test("is in the platform's audit trail, with what was flagged", async () => {
    const route = { ...flagged, route: "/v1/admin/orgs" };
    await flag(route);
    const trail = await call("GET", `/v1/orgs/${PLATFORM_ORG_ID}/audit-log`, { key: operatorKey() });
    expect(trail.body.data).toContainEqual(
      expect.objectContaining({
        action: "platform.route_deprecated",
        target: "GET /v1/admin/orgs",
        detail: expect.objectContaining({ sunset: route.sunset }) as unknown,
      }),
    );
  });

  test("is for operators only", async () => {
    const org = await newOrg();
    expect((await call("PUT", PATH, { body: flagged })).status).toBe(401);
    expect((await call("PUT", PATH, { key: org.ownerKey, body: flagged })).status).toBe(403);
  });

  test("by two operators at once results in the later sunset, in either order", async () => {
    const route = { ...flagged, route: "/v1/meta/errors" };
    const later = "Fri, 01 Jan 2100 00:00:00 GMT";
    const answers = await Promise.all([flag({ ...route, sunset: later }), flag(route)]);
    expect(answers.map(({ status }) => status)).toContain(200);
    const listed = (await call("GET", "/v1/meta/deprecations")).body as { route: string; sunset: string }[];
    expect(listed.find((one) => one.route === route.route)?.sunset).toBe(later);
  });
});

test("the deprecated routes of the contract carry their headers without being flagged", async () => {
  for (const one of DEPRECATED_ROUTES) {
    const path = one.route.replaceAll(/\{\w+\}/g, "org_00000000000000000000000001");
    const answer = await call(one.method, path);
    expect(signalled(answer)).toMatchObject({ since: one.since, sunset: one.sunset });
  }
});

test("nothing outside /v1 carries the headers", async () => {
  const paths = ["/healthz", "/docs", "/metrics", "/nowhere"];
  const answers = await Promise.all(paths.map((path) => call("GET", path)));
  expect(answers.map(isSilent)).toEqual([true, true, true, true]);
});

test("a flag from another isolate shows within a second, without a request in between", async () => {
  const asked = { ...flagged, method: "GET", route: "/v1/openapi.json" } as const;
  await env.REGISTRY.getByName("registry").flag(asked, Date.now());
  await scheduler.wait(1000);
  expect(signalled(await call("GET", "/v1/openapi.json"))).toMatchObject({ since: flagged.since });
});

test("a call whose route is flagged while its body arrives carries the headers", async () => {
  const org = await newOrg();
  const route = "/v1/orgs/{id}/evals";
  const pipe = new TransformStream<Uint8Array, Uint8Array>();
  const writer = pipe.writable.getWriter();
  const sending = call("POST", `/v1/orgs/${org.id}/evals`, { key: org.ownerKey, stream: pipe.readable });
  void writer.write(new TextEncoder().encode("{"));
  await env.REGISTRY.getByName("registry").flag({ ...flagged, method: "POST", route }, Date.now());
  await scheduler.wait(1100);
  void writer.write(new TextEncoder().encode("}"));
  void writer.close();
  const answer = await sending;
  expect(answer.status).toBe(422);
  expect(signalled(answer)).toMatchObject({ since: flagged.since });
});
