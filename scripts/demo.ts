import { existsSync, readFileSync } from "node:fs";
import { Complaint } from "./complaint.ts";
import { writePrivateFile } from "./private-file.ts";
import { readCatalog } from "./price-book/catalog.ts";
import { importInto } from "./price-book/changes.ts";
import { readBook, writeBook } from "./price-book/remote.ts";
import { type Northwind, seedNorthwind } from "./northwind/seed.ts";
import { seedCall } from "./seeding/call.ts";
import type { Server } from "./server.ts";

/** What a script or a person needs to start, as in `demo.json`. */
export interface Demo {
  readonly base_url: string;
  /** Where the governed proxy is served. */
  readonly proxy_url: string;
  /** Where the stand-in for the providers is served. It takes any call for `sk-stand-in` and costs nothing. */
  readonly stand_in_url?: string;
  readonly org_id: string;
  readonly owner_key: string;
  readonly operator_key: string;
  /** A second org, with two months of use to look at. Absent: the folder was made without it. */
  readonly northwind_org_id?: string;
  readonly northwind_owner_key?: string;
}

type Seeded = Pick<Demo, "org_id" | "owner_key" | "northwind_org_id" | "northwind_owner_key">;

/** Each limit of the demo org is on a workflow of its own, so that it refuses nothing else. */
const DEMO_BUDGET = {
  scope_kind: "workflow",
  scope_id: "demo",
  limit_usd: "1.00",
  period: "month",
  mode: "enforce",
};

/** Room for a few short calls of a small model through the proxy. */
const HELLO_BUDGET = {
  scope_kind: "workflow",
  scope_id: "hello",
  limit_usd: "0.00005",
  period: "day",
  mode: "enforce",
};
const HELLO_MODEL = "gpt-4o-mini";
const HELLO_MOST_TOKENS = 16;

interface DemoOptions {
  readonly standInUrl?: string;
  /** Receives each step as it begins. */
  readonly onStep?: (step: string) => void;
}

/** How many steps `onStep` receives. */
export const DEMO_STEPS = 1;

/**
 * Seeds the demo org and Northwind, once per data folder, through the public API. An org that exists gets no further
 * limits: they could refuse what its owner runs. A folder that exists gets no further org.
 */
export async function ensureDemo(server: Server, { standInUrl, onStep }: DemoOptions = {}): Promise<Demo> {
  const { demo: file } = server.folder;
  const here = {
    base_url: server.urls[0],
    proxy_url: server.proxyUrl ?? "",
    ...(standInUrl === undefined ? {} : { stand_in_url: standInUrl }),
    operator_key: server.settings["SVC_OPERATOR_KEY"] ?? "",
  };
  const isNew = !existsSync(file);
  onStep?.(isNew ? "making the demo org, a sample company and the price book" : "filling the price book");
  const { northwind } = server;
  // It comes first: until it is made, the clock of the Worker is in the past.
  const company =
    northwind === null
      ? null
      : await seedNorthwind({ url: here.base_url, key: here.operator_key }, northwind);
  const [kept] = await Promise.all([
    isNew ? seedDemo(here) : seeded(file),
    fillPriceBook(here).catch(remarkOnPrices),
  ]);
  const demo: Demo = { ...here, ...kept, ...(company === null ? {} : ofNorthwind(company)) };
  writePrivateFile(file, `${JSON.stringify(demo, null, 2)}\n`);
  northwind?.end();
  return demo;
}

const ofNorthwind = ({ org_id, owner_key }: Northwind) => ({
  northwind_org_id: org_id,
  northwind_owner_key: owner_key,
});

function remarkOnPrices(error: unknown): void {
  if (!(error instanceof Complaint)) throw error;
  console.error(`sluice: the price book was not filled; use npm run prices later: ${error.message}`);
}

/** Real prices of real models, so that a first call can be priced. */
async function fillPriceBook({
  base_url: url,
  operator_key: operatorKey,
}: Pick<Demo, "base_url" | "operator_key">): Promise<void> {
  const { book, etag } = await readBook({ url, operatorKey });
  const { models, providers, changes } = importInto(book, await readCatalog(new Date()));
  if (changes.length > 0) await writeBook({ url, operatorKey }, etag, { models, providers });
}

