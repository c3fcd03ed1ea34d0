import { describe, expect, test } from "vitest";
import { refuse } from "../../src/contract/refusal.ts";
import type { JsonObject } from "../../src/providers/json.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { PROVIDERS } from "../../src/providers/table.ts";
import { answerReader } from "../../src/providers/usage/reading.ts";
import { createProxy } from "../../src/proxy/index.ts";
import {
  ALL_FIXTURES,
  bytesOf,
  eventBytes,
  type ProviderFixture,
  requestOf,
} from "../support/provider-fixtures.ts";
import { SMALL_KEY, SmallService } from "../support/small-service.ts";

/** Every call of every provider of the table, through the same cases. Nothing here is particular to one of them. */

const KEY = "key-of-the-provider-0123456789";
const URL_OF_HOST = "https://host.test";
const RESERVED = "1.00";
/** Of "The harbour opens at six.", which every answer of the fixtures says. */
const LEAST_TOKENS = 5;
const AWS_STREAM = "application/vnd.amazon.eventstream";

interface Case {
  readonly provider: Provider;
  readonly fixture: ProviderFixture;
  /** The path of a whole answer, and of a stream. */
  readonly path: string;
  readonly streamPath: string;
}

const pathIn = (call: string) => call.slice(call.indexOf(" ") + 1);
const endOf = (path: string) => path.replace(/^.*[/:]/, "").replace(/\?.*$/, "");
const patternOf = (template: string) =>
  new RegExp(
    `^${template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replace("{model}", "[^/:]+(?::\\d)?")}(?:\\?.*)?$`,
  );

/** The fixture of a path: the provider's own, or one of the same API. */
function caseOf(provider: Provider, template: string): Case | undefined {
  const own = ALL_FIXTURES.filter((one) => one.provider === provider.name);
  const isAt = (call: string | undefined) => call !== undefined && patternOf(template).test(pathIn(call));
  const mine = own.find(({ call, stream }) => isAt(call) || isAt(stream?.call));
  if (mine !== undefined) {
    const path = pathIn(mine.call);
    return { provider, fixture: mine, path, streamPath: pathIn(mine.stream?.call ?? mine.call) };
  }
  const { name } = provider.serves[template] ?? {};
  const alike = ALL_FIXTURES.find(
    (one) =>
      endOf(pathIn(one.call)) === endOf(template) &&
      Object.entries(PROVIDERS[one.provider].serves).some(
        ([path, api]) => api.name === name && patternOf(path).test(pathIn(one.call)),
      ),
  );
  if (alike === undefined) return undefined;
  const path = template.replace("{model}", alike.model ?? "");
  return { provider, fixture: alike, path, streamPath: path };
}

const PROVIDERS_AND_CASES = Object.values(PROVIDERS).map((provider: Provider) => {
  const templates = Object.keys(provider.serves);
  const cases = templates.map((template) => [template, caseOf(provider, template)] as const);
  return { name: provider.name, provider, cases };
});

interface Answer {
  readonly body: BodyInit;
  readonly status?: number;
  readonly type?: string;
}

/** The proxy before a provider that gives one answer, and what came of a call. */
async function called(
  { provider, fixture, path, streamPath }: Case,
  answer: Answer,
  options: { isStream?: boolean; judge?: SmallService["judge"]; leavesAfter?: number } = {},
) {
  const service = new SmallService();
  service.judge = options.judge ?? service.judge;
  const background: Promise<unknown>[] = [];
  const sent: { url: string; body: unknown; signal: AbortSignal | null | undefined }[] = [];
  const proxy = createProxy({
    binding: service,
    orgs: "*",
    providers: { [provider.name]: { key: KEY, url: URL_OF_HOST } },
    retries: 0,
    // Longer than it takes to read what the provider has sent.
    leaveGraceMs: 500,
    fetch: async (url, { body, signal }) => {
      sent.push({ url, body, signal });
      const { status = 200, type = "application/json" } = answer;
      return new Response(answer.body, { status, headers: { "content-type": type } });
    },
  });
  const { stream } = fixture;
  const init = requestOf(fixture, options.isStream === true ? stream?.members : {});
  const to = `http://proxy.test/${provider.name}${options.isStream === true ? streamPath : path}`;
  const request = new Request(to, init);
  request.headers.set("authorization", `Bearer ${SMALL_KEY}`);
  const response = await proxy.fetch(request, { waitUntil: (work) => void background.push(work) });
  const bytes = await (options.leavesAfter === undefined ? read(response) : leave(response));
  for (let done = -1; done < background.length;) {
    done = background.length;
    await Promise.all(background);
  }
  return { service, response, bytes, sent, run: service.runs[0] };
}

