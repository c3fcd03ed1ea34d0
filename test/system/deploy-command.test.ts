import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Complaint } from "../../scripts/complaint.ts";
import { deploy, type Machine } from "../../scripts/deploy/command.ts";
import { ROOT } from "../../scripts/worker-config.ts";
import { inherited } from "../support/environment.ts";
import { runScript } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Account, wranglerStandIn } from "../support/wrangler-stand-in.ts";

/** `npm run deploy`, with a stand-in for wrangler and for what was deployed. */

const OWNER_KEY = "svc_live_owner-key-of-the-first-org";

const FIRST_ORG = { id: "org_01ARZ3NDEKTSV4RRFFQ69G5FAV" };

interface Platform {
  readonly server: Server;
  readonly url: string;
  readonly orgs: { id: string }[];
  readonly bearers: Set<string | undefined>;
}

let platform: Platform;
beforeAll(async () => {
  const orgs: { id: string }[] = [];
  const bearers = new Set<string | undefined>();
  const server = createServer((request, response) => {
    if (request.url !== "/healthz") bearers.add(request.headers.authorization);
    const isNew = request.method === "POST" && orgs.push(FIRST_ORG) > 0;
    response
      .writeHead(isNew ? 201 : 200)
      .end(JSON.stringify(isNew ? { org: FIRST_ORG, owner_key: OWNER_KEY } : { data: orgs }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  platform = { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, orgs, bearers };
});
afterAll(() => void platform.server.close());

/** A machine from which nothing was deployed yet, and an account. */
function machine(account: Partial<Account> = {}, address = "https://api.acme.dev") {
  const folder = temporaryFolder();
  const config = join(folder, "wrangler.toml");
  copyFileSync(join(ROOT, "wrangler.toml"), config);
  const proxyConfig = join(folder, "src/proxy/wrangler.toml");
  mkdirSync(join(folder, "src/proxy"), { recursive: true });
  copyFileSync(join(ROOT, "src/proxy/wrangler.toml"), proxyConfig);
  const text = readFileSync(config, "utf8")
    .replace('SVC_BASE_URL = "http://127.0.0.1:8787"', `SVC_BASE_URL = "${address}"`)
    .replaceAll(".sluice.example", ".acme.dev");
  writeFileSync(config, text);
  const known: Account = { isSignedIn: true, databases: {}, buckets: [], workers: {}, calls: [], ...account };
  const secretsFile = join(folder, "kept/secrets.env");
  return {
    config,
    proxyConfig,
    secretsFile,
    account: () => structuredClone(known),
    change: (changed: Partial<Account>) => void Object.assign(known, changed),
    deploy: (args: readonly string[], environment: Record<string, string> = {}, ask: Machine["ask"] = null) =>
      deployHere([...args, "--config", config], {
        env: { ...inherited(), SLUICE_DEPLOY_SECRETS: secretsFile, ...environment },
        command: (given, input) => wranglerStandIn(known, given, input),
        ask,
      }),
  };
}

async function deployHere(args: readonly string[], using: Omit<Machine, "say">) {
  const lines: string[] = [];
  try {
    await deploy(args, { ...using, say: (line) => void lines.push(line) });
    return { code: 0, output: lines.join("\n") };
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    return { code: 1, output: [...lines, error.message].join("\n") };
  }
}

const changing = ({ calls }: Account) =>
  calls.filter((one) => !/^(whoami|d1 list|secret list|r2 bucket info)/.test(one));

test("a first deploy makes everything, says so first, and prints the first key and no secret", async () => {
  const here = machine();
  platform.orgs.length = 0;
  const { code, output } = await here.deploy(["--url", platform.url]);
  expect([code, output]).toEqual([0, expect.stringContaining(OWNER_KEY)]);
  expect(changing(here.account()).map((one) => one.replace(/ @$/, ""))).toEqual([
    "d1 create sluice",
    "r2 bucket create sluice-archive",
    "secret bulk",
    "d1 migrations apply sluice --remote",
    "deploy",
    "deploy @proxy",
    "secret bulk @sluice-front",
    "deploy @sluice-front",
    "secret bulk @proxy",
  ]);
  expect(here.account().workers["proxy"]?.secrets).toEqual({ PROXY_ORGS: FIRST_ORG.id });
  expect(readFileSync(here.config, "utf8")).toContain('database_id = "uuid-of-sluice"');
  const secrets = here.account().workers[""]?.secrets ?? {};
  expect(Object.keys(secrets).sort()).toEqual(["SVC_KEY_PEPPER", "SVC_OPERATOR_KEY"]);
  for (const value of Object.values(secrets)) {
    expect(value.length).toBeGreaterThanOrEqual(43);
    expect(output).not.toContain(value);
    expect(here.account().calls.join("\n")).not.toContain(value);
    expect(readFileSync(here.secretsFile, "utf8")).toContain(value);
  }
  expect(statSync(here.secretsFile).mode & 0o077).toBe(0);
  expect(platform.bearers).toContain(`Bearer ${secrets["SVC_OPERATOR_KEY"]}`);
  expect(output.indexOf("create D1 database sluice")).toBeLessThan(output.indexOf("…"));
});

test("a process of its own runs wrangler, and ends with status 1 and the words of a refusal", async () => {
  const folder = temporaryFolder();
  const [account, wrangler] = [join(folder, "account.json"), join(folder, "wrangler")];
  writeFileSync(account, JSON.stringify(machine().account()));
  const standIn = join(ROOT, "test/support/wrangler-process.ts");
  writeFileSync(wrangler, `#!/bin/sh\nexec "${process.execPath}" "${standIn}" "$@"\n`, { mode: 0o700 });
  const { config, secretsFile } = machine();
  const environment = {
    SLUICE_WRANGLER: wrangler,
    SLUICE_DEPLOY_SECRETS: secretsFile,
    WRANGLER_ACCOUNT: account,
  };
  const args = ["--no-proxy", "--no-front", "--config", config, "--url", platform.url];
  const made = runScript("deploy.ts", args, environment);
  expect([await made.ended, made.stderr()]).toEqual([0, ""]);
  expect(made.stdout()).toContain("is healthy.");
  const { calls, workers } = JSON.parse(readFileSync(account, "utf8")) as Account;
  expect(calls).toContain("deploy @");
  const secrets = Object.values(workers[""]?.secrets ?? {});
  expect(secrets).toHaveLength(2);
  for (const value of secrets) expect(made.stdout() + calls.join()).not.toContain(value);
  const refused = runScript("deploy.ts", ["--force"], environment);
  expect([await refused.ended, refused.stderr()]).toEqual([1, expect.stringMatching(/^sluice: .*--force/)]);
});

test.for([
  ["y", 0, ["deploy @"]],
  ["", 1, []],
] as const)("someone who is asked decides: %o", async ([answer, status, deployed]) => {
  const here = machine();
  const { code } = await here.deploy(
    ["--no-proxy", "--no-front", "--url", platform.url],
    {},
    async () => answer,
  );
  expect([code, changing(here.account()).filter((one) => one.startsWith("deploy"))]).toEqual([
    status,
    deployed,
  ]);
  if (status === 1) expect(changing(here.account())).toEqual([]);
});

test("says what /metrics shows to anyone, and makes the token that closes it if asked to", async () => {
  const here = machine();
  const open = await here.deploy(["--url", platform.url]);
  expect(open.output).toMatch(/anyone can read \/metrics: .*dollars.*--metrics-token/);
  const closed = await here.deploy(["--url", platform.url, "--metrics-token"]);
  const { secrets = {} } = here.account().workers[""] ?? {};
  expect([closed.code, secrets["SVC_METRICS_TOKEN"]?.length]).toEqual([0, expect.any(Number)]);
  expect(closed.output).not.toContain("anyone can read");
  expect(closed.output).not.toContain(secrets["SVC_METRICS_TOKEN"]);
  const again = await here.deploy(["--url", platform.url]);
  expect(again.output).not.toContain("anyone can read");
  expect(here.account().workers[""]?.secrets).toEqual(secrets);
});

test("a second deploy only migrates and deploys", async () => {
  const here = machine();
  await here.deploy(["--url", platform.url]);
  const config = readFileSync(here.config, "utf8");
  const { secrets } = here.account().workers[""] ?? {};
  here.change({ calls: [] });
  const { code, output } = await here.deploy(["--url", platform.url]);
  expect([code, output]).toEqual([0, expect.stringContaining("There are orgs already.")]);
  expect(changing(here.account())).toEqual([
    "d1 migrations apply sluice --remote @",
    "deploy @",
    "deploy @proxy",
    "deploy @sluice-front",
  ]);
  expect(readFileSync(here.config, "utf8")).toBe(config);
  expect(here.account().workers[""]?.secrets).toEqual(secrets);
});

test.for([
  [["--dry-run"], {}],
  [[], { npm_config_dry_run: "true" }],
] as const)("a dry run changes nothing, with options %o and %o", async ([args, environment]) => {
  const here = machine({ isSignedIn: false }, "http://127.0.0.1:8787");
  const config = readFileSync(here.config, "utf8");
  const { code, output } = await here.deploy(args, environment);
  expect([code, output]).toEqual([0, expect.stringContaining("Nothing was changed.")]);
  expect(output).toContain("create D1 database sluice");
  expect(output).toContain("SVC_BASE_URL in [vars] of wrangler.toml");
  expect(output).toContain("Nobody is signed in");
  expect(output).toContain("deploy the proxy sluice-proxy. It serves no provider until");
  expect(here.account().calls).toEqual([
    "whoami --json @",
    expect.stringMatching(/^deploy --dry-run .* @$/),
    expect.stringMatching(/^deploy --dry-run .* @proxy$/),
    expect.stringMatching(/^deploy --dry-run .* @sluice-front$/),
  ]);
  expect(readFileSync(here.config, "utf8")).toBe(config);
  expect(existsSync(here.secretsFile)).toBe(false);
});

test.for([
  [{ isSignedIn: false }, "https://api.acme.dev", "sign in first"],
  [{}, "http://127.0.0.1:8787", "SVC_BASE_URL in [vars]"],
  [{}, "http://api.acme.dev", "SVC_BASE_URL in [vars]"],
] as const)(
  "without an account or an address nothing is changed: %o at %s",
  async ([account, address, reason]) => {
    const here = machine(account, address);
    const { code, output } = await here.deploy(["--url", platform.url]);
    expect([code, output]).toEqual([1, expect.stringContaining(reason)]);
    expect(changing(here.account())).toEqual([]);
  },
);

test("regions share their secrets, and their storage is made in their jurisdiction", async () => {
  const here = machine();
  await here.deploy(["--env", "eu", "--url", platform.url]);
  const unable = await here.deploy(["--env", "us", "--url", platform.url]);
  expect([unable.code, unable.output]).toEqual([
    1,
    expect.stringContaining("npx wrangler@4.121.0 d1 create sluice-us --jurisdiction us"),
  ]);
  expect(here.account().calls).not.toContain("deploy @us");
  here.change({ databases: { ...here.account().databases, "sluice-us": "us" } });
  expect((await here.deploy(["--env", "us", "--url", platform.url])).code).toBe(0);
  const { eu, us } = here.account().workers;
  expect(eu?.secrets).toHaveProperty("SVC_REGION_SECRET");
  expect(us?.secrets).toEqual(eu?.secrets);
  expect(here.account().databases).toEqual({ "sluice-eu": "eu", "sluice-us": "us" });
  expect(here.account().buckets).toEqual(["eu/sluice-archive-eu", "us/sluice-archive-us"]);
  expect(readFileSync(here.config, "utf8")).toContain('database_id = "uuid-of-sluice-us"');
});

const PINNED_US = { databases: { "sluice-us": "us" }, buckets: ["us/sluice-archive-us"] };

test.for<[string, Partial<Account>, readonly [string, string], string]>([
  [
    "a bucket without a jurisdiction in wrangler.toml",
    PINNED_US,
    ['jurisdiction = "us"\n', ""],
    'R2 bucket sluice-archive-us is pinned to nothing: set jurisdiction = "us" in [[env.us.r2_buckets]]',
  ],
  [
    "a bucket in another jurisdiction",
    PINNED_US,
    ['jurisdiction = "us"\n', 'jurisdiction = "eu"\n'],
    "R2 bucket sluice-archive-us is pinned to eu",
  ],
  [
    "a bucket that exists without a jurisdiction",
    { ...PINNED_US, buckets: ["/sluice-archive-us"] },
    ["", ""],
    "the account has R2 bucket sluice-archive-us without a jurisdiction",
  ],
  [
    "a database that exists without a jurisdiction",
    { ...PINNED_US, databases: { "sluice-us": "" } },
    ["", ""],
    "D1 database sluice-us is pinned to nothing",
  ],
  [
    "a database in another jurisdiction",
    { ...PINNED_US, databases: { "sluice-us": "eu" } },
    ["", ""],
    "D1 database sluice-us is pinned to eu",
  ],
])("objects in a jurisdiction are not deployed with %s", async ([, account, [from, to], reason]) => {
  const here = machine(account);
  writeFileSync(here.config, readFileSync(here.config, "utf8").replace(from, to));
  const { code, output } = await here.deploy(["--env", "us", "--url", platform.url]);
  expect([code, output]).toEqual([1, expect.stringContaining(reason)]);
  expect(changing(here.account())).toEqual([]);
  const dry = await here.deploy(["--env", "us", "--dry-run"]);
  expect([dry.code, dry.output]).toEqual([0, expect.stringContaining("Before that, SVC_OBJECT_PLACEMENT")]);
});

test("a bucket of the same name outside the jurisdiction is no hindrance beside the pinned one", async () => {
  const here = machine({ ...PINNED_US, buckets: [...PINNED_US.buckets, "/sluice-archive-us"] });
  expect((await here.deploy(["--env", "us", "--url", platform.url])).code).toBe(0);
});

test("a database that was created without the jurisdiction that was asked for is not used", async () => {
  const here = machine({ ignoresJurisdictions: true });
  const { code, output } = await here.deploy(["--env", "eu", "--url", platform.url]);
  expect([code, output]).toEqual([1, expect.stringContaining("D1 database sluice-eu is pinned to nothing")]);
  expect(here.account().calls).not.toContain("deploy @eu");
});

test("a secret that only another region knows is never made anew", async () => {
  const here = machine({
    databases: { "sluice-us": "us" },
    workers: { eu: { exists: true, secrets: { SVC_KEY_PEPPER: "kept elsewhere" } } },
  });
  const { code, output } = await here.deploy(["--env", "us", "--url", platform.url]);
  expect([code, output]).toEqual([1, expect.stringContaining("region eu has SVC_KEY_PEPPER")]);
  expect(here.account().workers["us"]?.secrets).toEqual({});
  const pepper = { SVC_KEY_PEPPER: "the same pepper, set in the environment" };
  expect((await here.deploy(["--env", "us", "--url", platform.url], pepper)).code).toBe(0);
  expect(here.account().workers["us"]?.secrets).toMatchObject(pepper);
});

test("a machine that is thrown away makes no secrets", async () => {
  const here = machine();
  const { code, output } = await here.deploy(["--url", platform.url], { CI: "true" });
  expect([code, output]).toEqual([1, expect.stringContaining("would be made here and lost")]);
  expect(here.account().calls).not.toContain("deploy @");
});

test("a command that fails ends the deploy with its own words", async () => {
  const here = machine({ failing: "d1 migrations" });
  const { code, output } = await here.deploy(["--url", platform.url]);
  expect([code, output]).toEqual([1, expect.stringContaining("the account is out of order")]);
  expect(here.account().calls).not.toContain("deploy @");
});

test("an unknown environment or option is named", async () => {
  const here = machine();
  expect((await here.deploy(["--env", "mars"])).output).toContain("--env eu, --env us or none");
  expect((await here.deploy(["--force"])).output).toContain("npm run deploy --");
});

test("keys of providers that are in the environment go to the proxy alone, unseen", async () => {
  const here = machine();
  const keys = { OPENAI_API_KEY: "sk-openai-unseen", ANTHROPIC_API_KEY: "" };
  const args = ["--env", "eu", "--no-front", "--url", platform.url];
  const { code, output } = await here.deploy(args, keys);
  expect([code, output]).toEqual([
    0,
    expect.stringContaining("set OPENAI_API_KEY of the proxy sluice-proxy-eu"),
  ]);
  expect(here.account().workers["proxyeu"]?.secrets).toEqual({
    OPENAI_API_KEY: keys.OPENAI_API_KEY,
    PROXY_ORGS: FIRST_ORG.id,
  });
  expect(here.account().workers["eu"]?.secrets).not.toHaveProperty("OPENAI_API_KEY");
  expect(output + here.account().calls.join()).not.toContain(keys.OPENAI_API_KEY);
  expect(changing(here.account()).slice(-4)).toEqual([
    "deploy @eu",
    "secret bulk @proxyeu",
    "deploy @proxyeu",
    "secret bulk @proxyeu",
  ]);
  const { output: again } = await here.deploy(["--env", "eu", "--dry-run"]);
  expect(again).toMatch(/deploy the proxy sluice-proxy-eu$/m);
});

test.for([
  [["--no-proxy"], {}],
  [[], { npm_config_proxy: "" }],
] as const)("the proxy is left out on demand, with options %o and %o", async ([args, environment]) => {
  const here = machine();
  writeFileSync(here.proxyConfig, "");
  const { code, output } = await here.deploy([...args, "--url", platform.url], environment);
  expect([code, output]).toEqual([0, expect.not.stringContaining("proxy")]);
  expect(changing(here.account()).slice(-3)).toEqual([
    "deploy @",
    "secret bulk @sluice-front",
    "deploy @sluice-front",
  ]);
});

test.for([
  ['service = "sluice-eu"', 'service = "sluice"', 'reaches "sluice": it must be "sluice-eu"'],
  ["env.eu.", "env.mars.", 'no environment "eu": add it, or use --no-proxy'],
] as const)(
  "a proxy that does not belong to the Worker is named first: %s → %s",
  async ([from, to, reason]) => {
    const here = machine();
    writeFileSync(here.proxyConfig, readFileSync(here.proxyConfig, "utf8").replaceAll(from, to));
    const { code, output } = await here.deploy(["--env", "eu", "--url", platform.url]);
    expect([code, output]).toEqual([1, expect.stringContaining(reason)]);
    expect(here.account().calls).toEqual([]);
  },
);

test("the front Worker has the secrets, settings and database of the one behind it, and its objects", async () => {
  const here = machine();
  const { code, output } = await here.deploy(["--env", "eu", "--url", platform.url]);
  expect([code, output]).toEqual([0, expect.stringContaining("deploy the front Worker sluice-eu-front")]);
  expect(changing(here.account()).slice(-4)).toEqual([
    "deploy @proxyeu",
    "secret bulk @sluice-eu-front",
    "deploy @sluice-eu-front",
    "secret bulk @proxyeu",
  ]);
  const { eu, "sluice-eu-front": front } = here.account().workers;
  expect(Object.keys(eu?.secrets ?? {})).toHaveLength(3);
  expect(front?.secrets).toEqual(eu?.secrets);
  for (const value of Object.values(front?.secrets ?? {})) expect(output).not.toContain(value);
  expect(front?.config).toMatchObject({
    vars: { SVC_REGION: "eu", SVC_BASE_URL: "https://eu.acme.dev" },
    services: [
      { binding: "REGION_US", service: "sluice-us" },
      { binding: "REST", service: "sluice-eu", entrypoint: "Rest" },
    ],
    d1_databases: [{ binding: "DB", database_id: "uuid-of-sluice-eu" }],
    durable_objects: {
      bindings: [
        { name: "ORG", class_name: "OrgObject", script_name: "sluice-eu" },
        { name: "REGISTRY", script_name: "sluice-eu" },
        { name: "COUNTERS", script_name: "sluice-eu" },
      ],
    },
  });
  here.change({ calls: [] });
  await here.deploy(["--env", "eu", "--url", platform.url], { npm_config_front: "true" });
  expect(changing(here.account()).at(-2)).toBe("deploy @proxyeu");
  expect(changing(here.account()).at(-1)).toBe("deploy @sluice-eu-front");
});

test("the front Worker gets no secret that differs from the one behind it", async () => {
  const kept = { SVC_KEY_PEPPER: "kept elsewhere", SVC_OPERATOR_KEY: "kept elsewhere too" };
  const here = machine({ workers: { "": { exists: true, secrets: kept } } });
  const { code, output } = await here.deploy(["--url", platform.url]);
  expect([code, output]).toEqual([1, expect.stringContaining("this machine does not know them")]);
  expect(here.account().workers["sluice-front"]?.secrets ?? {}).toEqual({});
  expect(here.account().calls).not.toContain("deploy @sluice-front");
});

test.for([
  [["--no-front"], {}],
  [[], { npm_config_front: "" }],
] as const)("the front Worker is left out on demand, with options %o and %o", async ([args, environment]) => {
  const here = machine();
  const { code, output } = await here.deploy([...args, "--url", platform.url], environment);
  expect([code, output]).toEqual([0, expect.not.stringContaining("front")]);
  expect(changing(here.account()).slice(-2)).toEqual(["deploy @proxy", "secret bulk @proxy"]);
});

test.for([[[]], [["--one-worker"]], [["--dry-run"]]] as const)(
  "the key of the stand-in on this machine is never deployed, with options %o",
  async ([args]) => {
    const here = machine();
    const { code, output } = await here.deploy([...args, "--url", platform.url], {
      OPENAI_API_KEY: "sk-stand-in",
    });
    expect([code, output]).toEqual([1, expect.stringContaining("OPENAI_API_KEY is the key of the stand-in")]);
    expect(changing(here.account())).toEqual([]);
  },
);

test.for([
  [["--one-worker"], {}],
  [[], { WORKERS_CI: "1" }],
] as const)(
  "service and proxy are one Worker on demand, with options %o and %o",
  async ([args, environment]) => {
    const here = machine();
    const keys = { ANTHROPIC_API_KEY: "sk-anthropic-unseen" };
    const { code, output } = await here.deploy([...args, "--url", platform.url], { ...environment, ...keys });
    expect([code, output]).toEqual([
      0,
      expect.stringContaining("which is the service and the governed proxy"),
    ]);
    expect(output).not.toContain(keys.ANTHROPIC_API_KEY);
    expect(changing(here.account()).slice(-4)).toEqual([
      "d1 migrations apply sluice --remote @",
      "deploy @sluice",
      "secret bulk @sluice",
      "secret bulk @sluice",
    ]);
    const { "": split, sluice: one } = here.account().workers;
    expect(Object.keys(split?.secrets ?? {}).sort()).toEqual(["SVC_KEY_PEPPER", "SVC_OPERATOR_KEY"]);
    expect(one?.secrets).toEqual({ ...keys, PROXY_ORGS: FIRST_ORG.id });
    expect(one?.config).toMatchObject({
      name: "sluice",
      main: join(ROOT, "src/one-worker.ts"),
      compatibility_flags: expect.arrayContaining(["nodejs_compat", "enable_request_signal"]),
      vars: {
        SVC_BASE_URL: "https://api.acme.dev",
        OPENAI_URL: "https://api.openai.com",
        PROXY_KEY_FIELDS: expect.any(String),
      },
      d1_databases: [{ binding: "DB", database_id: "uuid-of-sluice" }],
    });
    expect(one?.config).not.toHaveProperty("env");
  },
);

test("one Worker is for one region", async () => {
  const { code, output } = await machine().deploy(["--one-worker", "--env", "eu"]);
  expect([code, output]).toEqual([1, expect.stringContaining("leave out --env")]);
});
