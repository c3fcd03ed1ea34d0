import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { Refused, Sluice, SluiceError, type SluiceOptions, Unreachable } from "../../src/client/index.ts";

const ORG = "01J00000000000000000000000";
const KEY = `svc_live_${ORG}01J0000000000000000000000A_${"s".repeat(49)}`;
const ALLOW = { decision: "allow" };
const ASK = { estimate: { cost_usd: "0.01" } };
const BUDGET = { scope_kind: "org", limit_usd: "1", period: "day" } as const;

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

type Reply = () => Response | Promise<Response>;

/** A client whose network answers with these, one after another, the last of them forever. */
function clientWith(replies: readonly Reply[], options: SluiceOptions = {}) {
  const sent: Sent[] = [];
  const sluice = new Sluice({
    key: KEY,
    url: "https://sluice.test/",
    fetch: async (url, init) => {
      sent.push({ url, init });
      return (replies[sent.length - 1] ?? replies.at(-1) ?? cutOff)();
    },
    ...options,
  });
  return { sluice, sent };
}

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response(JSON.stringify(body), { status, headers });
const refusal = (code: string, status: number, headers: Record<string, string> = {}, details = {}): Reply =>
  json({ error: { code, message: "No.", details } }, status, { "x-svc-trace-id": "t-1", ...headers });
const cutOff: Reply = () => Promise.reject(new TypeError("fetch failed"));
const headerOf = (one: Sent | undefined, name: string) => new Headers(one?.init.headers).get(name);

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error,
  );
}

/** Runs with timers that pass at once. */
async function quickly<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers();
  try {
    const done = work();
    done.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(120_000);
    return await done;
  } finally {
    vi.useRealTimers();
  }
}

