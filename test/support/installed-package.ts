import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { publishedManifest } from "../../scripts/package/manifest.ts";
import { buildModules } from "../../scripts/package/modules.ts";
import { makeFolder } from "./folder.ts";

/** A folder with the package installed in it, as whoever uses it has it, beside packages that they use with it. */
export async function installedPackage(
  beside: readonly string[] = [],
): Promise<{ path: string; remove: () => void }> {
  const folder = makeFolder();
  const installed = join(folder.path, "node_modules/sluice");
  mkdirSync(installed, { recursive: true });
  await buildModules(join(installed, "dist"));
  writeFileSync(join(installed, "package.json"), publishedManifest(readFileSync("package.json", "utf8")));
  writeFileSync(join(folder.path, "package.json"), JSON.stringify({ type: "module" }));
  for (const name of beside) {
    symlinkSync(join(process.cwd(), "node_modules", name), join(folder.path, "node_modules", name));
  }
  cpSync("test/support/gate-process.mjs", join(folder.path, "gate-process.mjs"));
  return folder;
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const INTERPRETERS: Readonly<Record<string, string>> = { ".py": "python3", ".sh": "bash" };
export const interpreterOf = (program: string): string => INTERPRETERS[extname(program)] ?? process.execPath;

export const PATIENTLY = `--import=${pathToFileURL(resolve("test/support/patient-program.mjs")).href}`;

/** Runs a program of that folder to its end. Servers of this process answer it meanwhile. */
export function runProgram(
  program: string,
  cwd: string,
  environment: Record<string, string>,
  inherited: NodeJS.ProcessEnv = process.env,
): Promise<Ran> {
  return new Promise((done) => {
    const options = { cwd, env: { ...inherited, ...environment, NODE_OPTIONS: PATIENTLY } };
    const child = execFile(interpreterOf(program), [program], options, (_, stdout, stderr) =>
      done({ status: child.exitCode, stdout, stderr }),
    );
  });
}
