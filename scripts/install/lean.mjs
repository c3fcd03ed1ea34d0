import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { cutSymbols } from "./symbols.mjs";

const NOT_RUN = /\.(map|md|markdown|[cm]?ts)$/i;
const TERMS = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i;

/** Whether a package's file is needed to run it. Source maps, types and descriptions are more than half of all files. */
export function isRun(path) {
  return !NOT_RUN.test(path) || TERMS.test(path);
}

/** Removes what is not needed to run the packages in the folder. */
export function makeLean(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const parent = entry.parentPath ?? entry.path;
    const path = join(parent, entry.name);
    if (!isRun(entry.name)) rmSync(path);
    else if (basename(parent) === "bin") cutSymbols(path);
  }
}