describe("a call", () => {
  test("goes to its route with the key, and to the key's own org", async () => {
    const { sluice, sent } = clientWith([json({ id: "bud_1" })]);
    await sluice.budgets.get("bud_1");
    expect(sent[0]?.url).toBe(`https://sluice.test/v1/orgs/org_${ORG}/budgets/bud_1`);
    expect(headerOf(sent[0], "authorization")).toBe(`Bearer ${KEY}`);
  });

  test("escapes what the caller chose", async () => {
    const { sluice, sent } = clientWith([json({})]);
    await sluice.models.get("acme/m1?x=..");
    expect(sent[0]?.url).toBe(`https://sluice.test/v1/orgs/org_${ORG}/models/acme%2Fm1%3Fx%3D..`);
  });

  test("goes to another org where it says so, or the client does", async () => {
    const { sluice, sent } = clientWith([json({})]);
    await sluice.spendCap.get({ org: "org_2" });
    await sluice.with({ org: "org_3" }).spendCap.get();
    expect(sent.map(({ url }) => url)).toEqual([
      "https://sluice.test/v1/orgs/org_2/spend-cap",
      "https://sluice.test/v1/orgs/org_3/spend-cap",
    ]);
  });

  test.each([
    ["no org", () => new Sluice({ key: "operator", url: "https://x.test" }).spendCap.get(), /org must be/],
    ["an empty id", () => new Sluice({ key: KEY }).budgets.get(""), /budget_id must be/],
    ["no address", () => new Sluice({ key: KEY, url: "sluice.example.com" }), /url must be/],
  ])("with %s is refused before it is sent", (_, work, said) => {
    expect(work).toThrow(SluiceError);
    expect(work).toThrow(said);
  });

  test("gives the response beside the body where it is asked for", async () => {
    const { sluice } = clientWith([json({ id: "bud_1" }, 200, { etag: '"1"' })]);
    const { data, response } = await sluice.budgets.get("bud_1").withResponse();
    expect(data).toEqual({ id: "bud_1" });
    expect(response.headers.get("etag")).toBe('"1"');
  });

  test("whose failure is taken with the response leaves no other failure behind", async () => {
    const unhandled = vi.fn<() => void>();
    process.on("unhandledRejection", unhandled);
    const { sluice } = clientWith([refusal("not_found", 404)]);
    await expect(sluice.budgets.get("bud_1").withResponse()).rejects.toThrow(/not_found/);
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("a refusal", () => {
  test("has its code, its details, when to come again, and reads well", async () => {
    const details = { retry_after_seconds: 90 };
    const { sluice } = clientWith([refusal("rate_limited", 429, { "retry-after": "90" }, details)]);
    const error = await failureOf(sluice.decisions.decide(ASK));
    if (!(error instanceof Refused) || error.code !== "rate_limited") throw new Error(String(error));
    expectTypeOf(error.details.retry_after_seconds).toEqualTypeOf<number>();
    expectTypeOf(error.status).toEqualTypeOf<429>();
    expect(error).toMatchObject({
      status: 429,
      details,
      retryAfterMs: 90_000,
      traceId: "t-1",
      reason: "No.",
    });
    expect(String(error)).toBe("Refused: rate_limited (429): No. [trace t-1]");
    expect(error).toBeInstanceOf(SluiceError);
  });

  test("of fields names them", async () => {
    const fields = [{ field: "estimate.cost_usd", code: "invalid_format", message: "must be digits" }];
    const { sluice } = clientWith([refusal("validation_failed", 422, {}, { fields })]);
    expect(String(await failureOf(sluice.decisions.decide(ASK)))).toContain(
      "estimate.cost_usd: must be digits.",
    );
  });

  test("that is not the service's says what answered", async () => {
    const page: Reply = () => new Response("<h1>Not here</h1>", { status: 404 });
    const error = await failureOf(clientWith([page]).sluice.decisions.decide(ASK));
    expect(error).toBeInstanceOf(Unreachable);
    expect(error).toMatchObject({ status: 404 });
  });

  test.each([302, 307])("a redirect (%i) is not followed with the key", async (status) => {
    const { sluice, sent } = clientWith([
      () => new Response(null, { status, headers: { location: "https://x.test" } }),
    ]);
    expect(await failureOf(sluice.spendCap.get())).toMatchObject({ status });
    expect(sent[0]?.init.redirect).toBe("manual");
    expect(sent).toHaveLength(1);
  });
});

describe("a retry", () => {
  test.each([
    ["a read", (sluice: Sluice) => sluice.spendCap.get()],
    ["a PUT", (sluice: Sluice) => sluice.spendCap.set({ cap_usd: "1" })],
    ["a POST with an idempotency key", (sluice: Sluice) => sluice.budgets.create(BUDGET)],
    ["a decision", (sluice: Sluice) => sluice.decisions.decide(ASK)],
    ["a renewal", (sluice: Sluice) => sluice.decisions.renew("rsv_1", { amount_usd: "1" })],
    ["an explanation", (sluice: Sluice) => sluice.explain.explain({ run_id: "r" })],
  ])("follows a lost connection and a 503 for %s, and it is the same request", async (_, work) => {
    const { sluice, sent } = clientWith([cutOff, refusal("service_unavailable", 503), json(ALLOW)]);
    await quickly(async () => work(sluice));
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ init }) => JSON.stringify(init.headers))).size).toBe(1);
    expect(new Set(sent.map(({ init }) => init.body)).size).toBe(1);
  });

  test.each([
    ["a lost connection", cutOff],
    ["a 503", refusal("service_unavailable", 503)],
    ["a proxy's 502", () => new Response("bad gateway", { status: 502 })],
  ])("never follows %s where doing it twice would do more", async (_, reply) => {
    const { sluice, sent } = clientWith([reply]);
    await quickly(() => failureOf(sluice.adminOrgs.advanceTestClock("org_1", { advance_seconds: 1 })));
    expect(sent).toHaveLength(1);
  });

  test("waits for as long as a rate limit says, whatever the call", async () => {
    const { sluice, sent } = clientWith([
      refusal("rate_limited", 429, { "retry-after": "7" }),
      json({ now: "" }),
    ]);
    vi.useFakeTimers();
    try {
      const done = sluice.adminOrgs.advanceTestClock("org_1", { advance_seconds: 1 });
      await vi.advanceTimersByTimeAsync(6_999);
      expect(sent).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(2);
      await done;
      expect(sent).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test("never follows a wait that is too long", async () => {
    const { sluice, sent } = clientWith([refusal("rate_limited", 429, { "retry-after": "21" })]);
    expect(await failureOf(sluice.spendCap.get())).toMatchObject({ retryAfterMs: 21_000 });
    expect(sent).toHaveLength(1);
  });

  test.each([
    ["budget_exceeded", 402],
    ["chain_budget_exceeded", 429],
    ["no_model_passes_eval", 503],
    ["internal", 500],
    ["conflict", 409],
  ])("never follows %s (%i)", async (code, status) => {
    const { sluice, sent } = clientWith([refusal(code, status)]);
    expect(await quickly(() => failureOf(sluice.spendCap.get()))).toMatchObject({ code });
    expect(sent).toHaveLength(1);
  });

  test("ends after as many as were asked for", async () => {
    const { sluice, sent } = clientWith([cutOff]);
    expect(await quickly(() => failureOf(sluice.spendCap.get({ maxRetries: 4 })))).toBeInstanceOf(
      Unreachable,
    );
    expect(sent).toHaveLength(5);
    await quickly(() => failureOf(sluice.spendCap.get({ maxRetries: 0 })));
    expect(sent).toHaveLength(6);
  });

  test("of a DELETE that finds nothing left has done its work; a first one has not", async () => {
    const { sluice } = clientWith([cutOff, refusal("not_found", 404)]);
    expect(await quickly(async () => sluice.decisions.release("rsv_1"))).toBeUndefined();
    const first = clientWith([refusal("not_found", 404)]);
    expect(await failureOf(first.sluice.decisions.release("rsv_1"))).toMatchObject({ code: "not_found" });
  });
});

describe("names", () => {
  test("each call has an idempotency key of its own, or the caller's", async () => {
    const { sluice, sent } = clientWith([json({})]);
    await sluice.budgets.create(BUDGET);
    await sluice.budgets.create(BUDGET);
    await sluice.budgets.create(BUDGET, { idempotencyKey: "mine" });
    const keys = sent.map((one) => headerOf(one, "idempotency-key"));
    expect(keys[2]).toBe("mine");
    expect(new Set(keys).size).toBe(3);
  });

  test("each decision has a request id of its own, or the caller's", async () => {
    const { sluice, sent } = clientWith([json(ALLOW)]);
    await sluice.decisions.decide({ ...ASK, request_id: undefined });
    await sluice.decisions.decide({ ...ASK, request_id: "mine" });
    const ids = sent.map(({ init }) => JSON.parse(init.body as string).request_id);
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), "mine"]);
  });
});

