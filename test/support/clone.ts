import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./folder.ts";

/** The project as somebody has it who has just cloned it, with what was changed since the last commit. */
export function clone(): string {
  const folder = temporaryFolder();
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { encoding: "utf8" });
  for (const path of listed
    .split("\0")
    .filter((name) => name !== "" && !/^(test|docs\/pictures)\//.test(name))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(path, join(folder, path));
  }
  return folder;
}
