/**
 * `npm run generate`: writes the client's table of operations, its types and the dashboards from
 * the contract.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { OPERATIONS } from "../src/operations.ts";
import { generatedFiles } from "./client/generated.ts";
import { dashboardFiles } from "./dashboards/files.ts";
import { unlistedFiles } from "./client/method-names.ts";
import { Complaint, run } from "./complaint.ts";
import { ROOT } from "./worker-config.ts";

await run(() => {
  const listText = readFileSync(join(ROOT, "src/operations.ts"), "utf8");
  const [unlisted] = unlistedFiles(listText);
  if (unlisted !== undefined)
    throw new Complaint(`${unlisted} has an operation: list it in src/operations.ts`);
  const files = generatedFiles(
    OPERATIONS.map(({ contract }) => contract),
    listText,
  );
  for (const [path, text] of [...files, ...dashboardFiles()]) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
    console.log(`Wrote ${path}.`);
  }
});
