#!/usr/bin/env node
/** Stands in for the wrangler command: keeps an account in a file, and records what it was asked. */
import { readFileSync, writeFileSync } from "node:fs";

const file = process.env.WRANGLER_ACCOUNT;
const account = JSON.parse(readFileSync(file, "utf8"));
const given = process.argv.slice(2);
const at = given.indexOf("--config");
const isProxy = given[at + 1].endsWith("/proxy/wrangler.toml");
const isFront = given[at + 1].endsWith("/wrangler.json");
const named = isFront
  ? JSON.parse(readFileSync(given[at + 1], "utf8")).name
  : given[given.indexOf("--env") + 1];
const environment = `${isProxy ? "proxy" : ""}${named}`;
const args = given.slice(0, at);
const input = readFileSync(0, "utf8");
account.calls.push(`${args.join(" ")} @${environment}`);
const worker = (account.workers[environment] ??= { secrets: {}, exists: false });
const [command] = args;
const said = {
  "d1 list": d1List,
  "d1 create": d1Create,
  "secret list": secretList,
  "secret bulk": secretBulk,
}[args.slice(0, 2).join(" ")];

let code = 0;
if (account.failing !== undefined && args.join(" ").startsWith(account.failing))
  fail("the account is out of order");
else if (said !== undefined) said();
else if (command === "whoami") whoami();
else if (command === "deploy" && !args.includes("--dry-run")) {
  worker.exists = true;
  if (isFront) worker.config = JSON.parse(readFileSync(given[at + 1], "utf8"));
} else if (command === "r2" && args[2] === "info" && !account.buckets.includes(args[3]))
  fail("no such bucket");
else if (command === "r2" && args[2] === "create") account.buckets.push(args[3]);
writeFileSync(file, JSON.stringify(account));
process.exitCode = code;

function d1List() {
  say(JSON.stringify(account.databases.map((name) => ({ name, uuid: `uuid-of-${name}` }))));
}

function d1Create() {
  account.databases.push(args[2]);
}

function secretList() {
  if (!worker.exists) return fail("This Worker does not exist on your account. [code: 10007]");
  say(JSON.stringify(Object.keys(worker.secrets).map((name) => ({ name, type: "secret_text" }))));
}

function secretBulk() {
  Object.assign(worker.secrets, JSON.parse(input));
  worker.exists = true;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  code = 1;
}

function whoami() {
  if (account.isSignedIn) say("{}");
  else fail("not authenticated");
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
