import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/worker-config.ts";
import { settingsOf } from "../../src/settings.ts";

interface Environment {
  vars: Record<string, string>;
  durable_objects: unknown;
  d1_databases: { binding: string; database_name: string; migrations_dir: string }[];
  r2_buckets: { binding: string; bucket_name: string; jurisdiction?: string }[];
  services: { binding: string; service: string }[];
}

interface Observed {
  readonly observability?: {
    readonly enabled: boolean;
    readonly logs?: { readonly invocation_logs: boolean };
  };
}

interface Proxy {
  vars: Record<string, string>;
  services: object[];
}

const proxy = parse(readFileSync(join(ROOT, "src/proxy/wrangler.toml"), "utf8")) as unknown as Proxy & {
  env: Record<string, Proxy>;
};
const config = parse(readFileSync(join(ROOT, "wrangler.toml"), "utf8")) as unknown as Environment & {
  name: string;
  env: Record<string, Environment>;
};
const secrets = {
  SVC_KEY_PEPPER: "p".repeat(32),
  SVC_OPERATOR_KEY: "o".repeat(32),
  SVC_REGION_SECRET: "r".repeat(32),
};

test.each([
  ["the service", config as Observed, Object.values(config.env) as Observed[]],
  ["the proxy", proxy as Observed, Object.values(proxy.env) as Observed[]],
])("%s logs its own lines, and none of the platform's for each call, in every region", (_, one, regions) => {
  expect(one.observability).toMatchObject({ enabled: true, logs: { invocation_logs: false } });
  // Wrangler inherits the table, unless a region has its own.
  for (const { observability = one.observability } of regions)
    expect(observability).toEqual(one.observability);
});

describe.each(Object.entries(config.env))("the deployed region %s", (region, environment) => {
  test("has its own copy of every binding and setting of the local Worker", () => {
    expect(environment.durable_objects).toEqual(config.durable_objects);
    expect(Object.keys(environment.vars).sort()).toEqual(Object.keys(config.vars).sort());
    expect(environment.d1_databases).toMatchObject([
      { binding: "DB", database_name: `${config.name}-${region}`, migrations_dir: "migrations" },
    ]);
    const [bucket] = config.r2_buckets;
    expect(environment.r2_buckets).toMatchObject([
      { binding: "ARCHIVE", bucket_name: `${bucket?.bucket_name}-${region}` },
    ]);
  });

  test("knows itself, is placed, and reaches every other region through an existing binding", () => {
    const settings = settingsOf({ ...environment.vars, ...secrets });
    expect(settings.SVC_REGION).toBe(region);
    expect(environment.vars["SVC_OBJECT_PLACEMENT"]).toBe(`jurisdiction:${region}`);
    expect(environment.r2_buckets.map(({ jurisdiction }) => jurisdiction)).toEqual([region]);
    const others = Object.keys(config.env).filter((other) => other !== region);
    expect(Object.keys(settings.SVC_REGIONS)).toEqual(others);
    expect(environment.services).toEqual(
      others.map((other) => ({ binding: settings.SVC_REGIONS[other], service: `${config.name}-${other}` })),
    );
  });

  test("has a proxy that reaches its own service, with the same settings as the one without a region", () => {
    expect(proxy.env[region]).toEqual({
      vars: proxy.vars,
      services: [{ binding: "SLUICE", service: `${config.name}-${region}`, entrypoint: "Gate" }],
    });
  });
});
