import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MOST_STREAMS } from "../../../src/org/people/watch.ts";
import { TIMING } from "../../../src/web/console/live/stream.ts";
import { aRun, newSpender, type Spender } from "../../support/ledger.ts";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, operatorKey, serve } from "../../support/worker.ts";

/** Pages that show what happens while one watches. */

const REAL = { ...TIMING };
/** The script of pages that refresh themselves. */
const LIVE = "/console/live-";
let org: Spender;
beforeAll(async () => {
  Object.assign(TIMING, { soonestMs: 5, latestMs: 20 });
  org = await newSpender();
});
afterAll(() => void Object.assign(TIMING, REAL));

/** The events of a stream, one at a time. Null: it has ended. */
async function watch(browser: Browser) {
  const answer = await browser.get("/console/live");
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = 0;
  const next = async (): Promise<string | null> => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return null;
      seen += 1;
      const event = /^event: (\w+)/m.exec(value)?.[1];
      if (event !== undefined) return event;
    }
  };
  return { answer, next, seen: () => seen, close: () => reader?.cancel() };
}

describe("a page that changes while one watches", () => {
  test("has scripts of our own, under 10 kB each, and nothing else may run", async () => {
    const page = await (await signedIn(org.id, "viewer")).get("/console/refusals");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'; connect-src 'self'");
    expect(policy).not.toContain("unsafe");
    const scripts = [...(await page.text()).matchAll(/<script([^>]*)>(.*?)<\/script>/g)];
    expect(scripts.map(([, , inside]) => inside)).toEqual(scripts.map(() => ""));
    const paths = scripts.map(([, tag = ""]) => /src="([^"]+)"/.exec(tag)?.[1] ?? "");
    expect(paths.some((path) => path.startsWith(LIVE))).toBe(true);
    for (const path of paths) {
      const script = await serve(`http://sluice.test${path}`);
      expect([path, script.status, script.headers.get("content-type")]).toEqual([
        path,
        200,
        "text/javascript; charset=utf-8",
      ]);
      expect((await script.text()).length).toBeLessThan(10_000);
      expect(script.headers.get("cache-control")).toContain("immutable");
    }
  });

  test("is not an answer to a form, a later page of a list, or a page that reads the trail", async () => {
    const browser = await signedIn(org.id);
    const paths = [
      "/console/audit",
      "/console/keys",
      "/console/refusals?cursor=x",
      "/console/refusals?from=x",
    ];
    for (const path of paths) {
      expect([path, (await (await browser.get(path)).text()).includes(LIVE)]).toEqual([path, false]);
    }
    const refused = await browser.post("/console/budgets", { limit_usd: "x" });
    expect(await refused.text()).not.toContain(LIVE);
  });
});

describe("the stream", () => {
  test("says that something happened, and nothing of what", async () => {
    const stream = await watch(await signedIn(org.id, "viewer"));
    expect(stream.answer.headers.get("content-type")).toContain("text/event-stream");
    await org.run(aRun({ customer_id: "secret-name" }));
    expect(await stream.next()).toBe("change");
    await stream.close();
  });

  test("is silent while others do something, and while people only read", async () => {
    const stream = await watch(await signedIn(org.id, "viewer"));
    const reader = await signedIn(org.id, "viewer");
    expect(await stream.next()).toBe("change");
    const other = await newSpender();
    const waiting = stream.next();
    const before = stream.seen();
    await other.run(aRun());
    await reader.get("/console");
    await call("GET", `/v1/orgs/${org.id}/budgets`, { key: org.key });
    await expect.poll(() => stream.seen()).toBeGreaterThan(before + 3);
    await org.run(aRun());
    expect(await waiting).toBe("change");
    await stream.close();
  });

  test("ends when the session is revoked, or its address is no longer allowed", async () => {
    for (const end of ["revoke", "list"] as const) {
      const own = await newSpender();
      const browser = await signedIn(own.id, "viewer");
      const stream = await watch(browser);
      if (end === "revoke") await own.send("DELETE", `sessions/${browser.sessionId}`);
      else {
        const body = { ip_allow_list: ["198.51.100.0/24"] };
        await call("PATCH", `/v1/orgs/${own.id}`, { key: operatorKey(), body });
      }
      const events: (string | null)[] = [];
      do events.push(await stream.next());
      while (events.at(-1) !== null);
      expect([end, events.slice(-2)]).toEqual([end, ["over", null]]);
    }
  });

  test("is for sessions, a few at a time, and makes room when it is closed", async () => {
    expect((await serve("http://sluice.test/console/live")).status).toBe(204);
    const forged = { headers: { cookie: "svc_session=ses_x" } };
    expect((await serve("http://sluice.test/console/live", forged)).status).toBe(204);
    const browser = await signedIn(org.id, "viewer");
    const open = [];
    for (let nth = 0; nth < MOST_STREAMS; nth += 1) open.push(await watch(browser));
    expect(open.map(({ answer }) => answer.status)).toEqual(open.map(() => 200));
    expect((await browser.get("/console/live")).status).toBe(204);
    const another = await watch(await signedIn(org.id, "viewer"));
    expect(another.answer.status).toBe(200);
    await open.pop()?.close();
    const again = await watch(browser);
    expect(again.answer.status).toBe(200);
    for (const stream of [...open, another, again]) await stream.close();
  });

  test("ends by itself after a while, so that the browser asks for it again", async () => {
    Object.assign(TIMING, { lifeMs: 0 });
    const stream = await watch(await signedIn(org.id, "viewer"));
    Object.assign(TIMING, { lifeMs: REAL.lifeMs });
    expect(await stream.next()).toBeNull();
  });
});

test("watching does not keep a session alive", async () => {
  const own = await newSpender();
  const browser = await signedIn(own.id, "viewer");
  const { body } = await own.send("GET", "sessions");
  const [before] = body.data;
  await own.advance(600);
  const stream = await watch(browser);
  await stream.close();
  const headers = { cookie: browser.cookie, "cf-connecting-ip": "203.0.113.7", "x-sluice-live": "1" };
  expect((await serve("http://sluice.test/console/refusals", { headers })).status).toBe(200);
  const seen = async () => (await own.send("GET", "sessions")).body.data[0].last_seen_at as string;
  expect(await seen()).toBe(before.last_seen_at);
  await browser.get("/console/refusals");
  expect(await seen()).not.toBe(before.last_seen_at);
});
