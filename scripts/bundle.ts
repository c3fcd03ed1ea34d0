import { join } from "node:path";
import { build, stop } from "esbuild";
import { ROOT } from "./worker-config.ts";

/** The Worker as one module, put together as `wrangler deploy` would. */
export async function bundleWorker(entry: string): Promise<string> {
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, entry)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    loader: { ".html": "text", ".txt": "text", ".sql": "text" },
    logLevel: "error",
  });
  // esbuild's helper process would otherwise stay for as long as the server runs.
  await stop();
  const [module] = result.outputFiles;
  if (module === undefined) throw new Error(`esbuild made nothing of ${entry}`);
  return module.text;
}
