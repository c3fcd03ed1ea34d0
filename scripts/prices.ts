/**
 * `npm run prices [-- --url <address>] [--yes]`: fills the platform's price book from the installed price catalog.
 * Shows what changes, and asks for confirmation.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agrees } from "./agrees.ts";
import { Complaint, run } from "./complaint.ts";
import { dataFolderPath } from "./data-folder.ts";
import type { Demo } from "./demo.ts";
import { readCatalog } from "./price-book/catalog.ts";
import { importInto } from "./price-book/changes.ts";
import { readBook, type Target, writeBook } from "./price-book/remote.ts";

await run(async () => {
  const { values } = parseArgs({
    options: { url: { type: "string" }, yes: { type: "boolean", default: false } },
  });
  const target = targetOf(values.url);
  const catalog = await readCatalog(new Date());
  for (const line of catalog.disagreements) console.log(`! ${line}. The dearer is taken.`);
  const { book, etag } = await readBook(target);
  const { models, providers, changes } = importInto(book, catalog);
  for (const change of changes) console.log(change);
  console.log(
    `${catalog.models.length} models of ${catalog.providers.length} providers in the catalog; ${catalog.leftOut.length} more have no price in it, so calls of them are refused.`,
  );
  if (changes.length === 0) {
    console.log(`Nothing changes: revision ${book.revision} has them all.`);
    return;
  }
  if (!values.yes && !(await agrees(`Make these ${changes.length} changes at ${target.url}? [y/N] `))) {
    throw new Complaint("nothing was changed");
  }
  const { revision } = await writeBook(target, etag, { models, providers });
  console.log(`Made ${changes.length} changes: revision ${revision}.`);
});

/** The server of the data folder, unless the arguments or the environment name another. */
function targetOf(url: string | undefined): Target {
  const file = join(dataFolderPath(process.env), "demo.json");
  const demo = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Demo) : undefined;
  const operatorKey = process.env["SVC_OPERATOR_KEY"] ?? demo?.operator_key;
  const address = url ?? demo?.base_url;
  if (address === undefined || operatorKey === undefined) {
    throw new Complaint("no server is known: run npm start first, or pass --url and set SVC_OPERATOR_KEY");
  }
  return { url: address, operatorKey };
}
