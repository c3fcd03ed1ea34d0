import { readFileSync } from "node:fs";
import type { WranglerResult } from "../../scripts/deploy/wrangler.ts";

/** A Cloudflare account, and what its wrangler command was asked. */
export interface Account {
  isSignedIn: boolean;
  /** The jurisdiction of each by its name, "" for none. */
  databases: Record<string, string>;
  /** Each by its jurisdiction and name, such as `eu/files` and `/files`: both can exist. */
  buckets: string[];
  workers: Record<string, { secrets: Record<string, string>; exists: boolean; config?: object }>;
  calls: string[];
  failing?: string;
  ignoresJurisdictions?: boolean;
}

/** Those that `d1 create` of wrangler 4.116 takes. `r2` takes any text. */
const DATABASES_IN = ["", "eu", "fedramp"];

const done = (stdout = ""): WranglerResult => ({ isDone: true, stdout, stderr: "" });
const failed = (stderr: string): WranglerResult => ({ isDone: false, stdout: "", stderr });

/** Does in the account what the wrangler command would. */
export function wranglerStandIn(account: Account, given: readonly string[], input: string): WranglerResult {
  const at = given.indexOf("--config");
  const config = given[at + 1] ?? "";
  const isMade = config.endsWith("/wrangler.json");
  const made = isMade ? (JSON.parse(readFileSync(config, "utf8")) as { name: string }) : undefined;
  const named = made?.name ?? given[given.indexOf("--env") + 1];
  const environment = `${config.endsWith("/proxy/wrangler.toml") ? "proxy" : ""}${named}`;
  const args = given.slice(0, at);
  const command = args.join(" ");
  account.calls.push(`${command} @${environment}`);
  const worker = (account.workers[environment] ??= { secrets: {}, exists: false });
  if (account.failing !== undefined && command.startsWith(account.failing)) {
    return failed("the account is out of order");
  }
  const [what, does, name = "", bucket = ""] = args;
  const pinnedAt = args.indexOf("--jurisdiction");
  const jurisdiction = pinnedAt === -1 ? "" : (args[pinnedAt + 1] ?? "");
  if (what === "whoami") return account.isSignedIn ? done("{}") : failed("not authenticated");
  if (what === "deploy" && does !== "--dry-run") {
    worker.exists = true;
    if (made !== undefined) worker.config = made;
  }
  if (what === "d1" && does === "list") {
    const listed = Object.entries(account.databases).map(([one, pinned]) => ({
      name: one,
      uuid: `uuid-of-${one}`,
      jurisdiction: pinned || null,
    }));
    return done(JSON.stringify(listed));
  }
  if (what === "d1" && does === "create") {
    if (!DATABASES_IN.includes(jurisdiction)) return failed("Invalid values: jurisdiction");
    account.databases[name] = account.ignoresJurisdictions ? "" : jurisdiction;
  }
  if (what === "secret" && does === "list") {
    if (!worker.exists) return failed("This Worker does not exist on your account. [code: 10007]");
    return done(
      JSON.stringify(Object.keys(worker.secrets).map((one) => ({ name: one, type: "secret_text" }))),
    );
  }
  if (what === "secret" && does === "bulk") {
    Object.assign(worker.secrets, JSON.parse(input));
    worker.exists = true;
  }
  const path = `${jurisdiction}/${bucket}`;
  if (what === "r2" && name === "info" && !account.buckets.includes(path)) return failed("no such bucket");
  if (what === "r2" && name === "create") account.buckets.push(path);
  return done();
}