async function read(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer().catch(() => new ArrayBuffer(0)));
}

async function leave(response: Response): Promise<Buffer> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return Buffer.from(value ?? []);
}

const typeOf = ({ stream }: ProviderFixture) =>
  stream?.framing === "aws" ? AWS_STREAM : "text/event-stream; charset=utf-8";
const whole = ({ fixture }: Case): Answer => ({
  body: new Uint8Array(bytesOf(fixture, "whole")),
  ...(fixture.whole.type === undefined ? {} : { type: fixture.whole.type }),
});
const streamed = ({ fixture }: Case): Answer => ({
  body: new Uint8Array(Buffer.concat(eventBytes(fixture))),
  type: typeOf(fixture),
});

/** The events before the one that tells the usage of the whole. */
function untold({ provider, fixture, streamPath }: Case): Buffer[] {
  const route = provider.route("POST", new URL(streamPath, URL_OF_HOST).pathname);
  const reader = answerReader(route.kind === "metered" ? route.api : null, typeOf(fixture));
  const isTold = () => reader.reading.isWhole || reader.reading.isDone;
  return eventBytes(fixture).filter((event) => {
    reader.push(event);
    return !isTold();
  });
}

/** Sends what is not told, and then breaks off, or says nothing more. */
function unended(one: Case, isBroken: boolean): Answer {
  const events = untold(one);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const event = events.shift();
      if (event !== undefined) controller.enqueue(new Uint8Array(event));
      else if (isBroken) controller.error(new Error("cut"));
    },
  });
  return { body, type: typeOf(one.fixture) };
}

const enormous = (value: unknown): unknown => {
  if (typeof value === "number") return 99_999_999_999;
  if (Array.isArray(value)) return value.map(enormous);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, enormous(member)]));
};

type Cases = readonly (readonly [string, Case | undefined])[];
async function each(cases: Cases, check: (one: Case) => Promise<void>): Promise<void> {
  await Promise.all(cases.map(([, one]) => (one === undefined ? Promise.resolve() : check(one))));
}
const streams = (cases: Cases) => cases.filter(([, one]) => one !== undefined && one.fixture.stream !== null);
const said = ({ path }: Case, value: unknown) => [path, value];

