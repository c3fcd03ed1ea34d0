import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STAND_IN_KEY } from "../../scripts/stand-in/key.ts";
import { governed, type Recorded } from "../support/governed.ts";
import { blocksOf, proxyUrl, runGuideProgram } from "../support/guide.ts";
import { installedPackage } from "../support/installed-package.ts";
import { call, sharedServer } from "../support/server.ts";

/** Every program of the guides for newcomers is run against the proxy, and prints what it says. */

let installed: Awaited<ReturnType<typeof installedPackage>>;
beforeAll(async () => {
  installed = await installedPackage(["openai", "@langchain"]);
  const mastra = join(installed.path, "node_modules/@mastra/core");
  mkdirSync(mastra, { recursive: true });
  cpSync("test/support/mastra-agent.mjs", join(mastra, "agent.mjs"));
  writeFileSync(join(mastra, "package.json"), JSON.stringify({ exports: { "./agent": "./agent.mjs" } }));
});
afterAll(() => installed.remove());

interface GuideCase {
  readonly guide: string;
  /** What the runs of the first program have: one of them for each call. */
  readonly runs: readonly Recorded[];
}

const SUPPORT = { customer_id: "acme", workflow_id: "support", estimated: false };
const GUIDES: readonly GuideCase[] = [
  { guide: "from-helicone", runs: [{ customer_id: "acme", tags: { feature: "chat" } }] },
  {
    guide: "from-portkey",
    runs: [{ user_id: "user-42", tags: { team: "search", city: "San José, CA" } }],
  },
  { guide: "from-litellm", runs: [{ customer_id: "acme", tags: { team: "search" } }] },
  { guide: "langchain", runs: [SUPPORT, SUPPORT] },
  { guide: "mastra", runs: [SUPPORT, SUPPORT] },
];

async function runsOf(key: string, count: number): Promise<Recorded[]> {
  const read = async () => (await call("GET", "/v1/runs", { key })).body.data as Recorded[];
  await expect.poll(async () => (await read()).length).toBeGreaterThanOrEqual(count);
  return (await read()).toReversed();
}

describe.each(GUIDES)("$guide", ({ guide, runs }) => {
  const [first = "", limited = "", ...more] = blocksOf(guide, "js");

  test("the first program's calls are recorded, for whom it says", async () => {
    const { ownerKey } = await runGuideProgram(first, installed.path);
    expect(await runsOf(ownerKey, runs.length)).toMatchObject(
      runs.map((run) => ({ model: "gpt-4o-mini", provider: "openai", outcome: "completed", ...run })),
    );
  });

  test("the second program is refused by a budget, and its call costs nothing", async () => {
    const { id, ownerKey } = await runGuideProgram(limited, installed.path);
    expect((await call("GET", "/v1/runs", { key: ownerKey })).body.data).toEqual([]);
    const kept = () => call("GET", `/v1/orgs/${id}/refusals`, { key: ownerKey });
    await expect
      .poll(async () => (await kept()).body.data.map(({ code }: Recorded) => code as string))
      .toEqual(["budget_exceeded"]);
  });

  test("there is no other program", () => {
    expect(more).toEqual([]);
  });
});

test("proxy: results of a batch are recorded at the prices of batches", async () => {
  const [program = "", ...more] = blocksOf("proxy", "js");
  expect(more).toEqual([]);
  await runGuideProgram(program, installed.path);
});

describe("from-helicone: the key that the caller brings", () => {
  const messages = [{ role: "user" as const, content: "hi" }];
  const ask = (apiKey: string, sluiceKey: string) =>
    new OpenAI({
      apiKey,
      baseURL: `${proxyUrl()}/openai/v1`,
      maxRetries: 0,
      defaultHeaders: { "x-sluice-key": `Bearer ${sluiceKey}` },
    }).chat.completions.create({ model: "gpt-4o-mini", messages });

  test("is the one that the provider gets, and nobody else hears of it", async () => {
    const own = "sk-of-a-caller-from-helicone";
    const org = await governed("0.01");
    // The stand-in takes the proxy's own key, so it is not the proxy's that it refuses.
    await expect(ask(own, org.key)).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining("Incorrect API key provided: [key]") as string,
    });
    await ask(STAND_IN_KEY, org.key);
    const broke = await governed("0");
    const refused = await ask(own, broke.key).then(
      () => null,
      (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
    );
    expect(refused).toMatchObject({ status: 402, code: "budget_exceeded" });
    const log = () => readFileSync(`${sharedServer().dataDir}/sluice.log`, "utf8");
    await expect.poll(log).toContain(refused?.headers?.get("x-svc-trace-id"));
    expect(log()).not.toContain(own);
    expect(JSON.stringify(await org.runs(2))).not.toContain(own);
  });
});
