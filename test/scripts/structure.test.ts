import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { circlesOf, type Edge, importsUnder } from "../../scripts/structure/imports.ts";

const ROOT = process.cwd();

describe("folders", () => {
  const edges = importsUnder(ROOT);
  const folderOf = (file: string) => dirname(file);
  const inOrg = (file: string) => (file.startsWith("src/org/") ? folderOf(file) : null);
  /** A file directly in `src/storage` is its own place. */
  const inStorage = (file: string) => {
    if (!file.startsWith("src/storage/")) return null;
    return folderOf(file) === "src/storage" ? file : folderOf(file);
  };
  /** `src/org`. A file directly in `src` is its own place. */
  const layerOf = (file: string) => file.split("/").slice(0, 2).join("/");

  test("of the org's object form no cycle", () => {
    expect(circlesOf(edges, inOrg)).toEqual([]);
  });

  test("of the storage engine form no cycle", () => {
    expect(circlesOf(edges, inStorage)).toEqual([]);
  });

  test("the kernel of the object imports no noun", () => {
    const outside = edges.filter(
      ([from, to]) =>
        from.startsWith("src/org/kernel/") && to.startsWith("src/org/") && !to.startsWith("src/org/kernel/"),
    );
    expect(outside).toEqual([]);
  });

  test("entries of the audit log are shown by src/org/audit-log, where each read of them is recorded", () => {
    const readers = edges
      .filter(([from, to]) => to === "src/org/kernel/audit/log.ts" && !from.startsWith("src/org/kernel/"))
      .map(([from]) => folderOf(from));
    // Of the others, one finds the run of a trace, and one deletes old entries.
    const others = ["src/org/explain", "src/org/retention-policy"];
    expect([...new Set(readers)].toSorted()).toEqual(["src/org/audit-log", ...others]);
  });

  test.each(["commands", "queries"])("each noun of the object exports its %s from one file", (what) => {
    const listed = edges.filter(([from]) => from === `src/org/${what}.ts`).map(([, to]) => to);
    expect(listed.length).toBeGreaterThan(10);
    for (const file of listed) expect(file).toMatch(new RegExp(`^src/org/[a-z-]+/${what}\\.ts$`));
  });

  test("layers form no cycle", () => {
    expect(circlesOf(edges, layerOf)).toEqual([]);
  });

  test("a cycle of any length is found, and named once", () => {
    const planted: Edge[] = [
      ["src/org/a/1.ts", "src/org/b/1.ts"],
      ["src/org/b/2.ts", "src/org/c/1.ts"],
      ["src/org/c/2.ts", "src/org/a/2.ts"],
      ["src/org/c/2.ts", "src/org/d/1.ts"],
    ];
    expect(circlesOf(planted, folderOf)).toEqual([["src/org/a", "src/org/b", "src/org/c"]]);
  });

  test("imports are recognized in every form", () => {
    expect(edges).toContainEqual(["src/worker.ts", "src/app.ts"]);
    expect(edges).toContainEqual(["src/index.ts", "src/org/object.ts"]);
  });
});

