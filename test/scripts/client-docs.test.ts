import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/worker-config.ts";

/** Inside the repository, so that the SDKs of the programs are found. What the compiler found out is kept for the next run. */
const folder = join(ROOT, "node_modules/.cache/client-docs");
const programsFolder = join(folder, "programs");
rmSync(programsFolder, { recursive: true, force: true });
mkdirSync(programsFolder, { recursive: true });

const SOURCES = {
  "sluice/client": "src/client/index.ts",
  "sluice/gate": "src/client/gate/index.ts",
  "sluice/fetch": "src/adapters/fetch.ts",
  "sluice/ai-sdk": "src/adapters/ai-sdk.ts",
  "sluice/hono": "src/adapters/hono.ts",
  "sluice/workers-ai": "src/adapters/workers-ai.ts",
  "sluice/proxy": "src/proxy/index.ts",
  "sluice/webhooks": "src/client/webhooks.ts",
};

test("the TypeScript programs of docs/client.md compile under strict", () => {
  const page = readFileSync(join(ROOT, "docs/client.md"), "utf8");
  const programs = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code = ""]) => code);
  expect(programs.length).toBeGreaterThan(5);
  for (const [index, code] of programs.entries())
    writeFileSync(join(programsFolder, `program-${index}.ts`), code);
  const paths = Object.fromEntries(Object.entries(SOURCES).map(([name, file]) => [name, [join(ROOT, file)]]));
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: {
      strict: true,
      paths,
      types: ["node", "@cloudflare/workers-types"],
      incremental: true,
      tsBuildInfoFile: "types.tsbuildinfo",
    },
    include: ["programs/*.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(tsc, ["-p", folder, "--checkers", "1"], { cwd: ROOT, encoding: "utf8" });
  expect(stdout.split("\n").filter((line) => line.includes("program-"))).toEqual([]);
});

test("nothing tells a reader to run whatever has the package's name on a registry", () => {
  const tracked = execFileSync("git", ["ls-files", "-z", "*.md", "src", "scripts", ".github", ".ci"], {
    cwd: ROOT,
  });
  const files = tracked.toString("utf8").split("\0").filter(Boolean);
  const runs = /\b(?:npx|bunx|(?:npm|pnpm|yarn|bun) (?:exec|x|dlx))(?: -\S+)* sluice\b/g;
  const found = files.flatMap((file) => {
    const said = readFileSync(join(ROOT, file), "utf8").match(runs) ?? [];
    return said.map((command) => [file, command]);
  });
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter(([, command]) => command !== "npx --no-install sluice")).toEqual([]);
});
