import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { z } from "zod";
import { Complaint } from "../complaint.ts";

const resources = z.object({
  name: z.string().optional(),
  vars: z.record(z.string(), z.unknown()).default({}),
  d1_databases: z.array(z.object({ database_name: z.string(), database_id: z.string() })).default([]),
  r2_buckets: z.array(z.object({ bucket_name: z.string(), jurisdiction: z.string().optional() })).default([]),
});
const file = resources.extend({
  name: z.string(),
  secrets: z.object({ required: z.array(z.string()).default([]) }).default({ required: [] }),
  env: z.record(z.string(), resources).default({}),
});

/** What one environment of wrangler.toml needs in the account. */
export interface Target {
  readonly environment: string;
  readonly worker: string;
  readonly url: string;
  /** Where the objects are pinned, so that the database and the buckets must be too. */
  readonly jurisdiction: string | null;
  readonly databases: readonly { readonly name: string; readonly id: string }[];
  readonly buckets: readonly { readonly name: string; readonly jurisdiction: string | null }[];
  readonly secrets: readonly string[];
  /** The environments that share their secrets with this one: the other regions. */
  readonly peers: readonly string[];
}

const PINNED_TO = /^jurisdiction:(.+)$/;

export function readTarget(config: string, environment: string): Target {
  const whole = file.parse(parse(readFileSync(config, "utf8")));
  const chosen = environment === "" ? whole : whole.env[environment];
  if (chosen === undefined) {
    const known = Object.keys(whole.env).map((name) => `--env ${name}`);
    throw new Complaint(
      `${config} has no environment ${JSON.stringify(environment)}. Use ${known.join(", ")} or none`,
    );
  }
  const regions = JSON.parse(text(chosen.vars["SVC_REGIONS"]) || "{}") as Record<string, unknown>;
  const isOneOfSeveral = Object.keys(regions).length > 0;
  return {
    environment,
    worker: chosen.name ?? (environment === "" ? whole.name : `${whole.name}-${environment}`),
    url: text(chosen.vars["SVC_BASE_URL"]),
    jurisdiction: PINNED_TO.exec(text(chosen.vars["SVC_OBJECT_PLACEMENT"]))?.[1] ?? null,
    databases: chosen.d1_databases.map((one) => ({ name: one.database_name, id: one.database_id })),
    buckets: chosen.r2_buckets.map((one) => ({
      name: one.bucket_name,
      jurisdiction: one.jurisdiction ?? null,
    })),
    secrets: [...whole.secrets.required, ...(isOneOfSeveral ? ["SVC_REGION_SECRET"] : [])],
    peers: isOneOfSeveral ? Object.keys(whole.env).filter((name) => name !== environment) : [],
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const LOCAL = /^(127\.|localhost$|\[::1\]$)|\.example$/;

/** Null if the address can be deployed to. */
export function addressProblem({ url, environment }: Target): string | null {
  const where = environment === "" ? "[vars]" : `[env.${environment}.vars]`;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol === "https:" && !LOCAL.test(parsed.hostname)) return null;
  return `SVC_BASE_URL in ${where} of wrangler.toml is ${JSON.stringify(url)}: set it, and SVC_DOCS_URL, to the https address that callers will use`;
}
