import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

/** Node strips types, and leaves it to others to translate the tags of a page. */
const READY = Symbol.for("sluice.jsx-loading");

// A setup file is loaded again for each test file.
if (!Reflect.has(globalThis, READY)) {
  Reflect.set(globalThis, READY, true);
  registerHooks({
    load(url, context, next) {
      if (!url.endsWith(".tsx")) return next(url, context);
      const text = readFileSync(fileURLToPath(url), "utf8");
      const { code } = transformSync(text, { loader: "tsx", jsx: "automatic", jsxImportSource: "hono/jsx" });
      return { format: "module", source: code, shortCircuit: true };
    },
  });
}