describe("an end", () => {
  test("by the caller's signal comes at once, also between two attempts", async () => {
    const reason = new Error("enough");
    const { sluice, sent } = clientWith([refusal("rate_limited", 429, { "retry-after": "10" })]);
    const stop = new AbortController();
    const done = failureOf(sluice.spendCap.get({ signal: stop.signal }));
    await expect.poll(() => sent).toHaveLength(1);
    stop.abort(reason);
    expect(await done).toBe(reason);
    expect(await failureOf(sluice.spendCap.get({ signal: stop.signal }))).toBe(reason);
    expect(sent).toHaveLength(1);
  });

  test("by the time that an attempt may take counts as no answer", async () => {
    const hangs = (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    const { sluice } = clientWith([], { fetch: hangs, timeoutMs: 50 });
    const error = await quickly(() => failureOf(sluice.spendCap.get({ maxRetries: 1 })));
    expect(error).toBeInstanceOf(Unreachable);
    expect(String(error)).toContain("no answer within 50 ms");
  });
});

describe("a list", () => {
  const replies = [json({ data: [1, 2], next_cursor: "c" }), json({ data: [3], next_cursor: null })];

  test("awaited is its first page", async () => {
    const { sluice, sent } = clientWith(replies);
    expect(await sluice.budgets.list({ limit: 2 })).toEqual({ data: [1, 2], next_cursor: "c" });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.url).toContain("/budgets?limit=2");
  });

  test("iterated over is every entry, with its filters on every page", async () => {
    const { sluice, sent } = clientWith(replies);
    const entries: unknown[] = [];
    for await (const budget of sluice.budgets.list({ period: "day", mode: undefined })) entries.push(budget);
    expect(entries).toEqual([1, 2, 3]);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(["?period=day", "?period=day&cursor=c"]);
  });

  test("asks for no page that nobody wants", async () => {
    const { sluice, sent } = clientWith(replies);
    for await (const budget of sluice.budgets.list()) if (budget !== undefined) break;
    expect(sent).toHaveLength(1);
  });
});