const FORBIDDEN = [
  ["contract", "domain/price/money.ts"],
  ["contract", "gate/decision/decision.ts"],
  ["contract", "org/object.ts"],
  ["contract", "settings.ts"],
  ["domain", "gate/decision/decision.ts"],
  ["domain", "org/object.ts"],
  ["domain", "platform/plans.ts"],
  ["domain", "outbound/post.ts"],
  ["domain", "edge/request/call.ts"],
  ["domain", "api/runs/get.ts"],
  ["domain", "web/html.tsx"],
  ["domain", "log.ts"],
  ["gate", "org/object.ts"],
  ["gate", "edge/request/call.ts"],
  ["gate", "platform/plans.ts"],
  ["gate", "outbound/post.ts"],
  ["gate", "api/runs/get.ts"],
  ["gate", "web/html.tsx"],
  ["gate", "settings.ts"],
  ["gate", "log.ts"],
  ["contract", "storage/table.ts"],
  ["domain", "storage/table.ts"],
  ["gate", "storage/table.ts"],
  ["client", "storage/table.ts"],
  ["platform", "storage/table.ts"],
  ["outbound", "storage/table.ts"],
  ["edge", "storage/table.ts"],
  ["api", "storage/table.ts"],
  ["web", "storage/table.ts"],
  ["storage", "org/object.ts"],
  ["storage", "gate/decision/decision.ts"],
  ["storage", "platform/plans.ts"],
  ["storage", "edge/request/call.ts"],
  ["storage", "settings.ts"],
  ["storage", "domain/price/money.ts"],
  ["storage", "domain/run/segment/record.ts"],
  ["storage", "contract/scopes.ts"],
  ["org", "storage/wal/write-ahead-log.ts"],
  ["org", "storage/paged-table/pages.ts"],
  ["org", "storage/key-index/segment.ts"],
  ["org", "storage/segments/table.ts"],
  ["org", "storage/segments/archive/build.ts"],
  ["platform", "org/object.ts"],
  ["platform", "edge/request/call.ts"],
  ["platform", "gate/decision/decision.ts"],
  ["outbound", "org/object.ts"],
  ["outbound", "edge/request/call.ts"],
  ["org", "edge/request/call.ts"],
  ["org", "api/runs/get.ts"],
  ["org", "web/html.tsx"],
  ["edge", "api/runs/get.ts"],
  ["edge", "web/html.tsx"],
  ["api", "web/html.tsx"],
  ["api", "org/object.ts"],
  ["web", "org/object.ts"],
  ["client", "org/object.ts"],
  ["client", "edge/request/call.ts"],
  ["client", "api/runs/get.ts"],
  ["client", "platform/plans.ts"],
  ["client", "outbound/post.ts"],
  ["client", "web/html.tsx"],
  ["client", "adapters/fetch.ts"],
  ["client", "contract/errors.ts"],
  ["client", "settings.ts"],
  ["cli", "client/send.ts"],
  ["cli", "org/object.ts"],
  ["cli", "contract/errors.ts"],
  ["adapters", "org/object.ts"],
  ["adapters", "edge/request/call.ts"],
  ["adapters", "api/runs/get.ts"],
  ["adapters", "contract/errors.ts"],
  ["contract", "client/send.ts"],
  ["domain", "client/send.ts"],
  ["gate", "client/send.ts"],
  ["org", "client/send.ts"],
  ["edge", "client/send.ts"],
  ["api", "client/send.ts"],
  ["web", "adapters/fetch.ts"],
  ["proxy", "org/object.ts"],
  ["proxy", "edge/request/call.ts"],
  ["proxy", "api/runs/get.ts"],
  ["proxy", "contract/errors.ts"],
  ["adapters", "proxy/proxy.ts"],
  ["client", "proxy/proxy.ts"],
  ["edge", "proxy/proxy.ts"],
  ["web", "proxy/proxy.ts"],
] as const;

const FORBIDDEN_PACKAGES = [
  ["contract", "hono"],
  ["contract", "cloudflare:workers"],
  ["domain", "zod"],
  ["domain", "hono"],
  ["domain", "drizzle-orm"],
  ["gate", "hono"],
  ["gate", "zod"],
  ["gate", "cloudflare:workers"],
  ["gate", "drizzle-orm"],
  ["org", "hono"],
  ["storage", "hono"],
  ["storage", "zod"],
  ["storage", "cloudflare:workers"],
  ["platform", "hono"],
  ["outbound", "hono"],
  ["api", "drizzle-orm"],
  ["web", "drizzle-orm"],
  ["client", "hono"],
  ["client", "zod"],
  ["client", "cloudflare:workers"],
  ["adapters", "zod"],
  ["adapters", "drizzle-orm"],
  ["proxy", "zod"],
  ["proxy", "hono"],
] as const;

const FORBIDDEN_WORDS = [
  "Date.now()",
  "Math.random()",
  "crypto.randomUUID()",
  'fetch("https://example.com")',
  "setTimeout(() => undefined, 1)",
  "performance.now()",
  "scheduler.wait(1)",
] as const;

