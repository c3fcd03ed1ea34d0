/** `npm run tail -- <trace id> [--remote [--env name] [--proxy]]`: what was logged about one request. */
import { spawn, spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Complaint, run } from "./complaint.ts";
import { dataFolderPath } from "./data-folder.ts";
import { logFiles } from "./logfile.ts";
import { ROOT } from "./worker-config.ts";

/** The lines of served requests are written together, up to a fifth of a second after the answer. */
const UNTIL_WRITTEN_MS = 500;

await run(async () => {
  const { values, positionals } = parseArgs({
    options: {
      remote: { type: "boolean", default: false },
      env: { type: "string", default: "" },
      proxy: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const [traceId] = positionals;
  if (traceId === undefined) throw new Complaint("usage: npm run tail -- <trace id> [--remote [--proxy]]");
  await (values.remote ? followRemote(traceId, values) : searchLocal(traceId));
});

const PROXY_CONFIG = "src/proxy/wrangler.toml";

async function searchLocal(traceId: string): Promise<void> {
  const log = join(dataFolderPath(process.env), "sluice.log");
  if (await printLines(log, traceId)) return;
  await sleep(UNTIL_WRITTEN_MS);
  if (!(await printLines(log, traceId))) throw new Complaint(`no request with trace id ${traceId} in ${log}`);
}

async function printLines(log: string, traceId: string): Promise<boolean> {
  let isFound = false;
  for (const file of logFiles(log)) {
    for await (const line of createInterface(createReadStream(file))) {
      if (!line.includes(traceId)) continue;
      isFound = true;
      console.log(line);
    }
  }
  return isFound;
}

/** Cloudflare keeps no past lines for `wrangler tail`, so this waits for the request, until Ctrl-C. */
async function followRemote(traceId: string, { env, proxy }: { env: string; proxy: boolean }): Promise<void> {
  const complete = spawnSync(process.execPath, [join(ROOT, "scripts/install.mjs")], { stdio: "inherit" });
  if (complete.status !== 0) throw new Complaint("wrangler is not installed: see the message above");
  const config = proxy ? ["--config", PROXY_CONFIG] : [];
  const args = ["tail", "--format", "json", "--env", env, ...config];
  const wrangler = spawn(join(ROOT, "node_modules/.bin/wrangler"), args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number>((resolve) => wrangler.on("exit", (status) => resolve(status ?? 0)));
  for await (const message of createInterface(wrangler.stdout)) {
    if (message.includes(traceId)) console.log(message);
  }
  const status = await ended;
  if (status !== 0) throw new Complaint(`wrangler tail exited with status ${status}`);
}
