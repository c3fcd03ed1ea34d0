import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join, relative } from "node:path";
import { version } from "esbuild";
import type { ParsedStack } from "vitest";
import type { Plugin } from "vitest/config";
import { bundleOptions, runBuild } from "../../scripts/bundle.ts";
import { keptBundle } from "../../scripts/kept-bundle.ts";
import { ROOT } from "../../scripts/worker-config.ts";

const ENTRY = "node_modules/.cache/tests/entry.mjs";
const BUNDLE = join(ROOT, "node_modules/.cache/tests/source.mjs");
const SOURCE_MAP = `${BUNDLE}.map`;

/** The runtime reads a file of this rule by itself. */
export const READ_BY_RUNTIME = { type: "ESModule" as const, include: ["**/.cache/tests/source.mjs"] };

/** Modules of the test runner and of the runtime. */
const OTHERS = /^(vitest$|cloudflare:|node:)/;

const INLINE_MAP = "//# sourceMappingURL=data:application/json;base64,";

/** An import of more than types. */
const IMPORTED = /(?:^(?:import|export)\s(?!type\b)(?:[\w\s{},*$]+\sfrom\s)?|\bimport\()"([^"?]+)"/gm;

/**
 * Vite would transform each file of the Worker by itself, send it to each runtime and evaluate it there, which takes longer
 * than most test files. So a run begins with one bundle, which the runtimes read. What tests import of `src` and of packages
 * is exported by it, so that the Worker and its tests share every module.
 */
export function bundledSource(tests: readonly string[]): Plugin {
  let made: Promise<ReadonlySet<string>> | null = null;
  // A run without these tests needs no bundle.
  const names = (): Promise<ReadonlySet<string>> => (made ??= makeBundle(tests));
  return {
    name: "bundled-source",
    enforce: "pre",
    configureVitest({ project }) {
      project.config.onStackTrace = showSource;
    },
    async resolveId(id) {
      return (await names()).has(id) ? `\0${id}` : null;
    },
    async load(id) {
      const name = id.startsWith("\0") ? id.slice(1) : relative(ROOT, id);
      if ((await names()).has(name)) return exportsOf(name);
      if (/^src\/.*\.tsx?$/.test(name))
        throw new Error(`${name} would be there twice: the bundle does not export it`);
      return null;
    },
  };
}

/** The call is what Vite makes of `export *`, which has no form for what a module exports under a name. */
function exportsOf(name: string): string {
  return `import { ${JSON.stringify(name)} as all } from ${JSON.stringify(BUNDLE)};
export default all.default;
__vite_ssr_exportAll__(all);`;
}

async function makeBundle(tests: readonly string[]): Promise<ReadonlySet<string>> {
  const names = importedBy(globSync(tests, { cwd: ROOT }).map((path) => join(ROOT, path)));
  place(join(ROOT, ENTRY), [...names].sort().map(exportLine).join(""));
  const options = { ...bundleOptions(ENTRY), sourcemap: "inline" as const, sourcesContent: false };
  const text = await keptBundle(`${version} ${JSON.stringify(options)}`, () => runBuild(options));
  const [code = "", map = ""] = text.split(INLINE_MAP);
  place(BUNDLE, code);
  place(SOURCE_MAP, Buffer.from(map, "base64").toString());
  return names;
}

function exportLine(name: string): string {
  const from = name.startsWith("src/") ? join(ROOT, name) : name;
  return `export * as ${JSON.stringify(name)} from ${JSON.stringify(from)};\n`;
}

/** Another run may read the file meanwhile. One that does not change keeps its time, so that the bundle is kept. */
function place(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

/** The files of `src` and the packages that tests import, also through files of their own. */
function importedBy(files: readonly string[]): Set<string> {
  const read = new Set(files);
  const found = new Set<string>();
  // The loop reaches what is added meanwhile.
  for (const file of read) {
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(IMPORTED)) {
      const path = relative(ROOT, join(dirname(file), name));
      if (OTHERS.test(name)) continue;
      else if (!name.startsWith(".")) found.add(name);
      else if (path.startsWith("src/")) found.add(path);
      else read.add(join(ROOT, path));
    }
  }
  return found;
}

let map: SourceMap | null = null;

/** Vitest does not find the source map, because the runtime names modules by paths without the first slash. */
function showSource(_error: unknown, frame: ParsedStack): void {
  if (!frame.file.includes(relative("/", BUNDLE))) return;
  map ??= new SourceMap(JSON.parse(readFileSync(SOURCE_MAP, "utf8")) as SourceMapPayload);
  const found = map.findEntry(frame.line - 1, frame.column - 1);
  if (!("originalSource" in found)) return;
  const { originalSource, originalLine, originalColumn } = found;
  Object.assign(frame, {
    file: join(ROOT, originalSource),
    line: originalLine + 1,
    column: originalColumn + 1,
  });
}
