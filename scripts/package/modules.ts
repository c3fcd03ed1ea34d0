import { dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { ROOT } from "../worker-config.ts";
import { COMMAND, packageEntries } from "./entries.ts";

/** No file of `src` does anything by being imported: what nobody uses of them is left out, with all that it imports. */
const unusedLeftOut: Plugin = {
  name: "unused-left-out",
  setup(bundle) {
    bundle.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer }) => ({
      path: join(dirname(importer), path),
      sideEffects: false,
    }));
  },
};

/**
 * The package's modules, with what they share in modules of its own, so that an error is of one class wherever it is thrown.
 * Node 20 runs them as they are, and so does every runtime with `fetch`.
 */
export async function buildModules(outdir: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...packageEntries(), COMMAND].map(({ name, source }) => ({
      in: join(ROOT, source),
      out: name,
    })),
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: "shared/[hash]",
    format: "esm",
    platform: "neutral",
    target: "es2022",
    sourcemap: true,
    plugins: [unusedLeftOut],
    external: ["node:*"],
    logLevel: "error",
  });
}
