import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

/** What the compiler says of pieces of code, each after the same preamble. One run for all of them. */
export async function complaintsAbout(
  planted: Readonly<Record<string, string>>,
  preamble: string,
): Promise<(name: string) => string[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-types-"));
  for (const [name, source] of Object.entries(planted)) {
    writeFileSync(join(folder, `${name}.ts`), `${preamble}${source}\n`);
  }
  const extended = { extends: join(ROOT, "tsconfig.json"), include: [`${folder}/*.ts`] };
  const compilerOptions = {
    paths: { zod: [join(ROOT, "node_modules/zod")] },
    types: ["@cloudflare/workers-types", "node"],
    typeRoots: [join(ROOT, "node_modules/@types"), join(ROOT, "node_modules")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...extended, compilerOptions }));
  const said = await compile(folder);
  rmSync(folder, { recursive: true, force: true });
  const complaints = said.split("\n").filter((line) => /\berror TS\d+:/.test(line));
  const names = Object.keys(planted).map((name) => `${name}.ts(`);
  const others = complaints.filter((line) => !names.some((name) => line.includes(name)));
  if (others.length > 0) throw new Error(others.join("\n"));
  return (name) => complaints.filter((line) => line.includes(`/${name}.ts(`));
}

function compile(folder: string): Promise<string> {
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  return new Promise((settle) =>
    execFile(tsc, ["-p", folder, "--pretty", "false"], { cwd: ROOT, maxBuffer: 1e8 }, (_, stdout) =>
      settle(stdout),
    ),
  );
}
