import { createExecutionContext } from "cloudflare:test";
import type { Hono } from "hono";
import { beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../src/app.ts";
import { type Refusal, refuse } from "../../../src/contract/refusal.ts";
import { TRACE_HEADER } from "../../../src/contract/headers.ts";
import type { Env } from "../../../src/edge/env.ts";
import { createConsole } from "../../../src/web/console/console.tsx";
import { PAGES } from "../../../src/web/console/pages/routes.ts";
import { seedOrg } from "../../system/browser/seed.ts";
import { signedIn } from "../../support/session.ts";
import { call, env, operatorKey } from "../../support/worker.ts";

/** What a page says if something that it reads cannot be read: why, what to quote, and a way on. */

const TRACE = "00000000-0000-4000-8000-00000000dead";
const FAILURES = [
  refuse("forbidden"),
  refuse("rate_limited", { retry_after_seconds: 7 }),
  refuse("internal"),
  refuse("service_unavailable"),
];
const [, , , UNAVAILABLE = refuse("service_unavailable")] = FAILURES;

/** Read for the frame of every page, or for a name in place of an id. Without them a page says no less. */
const DECORATION = [
  /\/approvals\?status=pending&limit=100$/,
  /\/support-presence$/,
  /\/(keys|sessions)\?limit=200$/,
  /\/keys\?limit=2$/,
  /\/prices\/resolve\?/,
  /\/runs\?limit=100$/,
];

/** Lists whose frame is sent before they are read. */
const LATER = new Set(["/console/budgets", "/console/runs"]);

let app: ReturnType<typeof createApp>;
let pages: Hono<{ Bindings: Env }>;
let cookie: string;
/** Which reads fail. */
let fails: (path: string) => boolean = () => false;
let failure: Refusal = UNAVAILABLE;
/** What the last page has read, and which of it are lists. */
let read: Set<string>;
let lists: Set<string>;

async function answer(request: Request, forward: () => Response | Promise<Response>): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const path = pathname + search;
  if (request.method !== "GET") return forward();
  read.add(path);
  const isDecoration = DECORATION.some((pattern) => pattern.test(path));
  if (!isDecoration && fails(path)) {
    const { status, code, message, details } = failure;
    return Response.json(
      { error: { code, message, details } },
      { status, headers: { [TRACE_HEADER]: TRACE } },
    );
  }
  const given = await forward();
  const body: unknown = given.ok ? await given.clone().json() : null;
  const isList = Array.isArray(body) || Array.isArray((body as { data?: unknown } | null)?.data);
  if (isList && !isDecoration) lists.add(path);
  return given;
}

async function pageAt(path: string): Promise<{ status: number; text: string }> {
  [read, lists] = [new Set(), new Set()];
  const request = new Request(`http://sluice.test${path}`, { headers: { cookie }, redirect: "manual" });
  const shown = await pages.fetch(request, env, createExecutionContext());
  return { status: shown.status, text: (await shown.text()).replaceAll("&#39;", "'") };
}

const READ = PAGES.filter(([method]) => method === "GET").map(([, path]) => path);
/** The address of each page, with the ids of items that its list links to. */
const addresses = new Map<string, string>();

async function addressOf(route: string): Promise<string> {
  let path = "";
  for (const part of route.split("/").slice(1)) {
    if (!part.startsWith(":")) {
      path += `/${part}`;
      continue;
    }
    const { text } = await pageAt(path.replace(/\/deliveries$/, ""));
    const links = [
      ...text.matchAll(new RegExp(`<td[^>]*><div>(?:(?!</td>).)*?href="${path}/([^"/?]+)"`, "gs")),
    ];
    path += `/${links[0]?.[1] ?? `nothing-at-${path}`}`;
  }
  return path;
}

beforeAll(async () => {
  app = createApp();
  pages = createConsole((request, context) =>
    answer(request, () => app.fetch(request, context.env, context.executionCtx)),
  );
  const org = await seedOrg(call, operatorKey());
  await call("POST", `/v1/orgs/${org.id}/budgets`, {
    key: org.key,
    body: { name: "Each", match: {}, group_by: ["customer_id"], limit_usd: "9000", period: "month" },
  });
  cookie = (await signedIn(org.id, "owner")).cookie;
  for (const route of READ) addresses.set(route, await addressOf(route));
}, 120_000);