function seeded(file: string): Seeded {
  const {
    base_url: _,
    proxy_url: __,
    stand_in_url: ___,
    operator_key: ____,
    ...kept
  } = JSON.parse(readFileSync(file, "utf8")) as Demo;
  return kept;
}

async function seedDemo({
  base_url: url,
  operator_key: key,
}: Pick<Demo, "base_url" | "operator_key">): Promise<Seeded> {
  const { org, owner_key } = await seedCall<{ org: { id: string }; owner_key: string }>(
    { url, key },
    { method: "POST", path: "/v1/admin/orgs", body: { name: "Demo" } },
  );
  const budgets = { method: "POST", path: `/v1/orgs/${org.id}/budgets` } as const;
  await seedCall({ url, key: owner_key }, { ...budgets, body: DEMO_BUDGET });
  await seedCall({ url, key: owner_key }, { ...budgets, body: HELLO_BUDGET, name: HELLO_BUDGET.scope_id });
  return { org_id: org.id, owner_key };
}

function hello({ proxy_url, owner_key }: Demo): string {
  const messages = [{ role: "user", content: "Hello!" }];
  const body = { model: HELLO_MODEL, max_tokens: HELLO_MOST_TOKENS, messages };
  return (
    `  curl -i ${proxy_url}/openai/v1/chat/completions -H 'Authorization: Bearer ${owner_key}' \\\n` +
    `    -H 'x-sluice-workflow-id: ${HELLO_BUDGET.scope_id}' -H 'Content-Type: application/json' \\\n` +
    `    -d '${JSON.stringify(body)}'`
  );
}

/** How to look at the org that has something to look at. */
function northwindLines(server: Server, { northwind_org_id: id, northwind_owner_key: key }: Demo): string[] {
  if (id === undefined || key === undefined) return [];
  return [
    "Northwind is a made-up company with two months of runs, limits, refusals and approvals. Look around in its console:",
    `  ${server.signInLink(id)}`,
    `  (works once; afterwards sign in with its owner key, ${key})`,
    `  org ${id}`,
    "",
  ];
}

/** The lines of the terminal. Each curl command works as it is. */
export function welcome(server: Server, demo: Demo): string {
  const decide = (body: object): string =>
    `  curl -i ${demo.base_url}/v1/edge/decision -H 'Authorization: Bearer ${demo.owner_key}' \\\n` +
    `    -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const { scope_id: workflow_id } = DEMO_BUDGET;
  return [
    `Sluice is running at ${server.urls.join(", ")} (press Ctrl-C to stop)`,
    "",
    `  org          ${demo.org_id}`,
    `  owner key    ${demo.owner_key}`,
    `  operator key ${demo.operator_key}`,
    `  console      ${server.signInLink(demo.org_id)}`,
    "               (works once)",
    `  docs         ${demo.base_url}/docs`,
    `  proxy        ${demo.proxy_url} (/openai, /anthropic and the prefix of every other provider)`,
    ...(demo.stand_in_url === undefined ? [] : [`  stand-in     ${demo.stand_in_url} (for the providers)`]),
    `  data, log    ${server.folder.path} (npm run reset empties it)`,
    "",
    ...northwindLines(server, demo),
    "May this run spend a cent? Yes:",
    decide({ model: "acme/m1", estimate: { cost_usd: "0.01" } }),
    "",
    `May it spend 25 dollars on the "${workflow_id}" workflow, which has ${DEMO_BUDGET.limit_usd} per month? No:`,
    decide({ model: "acme/m1", workflow_id, estimate: { cost_usd: "25.00" } }),
    "",
    `What does a call to a model cost? In a new demo org, the "${HELLO_BUDGET.scope_id}" workflow has room for a few:`,
    hello(demo),
    `  In an SDK: base URL ${demo.proxy_url}/openai/v1, and the owner key as API key.`,
    "",
    "Which routes are deprecated?",
    `  curl ${demo.base_url}/v1/meta/deprecations`,
  ].join("\n");
}
