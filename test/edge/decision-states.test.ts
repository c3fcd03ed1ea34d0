import { afterEach, describe, expect, test, vi } from "vitest";
import { signPass } from "../../src/domain/region/pass.ts";
import { deprecationCopy } from "../../src/edge/request/deprecation.ts";
import type { Env } from "../../src/edge/env.ts";
import type { DecisionCall } from "../../src/org/decision-handler.ts";
import { expectAnswers } from "../support/expect-answers.ts";
import { slowBody } from "../support/slow-body.ts";
import { send, sendToRouter } from "../support/observed-decision.ts";
import { call, env, newOrg, operatorKey, serve, type TestOrg } from "../support/worker.ts";
import { useRealLives } from "../support/lives.ts";
import { knows, SMALL_DECISION as body, untilStatus } from "./known-caller.ts";

useRealLives();

/** What a decision is answered, for any org and state of the service. */

const DECISION = "/v1/edge/decision";
const ROUTE = `POST ${DECISION}`;
const SNAPSHOT_MS = 2000;

function limit(org: TestOrg, ...policies: object[]) {
  const request = { unit: "requests", match: { route: ROUTE }, window_seconds: 86_400 };
  const named = policies.map((policy, index) => ({ name: `p${index}`, ...request, ...policy }));
  return call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, {
    key: operatorKey(),
    body: { read_rpm: null, policies: named },
  });
}

afterEach(() => void vi.restoreAllMocks());

describe("an org", () => {
  test.each([
    ["rate", 429],
    ["quota", 429],
  ])("whose %s limit is full", async (kind, status) => {
    const org = await newOrg();
    const key = org.ownerKey;
    await limit(org, { kind, limit: 2 });
    await untilStatus(key, status);
    await expectAnswers({
      full: [{ key, body }, status],
      "full, and the body is bad": [{ key, body: "{" }, status],
      "full, and the body is too large": [{ key, body: " ".repeat(20_000) }, status],
      "full, in a dry run": [{ key, body: body.replace("{", '{"dry_run":true,') }, status],
    });
  });

  test("whose limits have room", async () => {
    const org = await newOrg();
    const customer = { match: { route: ROUTE, customer_id: "*" }, kind: "rate", limit: 1000, unit: "tokens" };
    await limit(org, { kind: "rate", limit: 100_000 }, customer);
    await expectAnswers({ room: [{ key: org.ownerKey, body }, 200] });
  });

  test("whose rate limit is full for a moment", async () => {
    const org = await newOrg();
    const key = org.ownerKey;
    await limit(org, { kind: "rate", limit: 1, window_seconds: 1 });
    await knows(key);
    const statuses = async () => {
      const found = new Set<number>();
      for (let sent = 0; sent < 60 && !(found.has(200) && found.has(429)); sent += 1) {
        found.add((await send({ key, body })).seen.status);
        await scheduler.wait(40);
      }
      return found;
    };
    expect(await statuses()).toEqual(new Set([200, 429]));
  });

  test("with a budget, decided in the isolate and by the object, to the last cent and beyond", async () => {
    const org = await newOrg();
    const key = org.ownerKey;
    const budget = { scope_kind: "org", limit_usd: "100", period: "month", mode: "enforce" };
    await call("POST", `/v1/orgs/${org.id}/budgets`, { key, body: budget });
    const ask = (fields: object) => JSON.stringify({ estimate: { cost_usd: "0.01" }, ...fields });
    const warm = async () => (await send({ key, body })).seen.headers["x-svc-decided"];
    await expect.poll(warm, { interval: 20 }).toBe("edge");
    const past = { estimate: { cost_usd: "500" } };
    await expectAnswers({
      here: [{ key, body }, 200],
      there: [{ key, body: ask({ hold_seconds: 3600 }) }, 200],
      "past it": [{ key, body: ask(past) }, 402],
      "past it, by the object": [{ key, body: ask({ ...past, hold_seconds: 3600 }) }, 402],
      "past it, in a dry run": [{ key, body: ask({ ...past, dry_run: true }) }, 200],
      "tokens without a model": [{ key, body: JSON.stringify({ estimate: { input_tokens: 1 } }) }, 422],
    });
  });

  test("asked again with a request id: one hold, and one refusal of another fingerprint", async () => {
    const { ownerKey: key } = await newOrg();
    const ask = (more: object) => JSON.stringify({ request_id: "q", estimate: { cost_usd: "1" }, ...more });
    const sent = {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    };
    const first = await serve(`http://sluice.test${DECISION}`, { ...sent, body: ask({}) });
    const again = await call("POST", DECISION, { key, body: ask({}) });
    expect(again.text).toBe(await first.text());
    await expectAnswers({
      again: [{ key, body: ask({}) }, 200],
      other: [{ key, body: ask({ action: "other" }) }, 409],
    });
  });
});

