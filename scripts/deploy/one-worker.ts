import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { Complaint } from "../complaint.ts";
import { ASSETS } from "../reference/assets.ts";
import { ONE_WORKER, ROOT } from "../worker-config.ts";
import type { Deploying, Step } from "./plan.ts";
import { givenKeys, PROXY_CONFIG } from "./proxy.ts";
import type { Wrangler } from "./wrangler.ts";

const database = z.looseObject({ database_id: z.string().optional() });
const own = z.looseObject({
  vars: z.record(z.string(), z.unknown()).default({}),
  d1_databases: z.array(database).default([]),
});
const service = own.extend({ env: z.record(z.string(), own).default({}) });
const proxyVariables = z.object({
  compatibility_flags: z.array(z.string()).default([]),
  vars: z.record(z.string(), z.unknown()).default({}),
});

/** Stands where an id is to be written. */
const NO_ID = /^[0-]+$/;

/** The service and the governed proxy as one Worker. */
export interface OneWorker {
  readonly wrangler: Wrangler;
  /** Whether its configuration names the orgs that its proxy serves. */
  readonly namesOrgs: boolean;
  /** Writes its configuration, which is made of the two others and follows them. */
  readonly write: () => void;
}

export function readOneWorker({ wrangler, target, config, folder }: Deploying): OneWorker {
  if (target.environment !== "") throw new Complaint("--one-worker is for one region: leave out --env");
  const path = join(folder, "wrangler.json");
  return {
    wrangler: wrangler.at({ config: path, environment: "" }),
    namesOrgs: Boolean((configOf(config) as { vars: { PROXY_ORGS?: string } }).vars.PROXY_ORGS),
    write: () => writeFileSync(path, JSON.stringify(configOf(config), null, 2)),
  };
}

function configOf(config: string): object {
  const { env: _, ...whole } = service.parse(parse(readFileSync(config, "utf8")));
  const proxy = proxyVariables.parse(parse(readFileSync(join(dirname(config), PROXY_CONFIG), "utf8")));
  const flags = new Set([
    ...z.array(z.string()).parse(whole["compatibility_flags"]),
    ...proxy.compatibility_flags,
  ]);
  return {
    ...whole,
    main: join(ROOT, ONE_WORKER),
    compatibility_flags: [...flags],
    vars: { ...proxy.vars, ...whole.vars },
    // A database without an id is made by the deploy, or found by its name.
    d1_databases: whole.d1_databases.map(({ database_id: id, ...rest }) => ({
      ...rest,
      migrations_dir: join(ROOT, "migrations"),
      ...(id === undefined || NO_ID.test(id) ? {} : { database_id: id }),
    })),
    assets: { ...z.looseObject({}).parse(whole["assets"]), directory: ASSETS },
  };
}

/** In place of the deploy of the Worker: the same name, objects, database and secrets, with the providers' keys beside them. */
export function oneWorkerSteps(
  { wrangler, write }: OneWorker,
  { target: { worker }, env }: Deploying,
): Step[] {
  const given = givenKeys(env);
  const values = Object.fromEntries(given.map((name) => [name, env[name]]));
  const deploy: Step = {
    says: `deploy the Worker ${worker}, which is the service and the governed proxy (/openai and /anthropic)`,
    run: () => {
      write();
      wrangler.run(["deploy"]);
    },
  };
  if (given.length === 0) return [deploy];
  const put: Step = {
    says: `set ${given.join(" and ")} of ${worker}, from the environment`,
    run: () => {
      write();
      wrangler.run(["secret", "bulk"], JSON.stringify(values));
    },
  };
  return [deploy, put];
}
