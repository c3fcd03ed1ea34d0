/** `npm run build`: makes `dist`, the package that callers install. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "./complaint.ts";
import { buildDeclarations } from "./package/declarations.ts";
import { packageEntries } from "./package/entries.ts";
import { buildModules } from "./package/modules.ts";
import { ROOT } from "./worker-config.ts";

await run(async () => {
  const dist = process.env["SLUICE_DIST"] ?? join(ROOT, "dist");
  rmSync(dist, { recursive: true, force: true });
  await buildModules(dist);
  buildDeclarations(join(dist, "types"));
  const names = packageEntries().map(({ name }) => (name === "index" ? "sluice" : `sluice/${name}`));
  console.log(`Built ${names.join(", ")} in ${dist}.`);
});
