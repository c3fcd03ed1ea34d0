import { builtinModules } from "node:module";
import { join } from "node:path";
import { build, type BuildOptions, type Plugin, stop, version } from "esbuild";
import { cached } from "../src/domain/cache/cached.ts";
import { keptBundle, type Made } from "./kept-bundle.ts";
import { ROOT } from "./worker-config.ts";

const NAMES = new RegExp(`^(node:)?(${builtinModules.filter((name) => /^\w+$/.test(name)).join("|")})$`);

/** Packages written for Node use `require` and old module names. The runtime only supports imports. */
const nodeModules: Plugin = {
  name: "node-modules",
  setup(bundle) {
    bundle.onResolve({ filter: NAMES }, ({ path, kind }) => {
      const name = path.replace(/^(node:)?/, "node:");
      return kind === "require-call" ? { path: name, namespace: "required" } : { path: name, external: true };
    });
    bundle.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `import required from ${JSON.stringify(path)}; module.exports = required;`,
    }));
  },
};

const bundles = new Map<string, Promise<string>>();

/**
 * The Worker as one module, bundled like `wrangler deploy` does. Built once per entry, because all servers of a process
 * run the same code.
 */
export function bundleWorker(entry: string): Promise<string> {
  return cached(bundles, entry, () =>
    keptBundle(`${version} ${JSON.stringify(bundleOptions(entry))}`, () => makeBundle(entry)),
  );
}

/** As `wrangler deploy` bundles: one module, in which what is imported dynamically starts when it is first asked for. */
export function bundleOptions(entry: string) {
  return {
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, entry)],
    bundle: true,
    // Each isolate reads all of it. Names stay: the stacks in the log have them.
    minifyWhitespace: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    plugins: [nodeModules],
    loader: { ".html": "text", ".txt": "text", ".sql": "text" },
    logLevel: "error",
  } satisfies BuildOptions;
}

/** Bundles that esbuild's helper process works on. Ending it leaves them without an answer, so the last one ends it. */
let inProgress = 0;

export async function makeBundle(entry: string): Promise<Made> {
  inProgress += 1;
  const made = await runBuild(bundleOptions(entry)).finally(() => (inProgress -= 1));
  // Otherwise the process would stay as long as the server runs.
  if (inProgress === 0) await stop();
  return made;
}

/** Leaves esbuild's helper process to others that use it. */
export async function runBuild(options: BuildOptions & { write: false; metafile: true }): Promise<Made> {
  const result = await build(options);
  const [module] = result.outputFiles;
  if (module === undefined) throw new Error("esbuild produced no output");
  // A module of the plugin has a name, and no file.
  const from = Object.keys(result.metafile.inputs).filter((input) => !input.startsWith("required:"));
  return { text: module.text, from };
}
