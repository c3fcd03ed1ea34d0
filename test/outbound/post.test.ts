import { describe, expect, test } from "vitest";
import { addressProblem, post, type PostOptions } from "../../src/outbound/post.ts";

const letter = { url: "https://hooks.example.com/x", headers: { "x-a": "1" }, body: "{}" };
const answering = (answer: () => Response | Promise<Response>) => {
  const calls: Request[] = [];
  const fetcher = (input: RequestInfo | URL, init?: RequestInit) => {
    calls.push(new Request(input, init));
    return Promise.resolve(answer());
  };
  return { calls, fetch: fetcher };
};
const options = (fetcher: typeof fetch, more: Partial<PostOptions> = {}): PostOptions => ({
  allowPrivate: false,
  ownHosts: [],
  resolve: () => Promise.resolve(["93.184.216.34"]),
  fetch: fetcher,
  ...more,
});
/** An endless body that counts how much of it was read. */
function endless(): { body: ReadableStream; taken: () => number; isCancelled: () => boolean } {
  let [taken, cancelled] = [0, false];
  const body = new ReadableStream({
    cancel: () => void (cancelled = true),
    pull(controller) {
      taken += 1024;
      controller.enqueue(new TextEncoder().encode("x".repeat(1024)));
    },
  });
  return { body, taken: () => taken, isCancelled: () => cancelled };
}

describe("a letter", () => {
  test("is posted once, unchanged, and its response is read", async () => {
    const receiver = answering(() => new Response("thanks", { status: 202 }));
    const posted = await post(letter, options(receiver.fetch));
    expect(posted).toMatchObject({ statusCode: 202, error: null, excerpt: "thanks", retryAfterMs: null });
    expect(receiver.calls).toHaveLength(1);
    expect(await receiver.calls[0]?.text()).toBe("{}");
    expect(receiver.calls[0]?.headers.get("x-a")).toBe("1");
  });

  test("does not follow a redirect", async () => {
    const receiver = answering(
      () => new Response(null, { status: 302, headers: { location: "http://10.0.0.1/" } }),
    );
    expect(await post(letter, options(receiver.fetch))).toMatchObject({ statusCode: 302, error: null });
    expect(receiver.calls.map((call) => [call.url, call.redirect])).toEqual([[letter.url, "manual"]]);
  });

  test("returns the receiver's Retry-After", async () => {
    const receiver = answering(() => new Response("", { status: 503, headers: { "retry-after": "7" } }));
    expect(await post(letter, options(receiver.fetch))).toMatchObject({
      statusCode: 503,
      retryAfterMs: 7000,
    });
  });

  test("reads at most 4 KiB of an endless response, and holds no connection open for the rest", async () => {
    const { body, taken, isCancelled } = endless();
    const posted = await post(letter, options(answering(() => new Response(body)).fetch));
    expect(posted.statusCode).toBe(200);
    expect(posted.excerpt).toHaveLength(4096);
    expect(taken()).toBeLessThanOrEqual(8192);
    expect(isCancelled()).toBe(true);
  });

  test("keeps the status of a response whose body stalls or breaks off", async () => {
    const stalls = new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode("so far")) });
    const stalled = await post(
      letter,
      options(answering(() => new Response(stalls)).fetch, { timeoutMs: 20 }),
    );
    expect(stalled).toMatchObject({ statusCode: 200, excerpt: "so far" });
    const breaks = new ReadableStream({ start: (c) => c.error(new Error("reset")) });
    expect(await post(letter, options(answering(() => new Response(breaks)).fetch))).toMatchObject({
      statusCode: 200,
    });
  });

  test("without a response in time, or without a connection, says which", async () => {
    const silent = ((_: unknown, init?: RequestInit) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      })) as typeof fetch;
    expect(await post(letter, options(silent, { timeoutMs: 20 }))).toMatchObject({
      statusCode: null,
      error: "timeout",
    });
    const broken = (() => Promise.reject(new Error("reset"))) as typeof fetch;
    expect(await post(letter, options(broken))).toMatchObject({
      statusCode: null,
      error: "connection_failed",
    });
  });
});

describe("an address", () => {
  test.each([
    ["a name that has come to point inside", () => Promise.resolve(["10.0.0.7"]), "address_refused"],
    [
      "one private address among public ones",
      () => Promise.resolve(["93.184.216.34", "::1"]),
      "address_refused",
    ],
    ["the metadata service", () => Promise.resolve(["169.254.169.254"]), "address_refused"],
    ["a name without addresses", () => Promise.resolve([]), "unresolved"],
    ["a resolver that fails", () => Promise.reject(new Error("down")), "unresolved"],
    ["a resolver that hangs", () => new Promise<string[]>(() => undefined), "timeout"],
  ])("is never called for %s", async (_case, resolve, error) => {
    const receiver = answering(() => new Response("ok"));
    const posted = await post(letter, options(receiver.fetch, { resolve, timeoutMs: 50 }));
    expect(posted).toMatchObject({ statusCode: null, error });
    expect(receiver.calls).toHaveLength(0);
  });

  test("that was stored before a rule forbade it is not called", async () => {
    const receiver = answering(() => new Response("ok"));
    const hostile = { ...letter, url: "https://169.254.169.254/latest/meta-data" };
    expect(await post(hostile, options(receiver.fetch))).toMatchObject({ error: "address_refused" });
    expect(receiver.calls).toHaveLength(0);
  });

  test("is not resolved if private addresses are allowed, or if it is an IP address", async () => {
    const rules = { ownHosts: [], resolve: () => Promise.reject(new Error("asked")) };
    expect(await addressProblem("http://localhost:9400/", { ...rules, allowPrivate: true })).toBeNull();
    expect(await addressProblem("https://93.184.216.34/", { ...rules, allowPrivate: false })).toBeNull();
  });

  test("under .invalid is unresolved without being looked up or called, whatever is allowed", async () => {
    const receiver = answering(() => new Response("ok"));
    const resolve = () => Promise.reject(new Error("asked"));
    for (const allowPrivate of [true, false]) {
      const rules = options(receiver.fetch, { allowPrivate, resolve });
      expect(await post({ ...letter, url: "https://erp.INVALID./hook" }, rules)).toMatchObject({
        error: "unresolved",
      });
    }
    expect(receiver.calls).toHaveLength(0);
  });
});