/** Whether a page says why something cannot be read, what to quote, and how to go on. */
const explains = (text: string) => ({
  why: text.includes(failure.message),
  trace: text.includes(TRACE),
  wayOn: /<a [^>]*href=""[^>]*>[^<]*Try again/.test(text),
});
const EXPLAINED = { why: true, trace: true, wayOn: true };

/** Each of these lists fails alone. */
async function explainsEach(path: string, needed: readonly string[]): Promise<void> {
  failure = UNAVAILABLE;
  for (const list of needed) {
    fails = (asked) => asked === list;
    expect([path, list, explains((await pageAt(path)).text)]).toEqual([path, list, EXPLAINED]);
  }
}

/** The first filter of a list page. Undefined: it has none. */
function filterIn(page: string): string | undefined {
  const [, form = ""] =
    /<form class="filters" method="get"[^>]*role="search"[^>]*>(.*?)<\/form>/s.exec(page) ?? [];
  return [...form.matchAll(/name="(\w+)"/g)].map(([, name = ""]) => name).find((name) => name !== "id");
}

describe("a page whose reads fail says why, what to quote and how to go on", () => {
  test.each(READ)("%s", async (route) => {
    const path = addresses.get(route) ?? "";
    fails = () => false;
    const whole = await pageAt(path);
    expect([path, whole.status]).toEqual([path, 200]);
    const [needed, filter] = [[...lists], filterIn(whole.text)];
    const isRead = [...read].some((one) => DECORATION.every((pattern) => !pattern.test(one)));
    for (failure of FAILURES) {
      fails = () => isRead;
      const { text } = await pageAt(path);
      if (isRead) expect([path, failure.code, explains(text)]).toEqual([path, failure.code, EXPLAINED]);
      if (filter === undefined) continue;
      const filtered = await pageAt(`${path}?${filter}=some`);
      const said = [filtered.status, filtered.text.includes("Nothing matches"), explains(filtered.text)];
      const status = LATER.has(path) ? 200 : failure.status;
      expect([path, filter, ...said]).toEqual([path, filter, status, false, EXPLAINED]);
    }
    await explainsEach(path, needed);
  });

  test.each([
    "/console?by=model&unit=runs",
    "/console?by=user_id&unit=tokens",
    "/console?list=changed",
    "/console?list=unusual",
    "/console?by=tag",
    "/console/report?by=user_id",
    "/console/report?by=model&unit=tokens",
    "/console/customers?by=change",
    "/console/audit?verify=yes",
    "/console/search?q=acme",
  ])("%s", async (path) => {
    fails = () => false;
    expect((await pageAt(path)).status).toBe(200);
    expect(lists.size).toBeGreaterThan(0);
    await explainsEach(path, [...lists]);
  });

  test("a report of which only the daily cap cannot be read", async () => {
    failure = UNAVAILABLE;
    fails = (path) => path.endsWith("/spend-cap");
    const { status, text } = await pageAt("/console/report");
    expect([status, explains(text), text.includes("<h2>Daily cap</h2>")]).toEqual([200, EXPLAINED, true]);
    fails = () => false;
    expect((await pageAt("/console/report")).text).not.toContain("<h2>Daily cap</h2>");
  });

  test("a search, but not for what the reader may not read", async () => {
    const path = "/console/search?q=acme";
    fails = () => true;
    for (failure of FAILURES) {
      const { text } = await pageAt(path);
      const isRefused = failure.code === "forbidden";
      const said = [explains(text), text.includes("Nothing has this name or id")];
      expect([failure.code, ...said]).toEqual([
        failure.code,
        isRefused ? { why: false, trace: false, wayOn: false } : EXPLAINED,
        isRefused,
      ]);
    }
    failure = refuse("org_suspended");
    expect(explains((await pageAt(path)).text)).toEqual(EXPLAINED);
    failure = UNAVAILABLE;
    fails = (asked) => asked.startsWith("/v1/runs/");
    expect(explains((await pageAt(path)).text)).toEqual(EXPLAINED);
    // What could not be read may have it, too.
    const isLeadingOn = async () => (await pageAt("/console/search?q=fallb")).text.includes("http-equiv");
    expect(await isLeadingOn()).toBe(false);
    fails = () => false;
    expect(await isLeadingOn()).toBe(true);
  });

  test("of every page that has a list", () => {
    expect(READ.length).toBeGreaterThan(50);
    expect([...addresses.values()].filter((path) => path.includes("nothing-at"))).toEqual([]);
  });
});
