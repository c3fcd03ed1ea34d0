import { build, type Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { bundleOptions } from "../../scripts/bundle.ts";
import { FRONT, readWorkerConfig } from "../../scripts/worker-config.ts";

/** What an isolate runs before its first request, in bytes of the bundle. Every cold location pays for it. */
const MOST_STARTED_BYTES = 1_690_000;
/** Of the front Worker: what it runs, and what the runtime has to read. */
const MOST_FRONT_STARTED_BYTES = 247_000;
const MOST_FRONT_BYTES = 1_700_000;

interface Bundled {
  readonly sizes: ReadonlyMap<string, number>;
  /** Everything but what is only imported dynamically. */
  readonly started: readonly string[];
}

let whole: Bundled;
let front: Bundled;

beforeAll(async () => {
  whole = await bundled(readWorkerConfig().main);
  front = await bundled(FRONT);
});

async function bundled(entry: string): Promise<Bundled> {
  const { metafile } = await build(bundleOptions(entry));
  const [output] = Object.values(metafile.outputs);
  const sizes = new Map(
    Object.entries(output?.inputs ?? {}).map(([file, { bytesInOutput }]) => [file, bytesInOutput]),
  );
  return { sizes, started: reachedAtStart(metafile, entry, sizes) };
}

function reachedAtStart({ inputs }: Metafile, entry: string, sizes: Bundled["sizes"]): string[] {
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
  expect(whole.started.filter((file) => later.test(file))).toEqual([]);
  expect([...whole.sizes.keys()].filter((file) => later.test(file)).length).toBeGreaterThan(20);
});

test("nothing of the scripts of this machine is in a Worker that is deployed", () => {
  for (const { sizes } of [whole, front]) {
    expect([...sizes.keys()].filter((file) => file.startsWith("scripts/"))).toEqual([]);
  }
});

test("what it starts with stays small, and has no language but English", () => {
  const bytes = sumOf(whole, whole.started);
  expect(bytes).toBeGreaterThan(500_000);
  expect(bytes).toBeLessThan(MOST_STARTED_BYTES);
  expect(whole.started.filter((file) => /zod\/v4\/locales\/(?!en\.|index\.)/.test(file))).toEqual([]);
});

test("the front Worker starts with the gate alone, and has no object, page or other operation in it", () => {
  expect(
    front.started.filter((file) => /node_modules|^src\/org\/(?!moving\/moved|region-door)/.test(file)),
  ).toEqual([]);
  expect(
    [...front.sizes.keys()].filter((file) => /^src\/(web|outbound|app\.ts|org\/object)/.test(file)),
  ).toEqual([]);
  expect(sumOf(front, front.started)).toBeLessThan(MOST_FRONT_STARTED_BYTES);
  expect(sumOf(front, [...front.sizes.keys()])).toBeLessThan(MOST_FRONT_BYTES);
});

function sumOf({ sizes }: Bundled, files: readonly string[]): number {
  return files.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
}
