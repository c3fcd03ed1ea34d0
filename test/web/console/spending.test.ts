import { beforeAll, describe, expect, test } from "vitest";
import { rankByChange } from "../../../src/web/console/pages/overview/change-ranking.ts";
import { UnusualLines, unusualReason } from "../../../src/web/console/pages/overview/unusual.tsx";
import { changeOf } from "../../../src/web/console/view/change.tsx";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, newOrg, serve, type TestOrg } from "../../support/worker.ts";

/** Charts, what changed and what is unusual, of an org with two periods. */

const DAY_MS = 86_400_000;
let org: TestOrg;
let browser: Browser;

const run = (daysAgo: number, customer: string, cost: string, tokens: number) => ({
  started_at: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
  model: `acme/${customer}`,
  customer_id: customer,
  user_id: `user of ${customer}`,
  usage: { input_tokens: tokens, output_tokens: 0 },
  cost_usd: cost,
  incurred: true,
});

beforeAll(async () => {
  org = await newOrg();
  browser = await signedIn(org.id, "viewer");
  const runs = [
    run(0, "globex", "6.50", 10),
    run(0, "globex", "0.00", 0),
    run(8, "globex", "5.00", 10),
    run(0, "initech", "1.00", 4000),
    run(8, "initech", "1.00", 10),
    run(8, "gone", "9.00", 10),
    ...["a", "b", "c", "d", "e", "<i>f</i>"].map((name) => run(1, name, "0.10", 1)),
  ];
  const sent = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body: { runs } });
  expect(sent.status).toBe(200);
  const cap = { cap_usd: "20.00", timezone: "UTC" };
  await call("PUT", `/v1/orgs/${org.id}/spend-cap`, { key: org.ownerKey, body: cap });
});

const text = async (path: string) => {
  const answer = await browser.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
};

/** What the bars say, the last day first. */
const told = (page: string) =>
  [...page.matchAll(/<title>([^<]*)<\/title><rect/g)].map(([, of]) => of).toReversed();

describe("the chart of the overview", () => {
  test("is above the columns, and tells parts, the share of the cap and the period before", async () => {
    const page = await text("/console?range=7d");
    expect(page.indexOf("Spend by day")).toBeGreaterThan(0);
    expect(page.indexOf("Spend by day")).toBeLessThan(page.indexOf('class="blocks"'));
    expect(told(page)[0]).toMatch(
      /^\d+ \w+: \$7\.50, 37 % of the cap\nglobex: \$6\.50\ninitech: \$1\.00\nBefore/,
    );
    expect(page).toContain('<polyline class="before"');
  });

  test("counts tokens, divided by whoever used most of them", async () => {
    const page = await text("/console?range=7d&unit=tokens");
    expect(told(page)[0]).toMatch(/: 4,010 tokens\ninitech: 4,000 tokens\nglobex: 10 tokens\nBefore/);
    expect(page).toContain("Tokens by day");
  });

  test.each([
    ["by=model&unit=runs", "3 runs\nacme/globex: 2 runs"],
    ["by=user_id", "$7.50, 37 % of the cap\nuser of globex: $6.50\nuser of initech: $1.00"],
    ["by=user_id&unit=tokens", "4,010 tokens\nuser of initech: 4,000 tokens\nuser of globex: 10 tokens"],
  ])("is divided by what is chosen: %s", async (query, words) => {
    expect(told(await text(`/console?range=7d&${query}`))[0]).toContain(words);
  });

  test("draws five names and all others as one, escaped", async () => {
    const page = await text("/console?range=7d");
    const [key = ""] = /<figcaption class="key">.*?<\/figcaption>/.exec(page) ?? [];
    expect(key.match(/<rect class="s\d"/g)).toHaveLength(6);
    expect(key).toContain("Other");
    expect(page).not.toContain("<i>f");
  });

  test("keeps the whole view in every link of the page", async () => {
    const page = await text("/console?range=7d&by=model&unit=tokens&list=changed");
    for (const change of ["unit=runs", "by=user_id", "list=unusual", "range=30d"]) {
      const kept = ["range=7d", "by=model", "unit=tokens", "list=changed"]
        .map((pair) => (pair.startsWith(`${change.split("=")[0]}=`) ? change : pair))
        .toSorted();
      const links = [...page.matchAll(/href="\/console\?([^"]*)"/g)].map(([, query = ""]) =>
        query.split("&amp;").toSorted().join("&"),
      );
      expect([change, links.includes(kept.join("&"))]).toEqual([change, true]);
    }
  });

  test("has a script of this origin, which may be cached for good; a page without a chart has none", async () => {
    const page = await browser.get("/console");
    const [, path = ""] = /<script src="(\/console\/chart-[0-9a-f]+\.js)"/.exec(await page.text()) ?? [];
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'; connect-src 'self'");
    const script = await serve(`http://sluice.test${path}`);
    expect([script.status, script.headers.get("cache-control")]).toEqual([
      200,
      "public, max-age=31536000, immutable",
    ]);
    const plain = await browser.get("/console/support");
    expect(await plain.text()).not.toContain("/console/chart-");
  });
});