describe("when", () => {
  test("the org's object fails, and rate limits are known", async () => {
    const org = await newOrg();
    const key = org.ownerKey;
    await limit(org, { kind: "rate", limit: 100_000 });
    await untilStatus(key, 200);
    const failing = {
      getByName: (id: string) =>
        new Proxy(env.ORG.getByName(id), {
          get: (stub, name) =>
            name === "decideTogether"
              ? () => Promise.reject(new Error("away"))
              : (Reflect.get(stub, name) as unknown),
        }),
    };
    const broken = { ...env, ORG: failing } as unknown as Env;
    const dry = body.replace("{", '{"dry_run":true,');
    await expectAnswers({
      fails: [{ key, body: body.replace("{", '{"hold_seconds":3600,'), env: broken }, 503],
      "fails in a dry run": [{ key, body: dry, env: broken }, 503],
    });
  });

  test("the router serves it: the object gets the same call, for the same caller", async () => {
    const { ownerKey: key } = await newOrg();
    await knows(key);
    const asked: unknown[] = [];
    const listening = {
      getByName: (id: string) => {
        const object = env.ORG.getByName(id);
        const decideTogether: typeof object.decideTogether = (text) => {
          for (const { ask, keyId, envelope } of JSON.parse(text) as DecisionCall[]) {
            asked.push({ ask, keyId, envelope: { ...envelope, trace: typeof envelope.trace } });
          }
          return object.decideTogether(text);
        };
        return new Proxy(object, {
          get: (stub, name) =>
            name === "decideTogether" ? decideTogether : (Reflect.get(stub, name) as unknown),
        });
      },
    };
    const heard = { ...env, ORG: listening } as unknown as Env;
    const sent = {
      key,
      body: body.replace("{", '{"hold_seconds":3600,"action":"a",'),
      from: "192.0.2.5",
      env: heard,
    };
    const [own, routed] = [await send(sent), await sendToRouter(sent)];
    expect(routed.seen.headers).toEqual(own.seen.headers);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toEqual(asked[1]);
  });

  test("another region forwarded the call", async () => {
    const org = await newOrg();
    const key = org.ownerKey;
    const secret = "s".repeat(40);
    const peered = { ...env, SVC_REGIONS: '{"eu":"http://127.0.0.1:9"}', SVC_REGION_SECRET: secret } as Env;
    const pass = () => {
      const claim = {
        at: Date.now(),
        from: "eu",
        trace: crypto.randomUUID(),
        address: "192.0.2.77",
        nonce: crypto.randomUUID(),
        keeper: org.id,
        epoch: "of an earlier life",
      };
      const target = { to: "local", method: "POST", target: DECISION, authorization: `Bearer ${key}` };
      return signPass(secret, claim, target);
    };
    await send({ key, body, env: peered });
    await expectAnswers({
      "in a pass of an earlier life": [
        { key, body, env: peered, headers: { "x-svc-region-pass": pass } },
        503,
      ],
      "without a pass": [{ key, body, env: peered }, 200],
    });
  });

  /** Nothing that is counted here is stored. */
  const forgetful = {
    ...env,
    COUNTERS: { getByName: () => ({ add: () => Promise.resolve() }) },
  } as unknown as Env;
  const flagged = {
    method: "POST",
    route: DECISION,
    since: "2026-07-22",
    sunset: "Wed, 31 Dec 2036 23:59:59 GMT",
  } as const;

  test("decisions are deprecated", async () => {
    const { ownerKey: key } = await newOrg();
    await knows(key);
    vi.spyOn(deprecationCopy, "find").mockReturnValue(flagged);
    await expectAnswers({ deprecated: [{ key, body, env: forgetful }, 200] });
    const { seen } = await send({ key, body, env: forgetful });
    expect(seen.headers["sunset"]).toBe(flagged.sunset);
  });

  test("the copy of the deprecations is too old, and the registry has changes", async () => {
    const { ownerKey: key } = await newOrg();
    await knows(key);
    let isRenewed = false;
    vi.spyOn(deprecationCopy, "renewal").mockReturnValue("blocking");
    vi.spyOn(deprecationCopy, "find").mockImplementation(() => (isRenewed ? flagged : undefined));
    vi.spyOn(deprecationCopy, "renew").mockImplementation(() => {
      isRenewed = true;
      return Promise.resolve();
    });
    for (const way of [send, sendToRouter]) {
      isRenewed = false;
      expect((await way({ key, body, env: forgetful })).seen.headers["sunset"]).toBe(flagged.sunset);
    }
  });

  test("the copy of the deprecations is due: each call renews it", async () => {
    const { ownerKey: key } = await newOrg();
    await knows(key);
    vi.spyOn(deprecationCopy, "renewal").mockReturnValue("behind");
    const renewing = vi.spyOn(deprecationCopy, "renew").mockResolvedValue();
    for (const way of [send, sendToRouter]) {
      renewing.mockClear();
      await way({ key, body });
      expect(renewing).toHaveBeenCalledOnce();
    }
    await expectAnswers({ due: [{ key, body }, 200] });
  });

  const LENGTH = { "content-length": String(body.length) };

  test("decisions are deprecated while the body arrives", async () => {
    const { ownerKey: key } = await newOrg();
    for (const way of [send, sendToRouter]) {
      await knows(key);
      const slow = slowBody(body);
      const answer = way({ key, body: () => slow.stream, headers: LENGTH, env: forgetful });
      await slow.begun;
      vi.spyOn(deprecationCopy, "isFresh").mockReturnValue(false);
      vi.spyOn(deprecationCopy, "renew").mockResolvedValue();
      vi.spyOn(deprecationCopy, "find").mockReturnValue(flagged);
      slow.finish();
      expect((await answer).seen.headers["sunset"]).toBe(flagged.sunset);
      vi.restoreAllMocks();
    }
  });

  test("the key is revoked while the body arrives, and others keep the org's slices alive", async () => {
    const org = await newOrg();
    const budget = { scope_kind: "org", limit_usd: "1000", period: "month", mode: "enforce" };
    await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body: budget });
    const traffic = { on: true };
    const driving = (async () => {
      while (traffic.on) {
        await call("POST", DECISION, { key: org.ownerKey, body });
        await scheduler.wait(20);
      }
    })();
    for (const way of [send, sendToRouter]) {
      const made = await call("POST", `/v1/orgs/${org.id}/keys`, {
        key: org.ownerKey,
        body: { name: "k", role: "developer" },
      });
      const { id, key } = made.body as { id: string; key: string };
      const warm = async () => (await call("POST", DECISION, { key, body })).headers.get("x-svc-decided");
      await expect.poll(warm, { interval: 20 }).toBe("edge");
      const slow = slowBody(body);
      const answer = way({ key, body: () => slow.stream, headers: LENGTH });
      await slow.begun;
      await call("DELETE", `/v1/orgs/${org.id}/keys/${id}`, { key: org.ownerKey });
      await scheduler.wait(SNAPSHOT_MS);
      slow.finish();
      expect((await answer).seen.status).toBe(410);
    }
    traffic.on = false;
    await driving;
  });
});

test("the log line of a decision comes slightly later, together with others", async () => {
  const { ownerKey: key } = await newOrg();
  await call("POST", DECISION, { key, body });
  const written: string[] = [];
  vi.spyOn(console, "log").mockImplementation((text: string) => void written.push(text));
  const areTogether = async () => {
    const answers = [
      await call("POST", DECISION, { key, body }),
      await call("POST", DECISION, { key, body }),
    ];
    const traces = answers.map(({ headers }) => headers.get("x-svc-trace-id") ?? "none");
    const isLogged = () => traces.every((trace) => written.some((text) => text.includes(trace)));
    await expect.poll(isLogged).toBe(true);
    return written.some((text) => traces.every((trace) => text.includes(trace)));
  };
  // Lines are gathered for a moment. On a busy machine it may be over before the second decision.
  await expect.poll(areTogether).toBe(true);
});
