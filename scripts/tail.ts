/** `npm run tail -- <trace id> [--remote [--env name] [--proxy]]`: what was logged about one request. */
import { spawn, spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Complaint, run } from "./complaint.ts";
import { dataFolderPath } from "./data-folder.ts";
import { logFiles } from "./logfile.ts";
import { ROOT } from "./worker-config.ts";

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
  let found = 0;
  for (const file of logFiles(log)) {
    for await (const line of createInterface(createReadStream(file))) {
      if (!line.includes(traceId)) continue;
      found += 1;
      console.log(line);
    }
  }
  if (found === 0) throw new Complaint(`no request with trace id ${traceId} in ${log}`);
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
