/** `npm run dev`: the same data and secrets under `wrangler dev`, which reloads on each change. For contributors. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { Complaint, run } from "./complaint.ts";
import { dataFolderPath, openDataFolder } from "./data-folder.ts";
import { ensureDemo, welcome } from "./demo.ts";
import { startServer } from "./server.ts";
import { ROOT } from "./worker-config.ts";

const PORT = 8787;

await run(async () => {
  const dataDir = dataFolderPath(process.env);
  const port = Number(process.env["PORT"] || PORT);
  const server = await startServer({ port, dataDir, settings: process.env });
  try {
    console.log(welcome(server, await ensureDemo(server)));
  } finally {
    await server.dispose();
  }
  const folder = openDataFolder(dataDir);
  const settings = Object.entries(server.settings).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const args = ["dev", "--port", String(port), "--persist-to", folder.state, ...settings];
  const wrangler = spawn(join(ROOT, "node_modules/.bin/wrangler"), args, { cwd: ROOT, stdio: "inherit" });
  // Ctrl-C reaches wrangler too; this process waits for it, so that the folder stays locked until then.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => wrangler.kill("SIGTERM"));
  const status = await new Promise<number>((resolve) => wrangler.on("exit", (code) => resolve(code ?? 0)));
  folder.close();
  if (status !== 0) throw new Complaint(`wrangler dev ended with status ${status}`);
});
