/** Stands in for the wrangler command in a process of its own, with the account in a file. */
import { readFileSync, writeFileSync } from "node:fs";
import { type Account, wranglerStandIn } from "./wrangler-stand-in.ts";

const file = process.env["WRANGLER_ACCOUNT"] ?? "";
const account = JSON.parse(readFileSync(file, "utf8")) as Account;
const said = wranglerStandIn(account, process.argv.slice(2), readFileSync(0, "utf8"));
writeFileSync(file, JSON.stringify(account));
process.stdout.write(said.stdout);
process.stderr.write(said.stderr);
process.exitCode = said.isDone ? 0 : 1;
