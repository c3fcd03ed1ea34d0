import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { packageEntries } from "../../scripts/package/entries.ts";
import { makeFolder } from "../support/folder.ts";

const ROOT = process.cwd();
/** Minified and compressed. */
const LARGEST_CLIENT_BYTES = 6000;

const { path: folder, remove } = makeFolder();
const project = join(folder, "project");
const consumer = join(folder, "consumer");
const installed = join(consumer, "node_modules/sluice");
let packed: string[] = [];

beforeAll(() => {
  mkdirSync(project);
  for (const path of ["package.json", ".npmrc", "README.md", "LICENSE", "tsconfig.json", "src", "scripts"]) {
    cpSync(join(ROOT, path), join(project, path), { recursive: true });
  }
  for (const path of ["package-lock.json", ".gitignore"]) cpSync(join(ROOT, path), join(project, path));
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  const PATH = [join(ROOT, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  execFileSync("git", ["init", "-q"], { cwd: project });
  const said = execFileSync("npm", ["pack", "--json"], {
    cwd: project,
    env: { ...process.env, PATH },
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
  });
  const report = JSON.parse(said.slice(said.search(/^[[{]/m))) as unknown;
  const [{ filename, files }] = Object.values(report as object) as [
    { filename: string; files: { path: string }[] },
  ];
  packed = files.map((file) => file.path);
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(project, "dist", filename), "-C", installed, "--strip-components=1"]);
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ type: "module" }));
});
afterAll(remove);

