import { beforeAll, describe, expect, test } from "vitest";
import { PAGES } from "../../src/web/console/pages/routes.ts";
import { OPERATOR_PAGES } from "../../src/web/operator/routes.ts";
import { CookieJar } from "../support/cookie-jar.ts";
import { call, consoleLink, sharedServer } from "../support/server.ts";
import { seedOrg } from "./browser/seed.ts";

/** Every table of both consoles is sorted by each of its columns, and filtered once it is long. */

interface Drawn {
  readonly label: string;
  readonly headings: readonly string[];
  readonly rows: number;
}

const TABLE =
  /aria-label="([^"]*)"><table role="table"><thead[^>]*>(.*?)<\/thead><tbody[^>]*>(.*?)<\/tbody>/gs;

function tablesIn(page: string): readonly Drawn[] {
  const found = [...page.matchAll(TABLE)].map(([, label = "", head = "", body = ""]) => ({
    label,
    headings: head.match(/<th .*?<\/th>/gs) ?? [],
    rows: body.match(/<tr role="row">/g)?.length ?? 0,
  }));
  // A table that another component draws is found by its tag alone.
  expect(page.match(/<table/g)?.length ?? 0).toBe(found.length);
  return found;
}

type Read = (path: string) => Promise<string>;

const SORTED = /<th [^>]*aria-sort="(?:ascending|descending)"[^>]*><a [^>]*>([^<]*)<\/a>/g;

/** Follows the link of each heading. The column that it names is then the one that the page is sorted by. */
async function checkSorts(read: Read, path: string, { label, headings }: Drawn): Promise<void> {
  for (const heading of headings.filter((one) => !one.includes('class="act"'))) {
    const [, href = "", title] = /<a href="([^"]*[?&;]order=[^"]*)">([^<]*)<\/a>/.exec(heading) ?? [];
    expect([path, label, heading, href !== ""]).toEqual([path, label, heading, true]);
    const sorted = [...(await read(href.replaceAll("&amp;", "&"))).matchAll(SORTED)].map(([, by]) => by);
    expect([path, label, sorted]).toEqual([path, label, [title]]);
  }
}

/** Its days are chosen by the range of the page. */
const OF_RANGE = "Figures of the chart";
const SHORT = 10;

async function walk(read: Read, paths: (links: readonly string[]) => Iterable<string>): Promise<Set<string>> {
  const sorted = new Set<string>();
  const links: string[] = [];
  for (const path of paths(links)) {
    const page = await read(path);
    links.push(
      ...[...page.matchAll(/<td [^>]*><div><a [^>]*href="(\/console\/[^"]*)"/g)].map(([, to = ""]) => to),
    );
    for (const table of tablesIn(page)) {
      // The operator's organizations are filtered by the search that every page has.
      const hasFilter =
        page.includes('<form class="filters"') ||
        page.includes(`<form class="search" method="get" action="${path}"`);
      const needsFilter = table.rows > SHORT && table.label !== OF_RANGE;
      expect([path, table.label, hasFilter || !needsFilter]).toEqual([path, table.label, true]);
      if (table.rows < 2 || sorted.has(table.label)) continue;
      await checkSorts(read, path, table);
      sorted.add(table.label);
    }
  }
  return sorted;
}

/** The page of an item is that of the first item that a page before it links to. */
function* routesIn(
  routes: readonly (readonly [string, string, unknown])[],
  links: readonly string[],
  id: string,
) {
  const read = routes.flatMap(([method, path]) => (method === "GET" ? [path] : []));
  for (const route of read.toSorted((one, other) => one.split("/:").length - other.split("/:").length)) {
    const [start = "", ...rest] = route.replace("/operator/orgs/:id", `/operator/orgs/${id}`).split(/\/:\w+/);
    yield rest.reduce((path, after) => `${links.find((to) => to.startsWith(`${path}/`))}${after}`, start);
  }
}

const { urls, operatorKey } = sharedServer();
const [base] = urls;
const nowhere = () => false;

/** What a signed-in browser reads, without scripts. */
const reader =
  (jar: CookieJar): Read =>
  async (path) =>
    (await jar.ask(base + path)).text();

async function operator(): Promise<Read> {
  const jar = new CookieJar();
  const form = await (await jar.ask(`${base}/operator/login`)).text();
  const _csrf = /name="_csrf" value="([^"]+)"/.exec(form)?.[1] ?? "";
  await jar.follow(`${base}/operator/login`, nowhere, {
    _csrf,
    _once: crypto.randomUUID(),
    key: operatorKey,
  });
  return reader(jar);
}

let org: Awaited<ReturnType<typeof seedOrg>>;
beforeAll(async () => {
  org = await seedOrg(call, operatorKey);
  for (const reason of ["Ticket 1.", "Ticket 2."]) {
    const body = { scope: "read_only", reason, expires_in_seconds: 3600 };
    await call("POST", `/v1/orgs/${org.id}/support-grants`, { key: org.key, body });
  }
});

describe("every table can be sorted by each column, and filtered once it is long", () => {
  test("in the console", async () => {
    const jar = new CookieJar();
    await jar.follow(await consoleLink(org.id, org.key), nowhere);
    const sorted = await walk(reader(jar), function* paths(links) {
      yield* routesIn(PAGES, links, org.id);
      yield "/console/customers?by=spend";
      yield "/console/explain?estimate.cost_usd=999&workflow_id=triage&checks=all";
    });
    for (const label of ["Audit entries", "Budgets", "Checks", OF_RANGE, "Refusals", "Runs", "Spend"])
      expect([...sorted]).toContain(label);
  });

  test("in the operator's", async () => {
    const terms = { runs_limit: null, tokens_limit: null, overage_policy: "allow" };
    for (let nth = 0; nth <= SHORT; nth += 1)
      await call("PUT", `/v1/admin/plans/walked-${nth}`, { key: operatorKey, body: terms });
    await operator();
    const sorted = await walk(await operator(), (links) => routesIn(OPERATOR_PAGES, links, org.id));
    for (const label of [
      "Organizations",
      "Plans",
      "Prices",
      "Deprecated routes",
      "Sessions",
      "Support grants",
    ])
      expect([...sorted]).toContain(label);
  });
});
