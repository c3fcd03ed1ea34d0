import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Complaint } from "../complaint.ts";
import { ROOT } from "../worker-config.ts";
import { COMMAND, packageEntries } from "./entries.ts";

/** The package's types: the declarations of its entries and of what they name, and of nothing else. */
export function buildDeclarations(outdir: string): void {
  const folder = mkdtempSync(join(ROOT, "node_modules/.declarations-"));
  try {
    const sources = packageEntries().map(({ source }) => source);
    declare(folder, sources);
    for (const [path, text] of reached(folder, sources)) {
      mkdirSync(dirname(join(outdir, path)), { recursive: true });
      writeFileSync(join(outdir, path), text);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function declare(folder: string, sources: readonly string[]): void {
  const project = join(folder, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    // What the oldest Node that the package names has.
    lib: ["ES2023", "ES2024.String"],
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(ROOT, "src"),
    outDir: join(folder, "out"),
  };
  const files = [...sources, COMMAND.source].map((source) => join(ROOT, source));
  writeFileSync(
    project,
    JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions, include: [], files }),
  );
  const ran = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", project, "--checkers", "1"], {
    encoding: "utf8",
  });
  if (ran.status !== 0)
    throw new Complaint(`the package's types do not compile:\n${ran.stdout}${ran.stderr}`);
}

const IMPORT = /((?:from|import)\s*\(?\s*")([^"]+)(")/g;

function reached(folder: string, sources: readonly string[]): Map<string, string> {
  const files = new Map<string, string>();
  const open = sources.map((source) => source.slice("src/".length));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const declaration = path.replace(/\.ts$/, ".d.ts");
    if (files.has(declaration)) continue;
    const text = readFileSync(join(folder, "out", declaration), "utf8");
    const from = path;
    const rewritten = text.replaceAll(IMPORT, (_, before: string, name: string, after: string) => {
      if (!name.startsWith(".")) throw new Complaint(`the types of ${from} name the package ${name}`);
      open.push(normalize(join(dirname(from), name)));
      return before + name.replace(/\.ts$/, ".js") + after;
    });
    files.set(declaration, rewritten);
  }
  return files;
}
