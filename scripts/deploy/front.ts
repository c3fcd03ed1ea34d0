import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { Complaint } from "../complaint.ts";
import { FRONT, ROOT } from "../worker-config.ts";
import { type Deploying, knownValues, type Step } from "./plan.ts";
import { secretsOf } from "./secrets.ts";
import type { Target } from "./target.ts";
import type { Wrangler } from "./wrangler.ts";

/** What the front Worker shares with the one behind it. */
const shared = z.object({
  vars: z.record(z.string(), z.unknown()).default({}),
  services: z.array(z.record(z.string(), z.unknown())).default([]),
  d1_databases: z.array(z.record(z.string(), z.unknown())).default([]),
  durable_objects: z.object({ bindings: z.array(z.record(z.string(), z.unknown())) }),
});
const file = shared.extend({
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()).default([]),
  minify: z.boolean().optional(),
  observability: z.unknown(),
  env: z.record(z.string(), shared).default({}),
});

/** The front Worker before the Worker of a target. */
export interface FrontTarget {
  readonly worker: string;
  readonly wrangler: Wrangler;
  /** Writes its configuration, which is made of the other Worker's and follows it. */
  readonly write: () => void;
}

export function readFront({ wrangler, target, config, folder }: Deploying): FrontTarget {
  const path = join(folder, "wrangler.json");
  const worker = `${target.worker}-front`;
  return {
    worker,
    wrangler: wrangler.at({ config: path, environment: "" }),
    write: () => writeFileSync(path, JSON.stringify(configOf(config, target, worker), null, 2)),
  };
}

function configOf(config: string, { environment, worker: behind }: Target, name: string): object {
  const whole = file.parse(parse(readFileSync(config, "utf8")));
  const chosen = environment === "" ? whole : whole.env[environment];
  if (chosen === undefined)
    throw new Complaint(`${config} has no environment ${JSON.stringify(environment)}`);
  const { compatibility_date, compatibility_flags, minify, observability } = whole;
  return {
    name,
    main: join(ROOT, FRONT),
    compatibility_date,
    compatibility_flags,
    minify,
    observability,
    vars: chosen.vars,
    services: [...chosen.services, { binding: "REST", service: behind, entrypoint: "Rest" }],
    d1_databases: chosen.d1_databases,
    durable_objects: {
      bindings: chosen.durable_objects.bindings.map((one) => ({ ...one, script_name: behind })),
    },
  };
}

/** After the Worker behind it. It decides about the same keys, so it has the same secrets. */
export function frontSteps(
  { worker, wrangler, write }: FrontTarget,
  { target, env }: Deploying,
  found: ReadonlySet<string>,
): Step[] {
  const missing = target.secrets.filter((name) => !found.has(name));
  const deploy: Step = {
    says: `deploy the front Worker ${worker}. Give it the route or custom domain: it hands on to ${target.worker} what it does not decide`,
    run: () => {
      write();
      wrangler.run(["deploy"]);
    },
  };
  if (missing.length === 0) return [deploy];
  const put: Step = {
    says: `set ${missing.join(", ")} of the front Worker ${worker}, as ${target.worker} has them`,
    run: () => {
      write();
      wrangler.run(["secret", "bulk"], JSON.stringify(known(missing, target.worker, env)));
    },
  };
  return [put, deploy];
}

/** A secret that differs from the other Worker's would refuse every key, so none is made here. */
function known(names: readonly string[], behind: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const values = knownValues(env);
  const unknown = names.filter((name) => !values[name]);
  if (unknown.length > 0) {
    throw new Complaint(
      `${behind} has ${unknown.join(" and ")}, and this machine does not know ${unknown.length === 1 ? "it" : "them"}. Run this again with ${unknown.length === 1 ? "it" : "them"} set in the environment, or with --no-front`,
    );
  }
  return Object.fromEntries(names.map((name) => [name, values[name] ?? ""]));
}

/** The names of the secrets that it has. None if nobody is signed in. */
export function lookAtFront({ wrangler, write }: FrontTarget): ReadonlySet<string> {
  write();
  return new Set(secretsOf(wrangler) ?? []);
}