describe("what changed", () => {
  test.each([
    ["130", "100", { kind: "more", text: "30 %" }],
    ["70", "100", { kind: "less", text: "30 %" }],
    ["100.1", "100", { kind: "more", text: "<1 %" }],
    ["100", "100", { kind: "same" }],
    ["5", "0.00", { kind: "new" }],
    ["0", "0", { kind: "none" }],
    ["5000", "100", { kind: "more", text: "50 times" }],
  ])("is a share of what was before: %s after %s", (now, before, changed) => {
    expect(changeOf(now, before)).toEqual(changed);
  });

  test("stands beside amounts", async () => {
    const page = await text("/console?range=7d");
    // 8.10 after 15.00, and 6.50 after 5.00.
    expect(page).toMatch(
      /\$8\.10<\/span><\/a> <span class="change down"><span aria-hidden="true">▼ <\/span>46 %/,
    );
    expect(page).toMatch(/class="change up"><span aria-hidden="true">▲ <\/span>30 %/);
  });

  test("is listed by its amount, with a name that stopped spending first", async () => {
    const page = await text("/console?range=7d&list=changed");
    const [, list = ""] = page.split('<ol class="ranking">');
    const names = [...(list.split("</ol>")[0]?.matchAll(/title="([^"$]*)">/g) ?? [])].map(([, name]) => name);
    expect(names.slice(0, 2)).toEqual(["gone", "globex"]);
    expect(names).not.toContain("initech");
  });

  test("compares exactly, and leaves out what stayed the same", () => {
    const now = new Map([
      ["same", "1.00"],
      ["grown", "1.000000001"],
      ["new", "0.50"],
    ]);
    const before = new Map([
      ["same", "1.00"],
      ["grown", "1.00"],
      ["gone", "2.00"],
    ]);
    expect(rankByChange(now, before).map(({ id }) => id)).toEqual(["gone", "new", "grown"]);
  });
});

describe("what is unusual", () => {
  const one = {
    subject_kind: "customer",
    subject_id: "globex",
    date: "2026-11-03",
    hour: null,
    direction: "above",
    spent_usd: "42.00",
    expected_usd: "12.00",
    low_usd: "8.00",
    high_usd: "20.00",
  } as const;

  test("says why, in words", () => {
    expect(unusualReason(one)).toBe(
      "Expected $12.00, likely $8.00 to $20.00, 2.1 times the most that was likely.",
    );
    expect(unusualReason({ ...one, direction: "below", spent_usd: "1.00" })).toContain(
      "less than was likely",
    );
  });

  test("has a tab, which says what it needs", async () => {
    const page = await text("/console?range=7d&list=unusual");
    expect(page).toMatch(/<a href="[^"]*list=unusual[^"]*" aria-current="true">Unusual/);
    expect(page).toContain("Nothing stood out.");
  });
});

test("a list of unusual spend without keys, users and hours says so, also if it is empty", () => {
  const list = { from: "2026-11-10", to: "2026-11-17", sensitivity: "normal", data: [] } as const;
  const shown = (complete: boolean) => {
    const lines: unknown = UnusualLines({ of: { ...list, complete, data: [] }, nameOf: (id) => id });
    return (lines as { toString(): string }).toString();
  };
  expect(shown(false)).toContain("are not included yet");
  expect(shown(true)).not.toContain("are not included yet");
});