const ALLOWED = [
  ["domain", "contract/errors.ts"],
  ["gate", "domain/price/money.ts"],
  ["gate", "contract/errors.ts"],
  ["org", "gate/decision/decision.ts"],
  ["org", "storage/table.ts"],
  ["org", "storage/paged-table/append-only-log.ts"],
  ["org", "storage/key-index/key-index.ts"],
  ["storage", "contract/list.ts"],
  ["org", "platform/plans.ts"],
  ["edge", "org/object.ts"],
  ["edge", "gate/decision/decision.ts"],
  ["api", "edge/request/operation.ts"],
  ["web", "edge/env.ts"],
  ["client", "gate/decision/decision.ts"],
  ["client", "domain/price/money.ts"],
  ["adapters", "client/send.ts"],
  ["proxy", "adapters/estimate.ts"],
] as const;

describe("the linter", () => {
  const planted = new Map<string, string>();
  const plant = (layer: string, text: string): string => {
    const file = `src/${layer}/planted-${planted.size}.ts`;
    planted.set(file, text);
    return file;
  };
  const importing = (path: string) => `import { x } from "${path}";\nexport const y = x;\n`;
  const imports = FORBIDDEN.map(([layer, target]) => [
    `${layer} importing ${target}`,
    plant(layer, importing(`../${target}`)),
  ]);
  const packages = FORBIDDEN_PACKAGES.map(([layer, name]) => [
    `${layer} importing ${name}`,
    plant(layer, importing(name)),
  ]);
  const words = ["contract", "domain", "gate"].flatMap((layer) =>
    FORBIDDEN_WORDS.map((word) => [
      `${layer} saying ${word}`,
      plant(layer, `export const y = () => ${word};\n`),
    ]),
  );
  const random = ["contract", "domain", "gate"].map((layer) => [
    `${layer} drawing bytes`,
    plant(layer, `import { randomBytes } from "node:crypto";\nexport const y = () => randomBytes(1);\n`),
  ]);
  const fine = ALLOWED.map(([layer, target]) => [
    `${layer} importing ${target}`,
    plant(layer, importing(`../${target}`)),
  ]);
  const taking = (...names: string[]) =>
    `export const y = (${names.map((name) => `${name}: string`).join(", ")}) => ${names.join(" + ")};\n`;
  const five = plant("org", taking("a", "b", "c", "d", "e"));
  const four = plant("org", taking("a", "b", "c", "d"));
  const typeOf = (path: string) => `import type { X } from "../${path}";\nexport type Y = X;\n`;
  const typeOnly = plant("api", typeOf("org/object.ts"));
  const clientTypes = plant("client", typeOf("contract/errors.ts"));

  const folder = mkdtempSync(join(tmpdir(), "sluice-lint-"));
  let refused = new Set<string>();

  beforeAll(() => {
    copyFileSync(join(ROOT, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
    for (const [file, text] of planted) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    refused = refusedIn(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([...imports, ...packages, ...words, ...random, ["five positional parameters", five]])(
    "refuses %s",
    (_, file = "") => {
      expect(refused).toContain(file);
    },
  );

  test.each([
    ...fine,
    ["api importing a type of org", typeOnly],
    ["client importing a type of contract", clientTypes],
    ["four positional parameters", four],
  ])("allows %s", (_, file = "") => {
    expect(refused).not.toContain(file);
  });
});

/** The files that a rule on imports, globals, properties or parameters refuses. */
function refusedIn(folder: string): Set<string> {
  const said = oxlint(folder);
  const { diagnostics } = JSON.parse(said) as { diagnostics: { code: string; filename: string }[] };
  return new Set(
    diagnostics.filter(({ code }) => /no-restricted|max-params/.test(code)).map(({ filename }) => filename),
  );
}

function oxlint(folder: string): string {
  const args = ["--format=json", "--quiet", "src"];
  try {
    return execFileSync(join(ROOT, "node_modules/.bin/oxlint"), args, { cwd: folder, encoding: "utf8" });
  } catch (error) {
    // oxlint also exits with a failure status when it refuses something.
    return (error as { stdout: string }).stdout;
  }
}
