import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

/**
 * What the compiler says of pieces of code, each after the same preamble. One run for all of them, which keeps what it found out
 * for the next under a name of its own.
 */
export async function complaintsAbout(
  kept: string,
  planted: Readonly<Record<string, string>>,
  preamble: string,
): Promise<(name: string) => string[]> {
  const folder = join(ROOT, "node_modules/.cache/planted", kept);
  rmSync(join(folder, "code"), { recursive: true, force: true });
  mkdirSync(join(folder, "code"), { recursive: true });
  for (const [name, source] of Object.entries(planted)) {
    writeFileSync(join(folder, "code", `${name}.ts`), `${preamble}${source}\n`);
  }
  const extended = { extends: join(ROOT, "tsconfig.json"), include: ["code/*.ts"] };
  const compilerOptions = {
    paths: { zod: [join(ROOT, "node_modules/zod")] },
    types: ["@cloudflare/workers-types", "node"],
    typeRoots: [join(ROOT, "node_modules/@types"), join(ROOT, "node_modules")],
    incremental: true,
    tsBuildInfoFile: "types.tsbuildinfo",
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...extended, compilerOptions }));
  const said = await compile(folder);
  const complaints = said.split("\n").filter((line) => /\berror TS\d+:/.test(line));
  const names = Object.keys(planted).map((name) => `${name}.ts(`);
  const others = complaints.filter((line) => !names.some((name) => line.includes(name)));
  if (others.length > 0) throw new Error(others.join("\n"));
  return (name) => complaints.filter((line) => line.includes(`/${name}.ts(`));
}

function compile(folder: string): Promise<string> {
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  return new Promise((settle) =>
    execFile(
      tsc,
      ["-p", folder, "--checkers", "1", "--pretty", "false"],
      { cwd: ROOT, maxBuffer: 1e8 },
      (_, stdout) => settle(stdout),
    ),
  );
}
