import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readWorkerConfig } from "../../scripts/worker-config.ts";
import { temporaryFolder } from "../support/folder.ts";

test("the local server binds every object that wrangler.toml names, each as a SQLite class", () => {
  const config = readWorkerConfig();
  const sqlite = config.migrations.flatMap((step) => step.new_sqlite_classes);
  expect(config.durable_objects.bindings).toContainEqual({ name: "ORG", class_name: "OrgObject" });
  expect(config.durable_objects.bindings.map((binding) => binding.class_name).sort()).toEqual(sqlite.sort());
});

test("a kind of binding that the local server does not have is refused, not left out", () => {
  const file = join(temporaryFolder(), "wrangler.toml");
  writeFileSync(
    file,
    `name = "x"\nmain = "x.ts"\ncompatibility_date = "2026-07-30"\n[[kv_namespaces]]\nbinding = "KV"\n`,
  );
  expect(() => readWorkerConfig(file)).toThrow(/kv_namespaces/);
});
