import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../worker-config.ts";

/**
 * What the client calls each operation: the folder and the file that it is written in, so `src/api/budgets/create.ts` is
 * `sluice.budgets.create`. Read from the list of operations, whose order is that of the operations themselves.
 */
export interface MethodName {
  readonly group: string;
  readonly method: string;
}

const IMPORT = /^import \{ (\w+) \} from "\.\/api\/([\w-]+)\/([\w-]+)\.ts";$/gm;
const LIST = /const SERVED: readonly Operation\[\] = \[\n([^]*?)\n\];/;

export function methodNames(listText: string): MethodName[] {
  const files = new Map(
    [...listText.matchAll(IMPORT)].map(([, name = "", folder = "", file = ""]) => [
      name,
      { group: camelCase(folder), method: camelCase(file) },
    ]),
  );
  const listed = LIST.exec(listText)?.[1] ?? "";
  return listed.split("\n").map((line) => {
    const found = files.get(/^\s*(\w+)/.exec(line)?.[1] ?? "");
    if (found === undefined)
      throw new Error(`src/operations.ts lists "${line.trim()}", which no file of src/api is`);
    return found;
  });
}

/** The files of `src/api` that have an operation which neither the list nor the app of the `Gate` entrypoint serves. */
export function unlistedFiles(listText: string): string[] {
  const served = listText + readFileSync(join(ROOT, "src/gate-app.ts"), "utf8");
  return globSync("src/api/*/*.ts", { cwd: ROOT }).filter(
    (file) =>
      !served.includes(`"${file.replace("src/", "./")}"`) &&
      readFileSync(join(ROOT, file), "utf8").includes(" = operation("),
  );
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function typeName(...words: readonly string[]): string {
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
