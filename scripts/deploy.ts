/** `npm run deploy`: everything between a Cloudflare account and a first key. Run it again at any time. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Complaint, run } from "./complaint.ts";
import { firstOrg, waitUntilHealthy } from "./deploy/first-org.ts";
import { type DeployOptions, deployOptions } from "./deploy/options.ts";
import { oneWorkerSteps, readOneWorker } from "./deploy/one-worker.ts";
import { type Found, knownValues, look, planOf, preparationOf, type Step } from "./deploy/plan.ts";
import { frontSteps, lookAtFront, readFront } from "./deploy/front.ts";
import { lookAtProxy, proxySteps, readProxy, serveFirstOrg } from "./deploy/proxy.ts";
import { addressProblem, readTarget, type Target } from "./deploy/target.ts";
import { Wrangler } from "./deploy/wrangler.ts";
import { buildAssets } from "./reference/assets.ts";

const NOTHING: Found = { databases: new Map(), buckets: new Set(), secrets: new Set() };

const METRICS_TOKEN = "SVC_METRICS_TOKEN";
const OPEN_METRICS = `Without ${METRICS_TOKEN}, anyone can read /metrics: requests by route and status, decisions, refusals, runs, tokens and dollars of the whole platform, and how many reservations are open. It names no organization, key or customer. To have a token made: npm run deploy -- --metrics-token`;

await run(async () => {
  const options = deployOptions(process.argv.slice(2), process.env);
  await buildAssets();
  const target = withMetricsToken(readTarget(options.config, options.environment), options);
  const proxy = options.hasProxy ? readProxy(options.config, target) : null;
  const front = options.hasFront ? readFront(options.config, target) : null;
  const one = options.isOneWorker ? readOneWorker(options.config, target) : null;
  const wrangler = new Wrangler(options);
  const isSignedIn = wrangler.try(["whoami", "--json"]).isDone;
  const problem = addressProblem(target);
  const found = isSignedIn ? look(wrangler, target) : NOTHING;
  const deploying = { wrangler, target, config: options.config };
  const steps =
    one === null
      ? planOf(deploying, found)
      : [...preparationOf(deploying, found), ...oneWorkerSteps(one, target, process.env)];
  if (proxy !== null) {
    steps.push(...proxySteps(proxy, isSignedIn ? lookAtProxy(proxy) : NOTHING.secrets, process.env));
  }
  if (front !== null) {
    steps.push(...frontSteps(front, target, isSignedIn ? lookAtFront(front) : NOTHING.secrets));
  }
  console.log(`Deploying ${target.worker} to ${options.url ?? target.url}. This will:`);
  for (const [index, { says }] of allOf(steps, target, options).entries())
    console.log(`  ${index + 1}. ${says}`);
  if (!options.hasMetricsToken && !found.secrets.has(METRICS_TOKEN)) console.log(OPEN_METRICS);
  if (options.isDry) {
    if (problem !== null) console.log(`Before that, ${problem}.`);
    if (!isSignedIn) console.log("Nobody is signed in to Cloudflare, so the list is that of a first deploy.");
    for (const made of [one, front]) made?.write();
    for (const built of [one ?? { wrangler }, proxy, front]) if (built !== null) checkBuild(built.wrangler);
    console.log(`${builtText(proxy !== null, front !== null)} Nothing was changed.`);
    return;
  }
  if (problem !== null) throw new Complaint(problem);
  if (!isSignedIn) throw new Complaint("sign in first: npx wrangler login, or set CLOUDFLARE_API_TOKEN");
  await agree(options);
  for (const step of steps) {
    console.log(`… ${step.says}`);
    step.run();
  }
  const org = await finish(target, options);
  const served = one ?? proxy;
  if (org !== null && served !== null && !served.namesOrgs) serveFirstOrg(served.wrangler, org);
});

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

function checkBuild(wrangler: Wrangler): void {
  const folder = mkdtempSync(join(tmpdir(), "sluice-deploy-"));
  try {
    wrangler.run(["deploy", "--dry-run", "--outdir", folder]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function agree({ isAgreed }: DeployOptions): Promise<void> {
  if (isAgreed || !process.stdin.isTTY) return;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("Go on? [y/N] ");
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Complaint("nothing was changed");
}

/** The id of the first org. Null: it is not known. */
async function finish(target: Target, { url, org }: DeployOptions): Promise<string | null> {
  const base = url ?? target.url;
  await waitUntilHealthy(base);
  console.log(`${base} is healthy.`);
  const operatorKey = knownValues()["SVC_OPERATOR_KEY"];
  if (!operatorKey) {
    console.log("SVC_OPERATOR_KEY is not known on this machine, so no org was created.");
    return null;
  }
  const { id, key } = await firstOrg(base, operatorKey, org);
  console.log(
    key === null ? "There are orgs already." : `The owner key of ${JSON.stringify(org)}, shown once: ${key}`,
  );
  return id;
}
