/** `npm run dev`: the same data and secrets under `wrangler dev`, which reloads on each change. For contributors. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { Complaint, run } from "./complaint.ts";
import { dataFolderPath, openDataFolder } from "./data-folder.ts";
import { ensureDemo, welcome } from "./demo.ts";
import { writePrivateFile } from "./private-file.ts";
import { startServer } from "./server.ts";
import { LOCAL_SETTINGS, wantsNorthwind, wholeNumber } from "./start-options.ts";
import { ROOT } from "./worker-config.ts";

await run(async () => {
  const dataDir = dataFolderPath(process.env);
  const port = wholeNumber("PORT", 8787, 1, 65_535);
  const settings = await prepare(dataDir, port);
  const folder = openDataFolder(dataDir);
  const variables = join(folder.path, "dev.env");
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
  writePrivateFile(variables, lines.join(""));
  const args = [
    "dev",
    "--env",
    "",
    "--port",
    String(port),
    "--persist-to",
    folder.state,
    "--env-file",
    variables,
  ];
  // wrangler starts its own workerd, with its own log.
  const { MINIFLARE_WORKERD_PATH: _, ...env } = process.env;
  const wrangler = spawn(join(ROOT, "node_modules/.bin/wrangler"), args, {
    cwd: ROOT,
    stdio: "inherit",
    env,
  });
  // Ctrl-C reaches wrangler too. This process waits for it, so that the folder stays locked until then.
  let told = false;
  process.on("SIGINT", () => (told = true));
  process.on("SIGTERM", () => (told = wrangler.kill("SIGTERM")));
  const status = await new Promise<number>((resolve) => wrangler.on("exit", (code) => resolve(code ?? 0)));
  folder.close();
  if (status !== 0 && !told) throw new Complaint(`wrangler dev exited with status ${status}`);
});

/** Migrations, secrets and the demo org, as `npm start` makes them. */
async function prepare(dataDir: string, port: number): Promise<Readonly<Record<string, string>>> {
  const server = await startServer({
    port,
    dataDir,
    settings: { ...LOCAL_SETTINGS, ...process.env },
    withNorthwind: wantsNorthwind(),
  });
  try {
    console.log(welcome(server, await ensureDemo(server)));
    return server.settings;
  } finally {
    await server.dispose();
  }
}