describe.concurrent.each(PROVIDERS_AND_CASES)("$name", ({ provider, cases }) => {
  test("has a fixture for each of its paths", () => {
    expect(cases.filter(([, one]) => one === undefined).map(([template]) => template)).toEqual([]);
  });

  test("a whole answer passes as it is, and is charged by its usage", () =>
    each(cases, async (one) => {
      const { run, bytes, service, response } = await called(one, whole(one));
      expect(said(one, response.status)).toEqual(said(one, 200));
      expect(bytes).toEqual(bytesOf(one.fixture, "whole"));
      const { charged } = one.fixture.whole;
      expect(said(one, run)).toMatchObject(
        said(one, { provider: provider.prices, model: one.fixture.model, outcome: "completed" }),
      );
      if (charged?.estimated === true) expect(said(one, run?.["cost_usd"])).toEqual(said(one, RESERVED));
      else expect(said(one, run?.["usage"])).toEqual(said(one, charged?.usage));
      expect([service.runs.length, service.open.size]).toEqual([1, 0]);
    }));

  test("a stream is charged by the usage at its end", () =>
    each(streams(cases), async (one) => {
      const { run, response, service } = await called(one, streamed(one), { isStream: true });
      expect(said(one, response.status)).toEqual(said(one, 200));
      const { charged } = one.fixture.stream ?? {};
      if (charged?.estimated === true) expect(said(one, run?.["estimated"])).toEqual(said(one, true));
      else expect(said(one, run?.["usage"])).toEqual(said(one, charged?.usage));
      expect([run?.["outcome"], service.runs.length, service.open.size]).toEqual(["completed", 1, 0]);
    }));

  test.each(["cut", "left"])("a stream that is %s costs what was seen of it, or what was reserved", (how) =>
    each(streams(cases), async (one) => {
      const isCut = how === "cut";
      const answer = unended(one, isCut);
      const { run, sent, service } = await called(one, answer, {
        isStream: true,
        ...(isCut ? {} : { leavesAfter: 1 }),
      });
      const { estimated, outcome, cost_usd: cost } = run ?? {};
      expect(said(one, { estimated, outcome })).toEqual(
        said(one, { estimated: true, outcome: isCut ? "failed" : "cancelled" }),
      );
      const isSeen = cost === undefined && run?.["usage"].input_tokens > 0;
      const least = isCut ? LEAST_TOKENS : 1;
      expect(said(one, cost === RESERVED || (isSeen && run?.["usage"].output_tokens >= least))).toEqual(
        said(one, true),
      );
      expect(sent[0]?.signal?.aborted).toBe(!isCut);
      expect([service.runs.length, service.open.size]).toEqual([1, 0]);
    }),
  );

  test("an answer that says nothing is charged at what was reserved", () =>
    each(cases, async (one) => {
      for (const text of ["", "no json", '{"usage":', "[]", "\u0000\u0000\u0000\u0010"]) {
        const { run } = await called(one, { body: text });
        expect(said(one, run)).toMatchObject(said(one, { cost_usd: RESERVED, estimated: true }));
      }
    }));

  test("what the provider says that it bills is charged in full, also above what was reserved", () =>
    each(cases, async (one) => {
      if (one.fixture.whole.body === undefined) return;
      const told = await called(one, whole(one));
      // Some answers have no usage: they are charged at what was reserved, whatever they say.
      if (told.run?.["cost_usd"] === RESERVED) return;
      const { run, service } = await called(one, { body: JSON.stringify(enormous(one.fixture.whole.body)) });
      const { input_tokens: input, output_tokens: output, units = {} } = run?.["usage"] ?? {};
      const { input_tokens: reserved, max_output_tokens: bound } = service.asks[0]?.["estimate"] ?? {};
      const counts: unknown[] = Object.values(units);
      const isAbove = input > reserved || output > bound || counts.some((count) => Number(count) > 1000);
      expect(said(one, [isAbove, run?.["cost_usd"]])).toEqual(said(one, [true, undefined]));
    }));

  test("a stream of anything else is charged at what was reserved, or by its input and what was seen", () =>
    each(streams(cases), async (one) => {
      const type = typeOf(one.fixture);
      for (const text of ["data: no json\n\n", "\u0000\u0000\u0000\u0010garbage-garbage", "data: [1]\n\n"]) {
        const { run } = await called(one, { body: text, type }, { isStream: true });
        expect(said(one, run?.["estimated"])).toEqual(said(one, true));
        expect(run?.["cost_usd"] === RESERVED || run?.["usage"].input_tokens > 0).toBe(true);
      }
    }));

  test("a request without a bound gets one, which the answer says", () =>
    each(cases, async (one) => {
      const { sent, response, service } = await called(one, whole(one));
      const told = response.headers.get("x-sluice-max-output-tokens");
      const route = provider.route("POST", one.path);
      const { body } = sent[0] ?? {};
      if (one.fixture.boundTokens === null || route.kind !== "metered" || typeof body !== "string") return;
      const bound = route.api.readRequest(JSON.parse(body) as JsonObject, {
        pathModel: route.pathModel,
        query: new URLSearchParams(one.path.includes(":stream") ? "alt=sse" : ""),
        headers: new Headers(),
        facts: (model) => provider.facts(model),
      }).outputBound;
      expect(said(one, [bound?.perAnswer, told])).toEqual(
        said(one, [one.fixture.boundTokens, String(one.fixture.boundTokens)]),
      );
      expect(service.asks[0]?.["estimate"].max_output_tokens).toBeGreaterThanOrEqual(bound?.perAnswer ?? 0);
    }));

  test("a limit that refuses, and a price that is missing, are answered before anything is sent", () =>
    each(cases, async (one) => {
      const details = { cap_usd: "1", spent_usd: "1", resets_at: "2026-01-01T00:00:00+00:00" };
      const fields = [{ field: "model", code: "no_price", message: "has no price" }];
      const refusals = [
        [402, refuse("spend_cap_exceeded", details)],
        [422, refuse("validation_failed", { fields })],
      ] as const;
      for (const [status, refusal] of refusals) {
        const { response, bytes, sent, run } = await called(one, whole(one), { judge: () => refusal });
        expect(said(one, [response.status, sent.length, run])).toEqual(said(one, [status, 0, undefined]));
        expect(bytes.toString()).toContain(refusal.code);
      }
    }));

  test("what the provider refuses costs nothing, and its key is not shown", () =>
    each(cases, async (one) => {
      const { status, body } = one.fixture.error;
      const answer = { status, body: JSON.stringify({ ...body, echo: KEY }) };
      const { response, bytes, run } = await called(one, answer);
      expect(said(one, response.status)).toEqual(said(one, status));
      expect(bytes.toString()).not.toContain(KEY);
      expect(said(one, run)).toMatchObject(said(one, { outcome: "failed", cost_usd: "0" }));
    }));
});