describe("the packed package", () => {
  test("holds what was built, its types and its source maps, and nothing else", () => {
    const others = packed.filter((path) => !/^dist\/([\w/-]+\.js(\.map)?|types\/[\w/-]+\.d\.ts)$/.test(path));
    expect(others.toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
    for (const { name } of packageEntries()) {
      expect(packed).toEqual(expect.arrayContaining([`dist/${name}.js`, `dist/${name}.js.map`]));
    }
  });

  test("has a README of its own, whose links lead into itself, and the terms that it names", () => {
    const readme = readFileSync(join(installed, "README.md"), "utf8");
    expect(readme).toMatch(/^# sluice\n/);
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, to = ""]) => to);
    const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(
      ([, text = ""]) => `#${text.toLowerCase().replaceAll(" ", "-")}`,
    );
    expect(links.filter((to) => !headings.includes(to))).toEqual([]);
    for (const { name } of packageEntries()) {
      expect(readme).toContain(name === "index" ? "| `sluice` |" : `| \`sluice/${name}\` |`);
    }
    const { license } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(license).toBe("SEE LICENSE IN LICENSE");
    expect(readFileSync(join(installed, "LICENSE"), "utf8")).toContain("All rights reserved");
  });

  test("has a command that says what it does", () => {
    const { bin } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(installed, bin.sluice), "--help"], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("Usage: sluice <command>");
    expect(readFileSync(join(installed, bin.sluice), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test("needs no other package and runs no scripts when it is installed", () => {
    const published = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const fields = Object.keys(published).filter((field) => /dependencies|scripts|private/i.test(field));
    expect(fields).toEqual(["peerDependencies", "peerDependenciesMeta"]);
    for (const name of Object.keys(published.peerDependencies))
      expect(published.peerDependenciesMeta[name]).toEqual({ optional: true });
    expect(published).toMatchObject({ name: "sluice", version: manifest.version, exports: manifest.exports });
  });

  test("imports nothing but its own files and the runtime's", () => {
    const modules = packed.filter((path) => path.endsWith(".js"));
    const imported = modules.flatMap((path) =>
      [
        ...readFileSync(join(installed, path), "utf8").matchAll(
          /^(?:import|export)[^"';]*?["']([^"']+)["']/gm,
        ),
      ].map(([, name = ""]) => name),
    );
    // The command alone runs in Node only.
    const ofNode = imported.filter((name) => !/^\.{1,2}\//.test(name));
    expect(ofNode.toSorted()).toEqual(["node:crypto", "node:fs", "node:readline/promises", "node:util"]);
  });

  test("leaves package.json and the README as they were, and nothing else in the tree", () => {
    for (const name of ["package.json", "README.md"]) {
      expect(readFileSync(join(project, name), "utf8")).toBe(readFileSync(name, "utf8"));
    }
    const left = execFileSync("git", ["ls-files", "-o", "--exclude-standard"], {
      cwd: project,
      encoding: "utf8",
    });
    const copied = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" }).split(
      "\n",
    );
    const isNew = (name: string) => name !== "node_modules" && !copied.includes(name);
    expect(left.split("\n").filter(isNew)).toEqual([]);
  });

  const nodes = [
    ...new Set([
      process.execPath,
      ...(process.env["PATH"] ?? "").split(delimiter).map((at) => join(at, "node")),
    ]),
  ];
  const present = nodes.filter((node) => spawnSync(node, ["--version"]).status === 0);
  const program = `
    import { Sluice } from "sluice/client";
    import { verify, WebhookError } from "sluice/webhooks";
    import { createGate, createProxy, govern, governedFetch, Refused, sluiceMiddleware } from "sluice";
    const fetch = async () => new Response('{"error":{"code":"gone","message":"No.","details":{}}}', { status: 410 });
    const sluice = new Sluice({ key: "k", org: "org_1", url: "https://x.test", fetch });
    const refused = await sluice.budgets.list().catch((error) => error);
    const problem = await verify("{}", {}, "s").catch((error) => error);
    const parts = [createGate, createProxy, govern, governedFetch, sluiceMiddleware];
    console.log(parts.every((part) => typeof part === "function"), refused instanceof Refused, refused.code, problem instanceof WebhookError, problem.problem);
  `;

  test.each(present)("runs in %s", (node) => {
    writeFileSync(join(consumer, "program.mjs"), program);
    const { stdout, stderr } = spawnSync(node, ["program.mjs"], { cwd: consumer, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout).toBe("true true gone true missing_signature\n");
  });

  /** What a strict compiler says to a program. */
  function complaintsOf(typed: string, options: object = {}): string {
    const compilerOptions = {
      ...options,
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      module: "nodenext",
      target: "es2022",
      lib: ["es2022", "dom", "dom.iterable"],
      types: [],
    };
    writeFileSync(
      join(consumer, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["program.ts"] }),
    );
    writeFileSync(join(consumer, "program.ts"), typed);
    const compiler = join(ROOT, "node_modules/.bin/tsc");
    return spawnSync(compiler, ["-p", ".", "--checkers", "1"], { cwd: consumer, encoding: "utf8" }).stdout;
  }

  test("works with the middleware and the models of the AI SDK 5, 6 and 7", () => {
    const beside = join(consumer, "node_modules/@ai-sdk");
    mkdirSync(beside);
    symlinkSync(join(ROOT, "node_modules/@ai-sdk/provider"), join(beside, "provider"));
    // The newest package of the SDK's interfaces still has those of the versions before it.
    const versions = ["V2", "V3", "V4"].map((version) => {
      const embeddings = `sdk.EmbeddingModel${version}${version === "V2" ? "<string>" : ""}`;
      return `
        export const middleware${version}: sdk.LanguageModel${version}Middleware = sluiceMiddleware({ gate });
        declare const embeddings${version}: ${embeddings};
        declare const images${version}: sdk.ImageModel${version};
        governEmbeddings(embeddings${version}, { gate }) satisfies ${embeddings};
        governImages(images${version}, { gate }) satisfies sdk.ImageModel${version};
        // @ts-expect-error: pictures are no embeddings
        governEmbeddings(images${version}, { gate });
      `;
    });
    const typed = `
      import type * as sdk from "@ai-sdk/provider";
      import { createGate, governEmbeddings, governImages, sluiceMiddleware } from "sluice/ai-sdk";
      const gate = createGate({ key: "k" });
      ${versions.join("")}
    `;
    // The SDK's own types lack those of a package that it uses.
    expect(complaintsOf(typed, { skipLibCheck: true })).toBe("");
  });

  test("has types that a strict program compiles against, and that refuse a wrong one", () => {
    const typed = `
      import { Refused, Sluice } from "sluice/client";
      import { verify } from "sluice/webhooks";
      import { createGate, governedFetch } from "sluice/fetch";
      import { sluiceMiddleware } from "sluice/ai-sdk";
      import { govern } from "sluice/hono";
      const gate = createGate({ key: "k" });
      export const sent: Promise<Response> = governedFetch({ gate, ask: { customer_id: "c" } })("https://x.test");
      export const parts = [sluiceMiddleware({ gate }), govern({ gate, ask: () => ({ estimate: { cost_usd: "1" } }) })];
      // @ts-expect-error: a call's estimate is the adapter's
      governedFetch({ gate, ask: { estimate: { cost_usd: "1" } } });
      const sluice = new Sluice();
      export const verdict = await sluice.decisions.decide({ model: "m", estimate: { cost_usd: "0.01" } });
      for await (const budget of sluice.budgets.list({ limit: 5 })) budget.limit_usd satisfies string;
      try { await sluice.spendCap.get(); } catch (error) {
        if (error instanceof Refused && error.code === "spend_cap_exceeded") error.details.resets_at satisfies string;
        // @ts-expect-error: other codes have other details
        if (error instanceof Refused && error.code === "gone") error.details.resets_at.length;
      }
      // @ts-expect-error: money is text
      void sluice.spendCap.set({ cap_usd: 1 });
      // @ts-expect-error: there is no such field
      void sluice.decisions.decide({ estimate: {}, modle: "m" });
      const event = await verify("", new Headers(), "");
      // @ts-expect-error: there is no such kind
      event.type === "budget.exploded";
    `;
    expect(complaintsOf(typed)).toBe("");
  });
});

test("the client stays small", async () => {
  const { outputFiles } = await build({
    entryPoints: ["src/client/index.ts"],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).byteLength;
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThanOrEqual(LARGEST_CLIENT_BYTES);
});
