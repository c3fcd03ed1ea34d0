import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { PROVIDERS } from "../../src/providers/table.ts";
import { Complaint } from "../complaint.ts";
import { STAND_IN_KEY } from "../stand-in/key.ts";
import type { Deploying, Step } from "./plan.ts";
import { secretsOf } from "./secrets.ts";
import type { Wrangler } from "./wrangler.ts";

const bindings = z.object({
  name: z.string().optional(),
  vars: z.record(z.string(), z.unknown()).default({}),
  services: z.array(z.object({ binding: z.string(), service: z.string() })).default([]),
});
const file = bindings.extend({ name: z.string(), env: z.record(z.string(), bindings).default({}) });

export const PROXY_CONFIG = "src/proxy/wrangler.toml";
export const ORGS = "PROXY_ORGS";
export const PROVIDER_KEYS: readonly string[] = Object.keys(PROVIDERS).map(
  (name) => `${name.toUpperCase()}_API_KEY`,
);

/** The governed proxy before the Worker of a target. */
export interface ProxyTarget {
  readonly worker: string;
  readonly wrangler: Wrangler;
  /** Whether its configuration names the orgs that it serves. */
  readonly namesOrgs: boolean;
}

/** Reads the proxy's own configuration, which stands beside the service's. It must reach the Worker that is deployed with it. */
export function readProxy({ wrangler, target, config }: Deploying): ProxyTarget {
  const path = join(dirname(config), PROXY_CONFIG);
  if (!existsSync(path)) throw new Complaint(`there is no ${path}: use --no-proxy to leave the proxy out`);
  const whole = file.parse(parse(readFileSync(path, "utf8")));
  const { environment } = target;
  const chosen = environment === "" ? whole : whole.env[environment];
  if (chosen === undefined) {
    throw new Complaint(
      `${PROXY_CONFIG} has no environment ${JSON.stringify(environment)}: add it, or use --no-proxy`,
    );
  }
  const bound = chosen.services.find(({ binding }) => binding === "SLUICE")?.service;
  if (bound !== target.worker && !(bound === undefined && chosen.vars["SLUICE_URL"])) {
    throw new Complaint(
      `the binding SLUICE in ${PROXY_CONFIG} reaches ${JSON.stringify(bound ?? "nothing")}: it must be ${JSON.stringify(target.worker)}, or left out with SLUICE_URL set`,
    );
  }
  return {
    worker: chosen.name ?? (environment === "" ? whole.name : `${whole.name}-${environment}`),
    wrangler: wrangler.at({ config: path, environment }),
    namesOrgs: Boolean(chosen.vars[ORGS]),
  };
}

/** The names of the keys that the proxy has. None if nobody is signed in. */
export function lookAtProxy({ wrangler }: ProxyTarget): ReadonlySet<string> {
  return new Set(secretsOf(wrangler) ?? []);
}

/** The keys of providers that the environment has. The stand-in's is what a start on this machine has, and no provider takes it. */
export function givenKeys(environment: NodeJS.ProcessEnv): readonly string[] {
  const given = PROVIDER_KEYS.filter((name) => environment[name]);
  const stoodIn = given.find((name) => environment[name] === STAND_IN_KEY);
  if (stoodIn === undefined) return given;
  throw new Complaint(
    `${stoodIn} is the key of the stand-in on this machine. Set it to the provider's own key, or unset it: unset ${stoodIn}`,
  );
}

/** A proxy that was never told whom it serves serves the first org. Until then it serves nobody. True: it was told now. */
export function serveFirstOrg(wrangler: Wrangler, id: string): boolean {
  if (secretsOf(wrangler)?.includes(ORGS) === true) return false;
  wrangler.run(["secret", "bulk"], JSON.stringify({ [ORGS]: id }));
  return true;
}

/** After the Worker, because its binding must reach one that exists. Keys that are in the environment replace earlier ones. */
export function proxySteps(
  { worker, wrangler }: ProxyTarget,
  found: ReadonlySet<string>,
  environment: NodeJS.ProcessEnv,
): Step[] {
  const given = givenKeys(environment);
  const hasKey = given.length > 0 || PROVIDER_KEYS.some((name) => found.has(name));
  const deploy: Step = {
    says: `deploy the proxy ${worker}${hasKey ? "" : `. It serves no provider until you run this again with the key of a provider in the environment, such as OPENAI_API_KEY`}`,
    run: () => void wrangler.run(["deploy"]),
  };
  if (given.length === 0) return [deploy];
  const values = Object.fromEntries(given.map((name) => [name, environment[name]]));
  return [
    {
      says: `set ${given.join(" and ")} of the proxy ${worker}, from the environment`,
      run: () => void wrangler.run(["secret", "bulk"], JSON.stringify(values)),
    },
    deploy,
  ];
}
