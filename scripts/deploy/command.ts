import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Complaint } from "../complaint.ts";
import { buildAssets } from "../reference/assets.ts";
import { firstOrg, waitUntilHealthy } from "./first-org.ts";
import { frontSteps, lookAtFront, readFront } from "./front.ts";
import { oneWorkerSteps, readOneWorker } from "./one-worker.ts";
import { type DeployOptions, deployOptions } from "./options.ts";
import {
  type Deploying,
  type AccountState,
  knownValues,
  look,
  planOf,
  preparationOf,
  type Step,
} from "./plan.ts";
import { lookAtProxy, ORGS, PROXY_CONFIG, proxySteps, readProxy, serveFirstOrg } from "./proxy.ts";
import { residencyProblem } from "./residency.ts";
import { addressProblem, readTarget, type Target } from "./target.ts";
import { Wrangler, type WranglerCommand } from "./wrangler.ts";

const NOTHING: AccountState = {
  databases: new Map(),
  buckets: new Set(),
  unpinnedBuckets: new Set(),
  secrets: new Set(),
};

const METRICS_TOKEN = "SVC_METRICS_TOKEN";
const OPEN_METRICS = `Without ${METRICS_TOKEN}, anyone can read /metrics: requests by route and status, decisions, refusals, runs, tokens and dollars of the whole platform, and how many reservations are open. It names no organization, key or customer. To have a token made: npm run deploy -- --metrics-token`;

/** The process that deploys. */
export interface Machine {
  readonly env: NodeJS.ProcessEnv;
  readonly command: WranglerCommand;
  readonly say: (line: string) => void;
  /** Null: nobody is there to ask. */
  readonly ask: ((question: string) => Promise<string>) | null;
}

/** What `npm run deploy` does with these arguments. */
export async function deploy(args: readonly string[], machine: Machine): Promise<void> {
  const options = deployOptions(args, machine.env);
  await buildAssets();
  const folder = mkdtempSync(join(tmpdir(), "sluice-deploy-"));
  try {
    await deployFrom(folder, options, machine);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function deployFrom(folder: string, options: DeployOptions, machine: Machine): Promise<void> {
  const { env, say } = machine;
  const target = withMetricsToken(readTarget(options.config, options.environment), options);
  const wrangler = new Wrangler(machine.command, options);
  const deploying: Deploying = { wrangler, target, config: options.config, env, folder };
  const proxy = options.hasProxy ? readProxy(deploying) : null;
  const front = options.hasFront ? readFront(deploying) : null;
  const one = options.isOneWorker ? readOneWorker(deploying) : null;
  const isSignedIn = wrangler.try(["whoami", "--json"]).isDone;
  const found = isSignedIn ? look(wrangler, target) : NOTHING;
  const problem = addressProblem(target) ?? residencyProblem(target, found);
  const steps =
    one === null
      ? planOf(deploying, found)
      : [...preparationOf(deploying, found), ...oneWorkerSteps(one, deploying)];
  if (proxy !== null) {
    steps.push(...proxySteps(proxy, isSignedIn ? lookAtProxy(proxy) : NOTHING.secrets, env));
  }
  if (front !== null) {
    steps.push(...frontSteps(front, deploying, isSignedIn ? lookAtFront(front) : NOTHING.secrets));
  }
  say(`Deploying ${target.worker} to ${options.url ?? target.url}. This will:`);
  for (const [index, { says }] of allOf(steps, target, options).entries()) say(`  ${index + 1}. ${says}`);
  if (!options.hasMetricsToken && !found.secrets.has(METRICS_TOKEN)) say(OPEN_METRICS);
  if (options.isDry) {
    if (problem !== null) say(`Before that, ${problem}.`);
    if (!isSignedIn) say("Nobody is signed in to Cloudflare, so the list is that of a first deploy.");
    for (const made of [one, front]) made?.write();
    for (const built of [one ?? { wrangler }, proxy, front])
      if (built !== null) checkBuild(built.wrangler, folder);
    say(`${builtText(proxy !== null, front !== null)} Nothing was changed.`);
    return;
  }
  if (problem !== null) throw new Complaint(problem);
  if (!isSignedIn) throw new Complaint("sign in first: npx wrangler login, or set CLOUDFLARE_API_TOKEN");
  await agree(options, machine);
  for (const step of steps) {
    say(`… ${step.says}`);
    step.run();
  }
  const org = await finish(deploying, options, say);
  const served = one ?? proxy;
  if (org !== null && served !== null && !served.namesOrgs && serveFirstOrg(served.wrangler, org)) {
    say(`The proxy serves ${org}. To serve others, set ${ORGS} in ${PROXY_CONFIG}.`);
  }
}

/** Regions have a token each or share one: nothing that is signed with it goes from one to another. */
function withMetricsToken(target: Target, { hasMetricsToken }: DeployOptions): Target {
  return hasMetricsToken ? { ...target, secrets: [...target.secrets, METRICS_TOKEN] } : target;
}

function allOf(steps: readonly Step[], target: Target, { url, org }: DeployOptions): { says: string }[] {
  const base = url ?? target.url;
  return [
    ...steps,
    { says: `wait until ${base}/healthz answers` },
    { says: `create the org ${JSON.stringify(org)} and print its owner key, if there is no org yet` },
  ];
}

function builtText(hasProxy: boolean, hasFront: boolean): string {
  const built = ["The Worker", ...(hasProxy ? ["the proxy"] : []), ...(hasFront ? ["the front Worker"] : [])];
  return `${new Intl.ListFormat("en").format(built)} ${built.length === 1 ? "builds" : "build"}.`;
}

function checkBuild(wrangler: Wrangler, folder: string): void {
  wrangler.run(["deploy", "--dry-run", "--outdir", mkdtempSync(join(folder, "built-"))]);
}

async function agree({ isAgreed }: DeployOptions, { ask }: Machine): Promise<void> {
  if (isAgreed || ask === null) return;
  const answer = await ask("Go on? [y/N] ");
  if (!/^y(es)?$/i.test(answer.trim())) throw new Complaint("nothing was changed");
}

/** The id of the first org. Null: it is not known. */
async function finish(
  { target, env }: Deploying,
  { url, org }: DeployOptions,
  say: Machine["say"],
): Promise<string | null> {
  const base = url ?? target.url;
  await waitUntilHealthy(base);
  say(`${base} is healthy.`);
  const operatorKey = knownValues(env)["SVC_OPERATOR_KEY"];
  if (!operatorKey) {
    say("SVC_OPERATOR_KEY is not known on this machine, so no org was created.");
    return null;
  }
  const { id, key } = await firstOrg(base, operatorKey, org);
  say(
    key === null ? "There are orgs already." : `The owner key of ${JSON.stringify(org)}, shown once: ${key}`,
  );
  return id;
}
