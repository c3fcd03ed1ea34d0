import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/worker-config.ts";
import { PATIENT } from "../support/patience.ts";

const lines = (file: string) => readFileSync(join(ROOT, file), "utf8").split("\n");
const hasEngine = spawnSync("docker", ["info"], { stdio: "ignore" }).status === 0;

test("the image copies files that exist, and no local data", () => {
  const copied = lines("Dockerfile")
    .filter((line) => line.startsWith("COPY "))
    .flatMap((line) =>
      line
        .split(" ")
        .slice(1, -1)
        .filter((part) => !part.startsWith("--")),
    );
  expect(copied).toContain("package-lock.json");
  for (const path of copied) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  expect(lines(".dockerignore")).toEqual(expect.arrayContaining([".sluice", "node_modules", ".git"]));
});

test("a container can be reached from its own machine only", () => {
  const ports = lines("compose.yaml").flatMap((line) => /^\s+- "(.*:\d+)"$/.exec(line)?.[1] ?? []);
  expect(ports.length).toBeGreaterThan(0);
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});

// Only where an engine runs.
test.runIf(hasEngine)("the image builds and serves", () => {
  const built = spawnSync("docker", ["build", "--tag", "sluice-test", "."], { cwd: ROOT, encoding: "utf8" });
  expect([built.status, built.stderr]).toEqual([0, expect.any(String)]);
  const probe =
    "fetch('http://127.0.0.1:8787/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))";
  const script = `npm start & until node -e "${probe}"; do sleep 1; done`;
  const served = spawnSync("docker", ["run", "--rm", "sluice-test", "sh", "-c", script], PATIENT);
  expect(served.status).toBe(0);
});
