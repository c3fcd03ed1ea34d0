import { join } from "node:path";
import { readFileSync } from "node:fs";
import { type Server, startServer } from "../server.ts";
import { type StandIn, startStandIn } from "../stand-in/server.ts";
import { Caller } from "./caller.ts";
import { type Disk, openDisk } from "./disk.ts";
import { FlakyProvider } from "./flaky-provider.ts";
import { Ledger } from "./ledger.ts";
import { Letters } from "./letters.ts";
import { Link } from "./link.ts";
import type { Pace } from "./pace.ts";

/** Two regions, each a process of its own, with links between them that can be broken. */

export const FORBIDDEN_MODEL = "forbidden/m1";
const ISOLATES = 4;
/** How long the proxy waits for a decision. */
const DECISION_MS = 3000;
const PROVIDER_KEY = "sk-provider-0123456789-chaos-0123456789";
const SECRETS = {
  SVC_KEY_PEPPER: "pepper-for-chaos-0123456789-abcdefghij",
  SVC_OPERATOR_KEY: "svc_operator_for-chaos-0123456789-abcdefghij",
  SVC_REGION_SECRET: "region-secret-for-chaos-0123456789-abcdefghij",
};

export const OPERATOR_KEY = SECRETS.SVC_OPERATOR_KEY;

const LOCAL = { SVC_WEBHOOK_ALLOW_PRIVATE: "true", SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS: "2" };

export interface Org {
  readonly name: string;
  readonly id: string;
  readonly key: string;
  readonly caller: Caller;
  readonly budgetId: string;
  readonly ledger: Ledger;
  readonly onlyGrows: boolean;
}

export interface Region {
  readonly name: string;
  readonly server: Server;
  readonly disk: Disk;
  pid(): number;
}

export interface World {
  readonly eu: Region;
  readonly us: Region;
  readonly provider: StandIn;
  /** The provider of an org that has a key of its own. */
  readonly flaky: FlakyProvider;
  /** From us to eu, from eu to us, and from gates to eu. */
  readonly links: readonly [Link, Link, Link];
  readonly operator: Caller;
  /** Where the webhooks of all orgs lead to. */
  readonly letters: Letters;
  /** Everything that must not be found in plain text, and what it is. */
  readonly secrets: Map<string, string>;
  /** What the servers and processes said. */
  readonly said: string[];
  /** Answers that the contract does not promise. */
  readonly unpromised: string[];
  readonly pace: Pace;
  close(): Promise<void>;
}

export async function openWorld(entry: string, pace: Pace): Promise<World> {
  const said: string[] = [];
  const provider = await startStandIn({ key: PROVIDER_KEY, pauseMs: 1 });
  const flaky = await FlakyProvider.open();
  const letters = await Letters.open();
  const links = [await Link.open(), await Link.open(), await Link.open()] as const;
  const start = async (name: string, others: object, more: object): Promise<Region> => {
    const disk = openDisk();
    // However this ends: a mounted file system would stay.
    process.once("exit", () => disk.remove());
    const server = await startServer({
      port: 0,
      dataDir: join(disk.path, "data"),
      entry,
      settings: { ...SECRETS, SVC_REGION: name, SVC_REGIONS: JSON.stringify(others), ...LOCAL },
      onRemark: (line) => said.push(line),
      onLost: ({ message }) => said.push(`lost: ${message}`),
      ...more,
    });
    const pid = () => Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8"));
    return { name, server, disk, pid };
  };
  const proxy = {
    port: 0,
    settings: {
      OPENAI_API_KEY: PROVIDER_KEY,
      OPENAI_URL: provider.url,
      PROXY_ORGS: "*",
      PROXY_DECISION_TIMEOUT_MS: String(pace.ms(DECISION_MS)),
    },
  };
  const [eu, us] = await Promise.all([
    start("eu", { us: links[1].url }, { isolates: ISOLATES, proxy }),
    start("us", { eu: links[0].url }, {}),
  ]);
  links[0].leadTo(eu.server.urls[0]);
  links[1].leadTo(us.server.urls[0]);
  links[2].leadTo(eu.server.urls[1] ?? eu.server.urls[0]);
  return {
    eu,
    us,
    provider,
    flaky,
    letters,
    links,
    said,
    unpromised: [],
    pace,
    operator: new Caller(eu.server.urls, SECRETS.SVC_OPERATOR_KEY, { pace }),
    secrets: new Map(
      [...Object.entries(SECRETS), ["OPENAI_API_KEY", PROVIDER_KEY]].map(([name, value]) => [
        value ?? "",
        name ?? "",
      ]),
    ),
    close: async () => {
      await Promise.allSettled([eu.server.dispose(), us.server.dispose()]);
      await Promise.allSettled([
        provider.close(),
        flaky.close(),
        letters.close(),
        ...links.map((link) => link.close()),
      ]);
    },
  };
}

const RATES = { read_rpm: 1_000_000, policies: [] };
const PRICE = { provider: "openai", input_usd_per_mtok: "1", output_usd_per_mtok: "1" };

/** An org with a test clock, a budget that never starts anew, and a rule that forbids a model. */
export async function openOrg(
  { eu, us, operator, secrets, pace }: World,
  {
    name,
    home,
    limitNanos,
    onlyGrows = false,
  }: { name: string; home: string; limitNanos: number; onlyGrows?: boolean },
): Promise<Org> {
  const made = await operator.send("POST", "/v1/admin/orgs", {
    name,
    home_region: home,
    environment: "test",
  });
  const { org, owner_key: key } = made.body as { org: { id: string }; owner_key: string };
  secrets.set(key, `the owner key of ${name}`);
  const caller = new Caller([...eu.server.urls, ...us.server.urls], key, { pace });
  const below = `/v1/orgs/${org.id}`;
  await operator.send("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, RATES);
  const limit = { scope_kind: "org", limit_usd: inUsd(limitNanos), period: "total", mode: "enforce" };
  const budget = await caller.send("POST", `${below}/budgets`, limit);
  const when = `model == ${JSON.stringify(FORBIDDEN_MODEL)}`;
  await caller.send("POST", `${below}/policy-rules`, {
    target: "model",
    effect: "deny",
    when,
    reason: "chaos",
  });
  await caller.send("PUT", `${below}/models/gpt-4o-mini`, PRICE);
  const ledger = new Ledger();
  ledger.limits.push({ nanos: limitNanos, sentAt: 0, answeredAt: 0 });
  return { name, id: org.id, key, caller, budgetId: String(budget.body["id"]), ledger, onlyGrows };
}

export function inUsd(nanos: number): string {
  return (nanos / 1e9).toFixed(9);
}

export function inNanos(usd: unknown): number {
  return Math.round(Number(usd) * 1e9);
}

const ENDING_MS = 10_000;

/** Ends the org's object in the middle of what it does, without its runtime. Nothing happens if that is down. */
export async function endObject(world: World, { id }: Org): Promise<void> {
  await tell(world, "x-test-end", id);
}

/** The org's object ends once it has put a file into the archive, before it notes that it did. */
export async function endObjectAfterFile(world: World, { id }: Org): Promise<void> {
  await tell(world, "x-test-end-after-file", id);
}

async function tell({ eu, pace }: World, header: string, id: string): Promise<void> {
  const told = { headers: { [header]: id }, signal: AbortSignal.timeout(pace.ms(ENDING_MS)) };
  await fetch(`${eu.server.urls[0]}/healthz`, told).catch(() => undefined);
}
