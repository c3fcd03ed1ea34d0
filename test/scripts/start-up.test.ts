import { build, type Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { bundleOptions } from "../../scripts/bundle.ts";
import { readWorkerConfig } from "../../scripts/worker-config.ts";

/** What an isolate runs before its first request, in bytes of the bundle. Every cold location pays for it. */
const MOST_STARTED_BYTES = 1_550_000;

let sizes: ReadonlyMap<string, number>;
let started: readonly string[];

beforeAll(async () => {
  const { main } = readWorkerConfig();
  const { metafile } = await build(bundleOptions(main));
  const [output] = Object.values(metafile.outputs);
  sizes = new Map(
    Object.entries(output?.inputs ?? {}).map(([file, { bytesInOutput }]) => [file, bytesInOutput]),
  );
  started = reachedAtStart(metafile, main);
});

/** Everything but what is only imported dynamically. */
function reachedAtStart({ inputs }: Metafile, entry: string): string[] {
  const reached = new Set([entry]);
  for (const file of reached) {
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (kind !== "dynamic-import" && external !== true) reached.add(path);
    }
  }
  return [...reached].filter((file) => (sizes.get(file) ?? 0) > 0);
}

test("an isolate starts with what decides, and without routes, pages, rules and Parquet", () => {
  const later =
    /node_modules\/(@bufbuild|@node-saml|@xmldom|hono|hyparquet|hyparquet-writer|oauth4webapi|re2js|sax|xml-crypto|xml-encryption|xml2js|xmlbuilder|xpath|zod-openapi)\/|^src\/(api|web|app\.ts|contract\/openapi\.ts)/;
  expect(started.filter((file) => later.test(file))).toEqual([]);
  expect([...sizes.keys()].filter((file) => later.test(file)).length).toBeGreaterThan(20);
});

test("what it starts with stays small, and has no language but English", () => {
  const bytes = started.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  expect(bytes).toBeGreaterThan(500_000);
  expect(bytes).toBeLessThan(MOST_STARTED_BYTES);
  expect(started.filter((file) => /zod\/v4\/locales\/(?!en\.|index\.)/.test(file))).toEqual([]);
});
