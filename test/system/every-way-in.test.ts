import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROVIDERS } from "../../src/providers/table.ts";
import { type Governed, governed, type Recorded } from "../support/governed.ts";
import {
  type AnswerKind,
  bytesOf,
  FIXTURES,
  fixtureOf,
  type FixtureProvider,
  type ProviderFixture,
  startFixtureProvider,
} from "../support/provider-fixtures.ts";
import { proxyWorkers } from "../support/runtimes.ts";
import { byAiSdk, byFetch, byHono, inNode, inWorkerd, type WayIn } from "../support/ways-in.ts";

/** Every API of the table, by every way in: each call is decided, passes, and is charged by exactly its usage. */

const workerBefore = proxyWorkers();
let provider: FixtureProvider;
let worker = "";
let full: Governed;

beforeAll(async () => {
  provider = await startFixtureProvider();
  worker = await workerBefore(provider.url);
  full = await governed("0");
});
afterAll(() => provider.close());

const WAYS: readonly WayIn[] = [inWorkerd(() => worker), inNode, byFetch, byAiSdk, byHono];

const isFree = ({ model }: ProviderFixture): boolean => model === null;

function kindsOf(fixture: ProviderFixture, way: WayIn): AnswerKind[] {
  const kinds: AnswerKind[] = fixture.stream === null ? ["whole", "error"] : ["whole", "stream", "error"];
  return kinds.filter((kind) => way.lacks(fixture, kind) === undefined);
}

/** The bounds on the output that a request carried. */
function boundsIn(body: string): unknown[] {
  if (!body.startsWith("{")) return [];
  const members = Object.entries(JSON.parse(body) as Record<string, unknown>);
  return members.filter(([name]) => /^max_.*tokens/.test(name)).map(([, value]) => value);
}

test("there is a fixture of every call of OpenAI and Anthropic that the table knows, and of no other", () => {
  const known = [PROVIDERS.openai, PROVIDERS.anthropic].flatMap((one) => [
    ...Object.keys(one.serves).map((path) => `${one.name} POST ${path}`),
    ...one.free.map((call) => `${one.name} ${call}`),
  ]);
  const shown = FIXTURES.map(({ provider: name, call }) => {
    const [method = "", path = ""] = call.split(" ");
    const route = PROVIDERS[name].route(method, path);
    expect(route.kind).toBe(isFree(fixtureOf(call)) ? "free" : "metered");
    return `${name} ${call.replace(/(?<=engines\/|models\/)[^/]+/, "{model}")}`;
  });
  expect(shown.toSorted()).toEqual(known.toSorted());
});

describe.each(WAYS)("$name", (way) => {
  const served = FIXTURES.filter((fixture) => kindsOf(fixture, way).length > 0);
  const send = (caller: Governed, fixture: ProviderFixture, kind: AnswerKind) =>
    way.send({ org: caller, fixture, kind, url: provider.url });
  let org: Governed;
  beforeAll(async () => void (org = await governed()));

  test.each(served.filter((fixture) => !isFree(fixture)))(
    "$provider $call is bounded, passes, and is charged by its usage",
    async (fixture) => {
      let recorded = (await org.runs(0)).length;
      for (const kind of kindsOf(fixture, way)) {
        const before = provider.got.length;
        const { status, bound, bytes, reserved } = await send(org, fixture, kind);
        expect([kind, status]).toEqual([kind, kind === "error" ? fixture.error.status : 200]);
        if (kind !== "stream" && bytes !== undefined) expect(bytes).toEqual(bytesOf(fixture, kind));
        const got = provider.got.slice(before);
        expect(got.map(({ call }) => call)).toEqual([fixture.call]);
        const boundTokens = way.boundTokens?.[fixture.call] ?? fixture.boundTokens;
        expect(boundsIn(got[0]?.body ?? "")).toEqual(boundTokens === null ? [] : [boundTokens]);
        const isTold = way.tellsBound && kind !== "error" && boundTokens !== null;
        expect(bound).toBe(isTold ? String(boundTokens) : null);
        if (reserved !== undefined)
          expect(reserved).toMatchObject(fixture[kind === "stream" ? "stream" : "whole"]?.reserved ?? {});
        recorded += 1;
        const run = (await org.runs(recorded)).at(-1);
        if (kind === "error") expect(run).toMatchObject({ outcome: "failed", cost_usd: "0.00" });
        else expectCharged(run, fixture, { kind, way });
      }
      await expect.poll(org.reserved).toBe("0.00");
    },
  );

  test.each(served.filter((fixture) => !isFree(fixture)))(
    "$provider $call is refused where the limit is full, and does not reach the provider",
    async (fixture) => {
      const before = provider.got.length;
      for (const kind of kindsOf(fixture, way).filter((one) => one !== "error"))
        expect((await send(full, fixture, kind)).status).toBe(402);
      expect(provider.got).toHaveLength(before);
    },
  );

  test.each(served.filter(isFree))(
    "$provider $call is free: it passes where the limit is full, and leaves no run",
    async (fixture) => {
      const before = (await org.runs(0)).length;
      for (const kind of kindsOf(fixture, way)) {
        const expected = kind === "error" ? fixture.error.status : 200;
        for (const caller of [org, full]) expect((await send(caller, fixture, kind)).status).toBe(expected);
      }
      await send(org, fixtureOf("POST /v1/embeddings"), "whole");
      const recorded = await org.runs(before + 1);
      expect(recorded.slice(before)).toMatchObject([{ model: "text-embedding-3-small" }]);
    },
  );
});

function expectCharged(
  run: Recorded | undefined,
  fixture: ProviderFixture,
  { kind, way }: { readonly kind: "whole" | "stream"; readonly way: WayIn },
): void {
  const { model, provider: name } = fixture;
  const { charged } = fixture[kind] ?? {};
  expect(run).toMatchObject({ model, provider: name, outcome: "completed" });
  if (way.unread?.includes(fixture.call) === true)
    expect(run).toMatchObject({ estimated: true, cost_usd: charged?.cost_usd });
  else {
    expect(run).toMatchObject({ estimated: charged?.estimated, cost_usd: charged?.cost_usd });
    expect(run?.["usage"]).toEqual(charged?.usage);
  }
}
