import { parseArgs } from "node:util";
import { join } from "node:path";
import { Complaint } from "../complaint.ts";
import { ROOT } from "../worker-config.ts";

export interface DeployOptions {
  /** The environment of wrangler.toml. Empty for the top level. */
  readonly environment: string;
  readonly isDry: boolean;
  /** Does not ask before it begins. */
  readonly isAgreed: boolean;
  readonly config: string;
  /** Deploys the governed proxy too. */
  readonly hasProxy: boolean;
  /** Deploys the front Worker too. */
  readonly hasFront: boolean;
  /** Makes a token that `/metrics` asks for. */
  readonly hasMetricsToken: boolean;
  /** Deploys the service and the governed proxy as one Worker, instead of two and the front Worker. */
  readonly isOneWorker: boolean;
  /** Where to reach what was deployed, if not at `SVC_BASE_URL`. */
  readonly url: string | null;
  /** The name of the first org. */
  readonly org: string;
}

/**
 * The options of `npm run deploy`. npm keeps options that come without `--` before them to itself, and hands them on in
 * the environment: `npm run deploy --dry-run` must never deploy. `--no-proxy` and `--no-front` leave an empty value there.
 * Cloudflare's own builds, which a deploy button starts, deploy one Worker.
 */
export function deployOptions(args: readonly string[], npm: NodeJS.ProcessEnv): DeployOptions {
  const { values } = parsed(args);
  const kept = npm["npm_config_env"];
  const isOneWorker =
    values["one-worker"] === true || npm["npm_config_one_worker"] === "true" || npm["WORKERS_CI"] === "1";
  return {
    environment: values.env ?? (kept === undefined || kept === "true" ? "" : kept),
    isDry: values["dry-run"] === true || npm["npm_config_dry_run"] === "true",
    isAgreed: values.yes === true || npm["npm_config_yes"] === "true",
    config: values.config ?? join(ROOT, "wrangler.toml"),
    hasProxy: !isOneWorker && values["no-proxy"] !== true && npm["npm_config_proxy"] !== "",
    hasFront: !isOneWorker && values["no-front"] !== true && npm["npm_config_front"] !== "",
    isOneWorker,
    hasMetricsToken: values["metrics-token"] === true || npm["npm_config_metrics_token"] === "true",
    url: values.url ?? null,
    org: values.org ?? "First org",
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        env: { type: "string" },
        "dry-run": { type: "boolean" },
        "no-proxy": { type: "boolean" },
        front: { type: "boolean" },
        "metrics-token": { type: "boolean" },
        "no-front": { type: "boolean" },
        "one-worker": { type: "boolean" },
        yes: { type: "boolean" },
        config: { type: "string" },
        url: { type: "string" },
        org: { type: "string" },
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Complaint(
      `${reason}\nUse: npm run deploy -- [--env NAME] [--dry-run] [--no-proxy] [--no-front] [--one-worker] [--metrics-token] [--yes] [--url URL] [--org NAME]`,
    );
  }
}
