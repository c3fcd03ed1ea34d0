import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly cpu?: string | string[];
  readonly os?: string | string[];
  readonly optionalDependencies?: Record<string, string>;
}

const lockFile = readFileSync("package-lock.json", "utf8");
const { packages } = JSON.parse(lockFile) as { packages: Record<string, Locked> };
const names = Object.keys(packages);

test("the lock file names no address to download from", () => {
  expect(Object.values(packages).filter((entry) => entry.resolved !== undefined)).toEqual([]);
});

test("every download is checked against a digest, on every platform", () => {
  const unheld = Object.entries(packages).filter(
    ([path, { integrity = "" }]) => path !== "" && !/^sha512-[0-9A-Za-z+/]{86}==$/.test(integrity),
  );
  expect(unheld.map(([path]) => path)).toEqual([]);
});

test("npm ci accepts the lock file: every optional package that it names is in it", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !names.includes(`node_modules/${name}`) && !names.includes(`${path}/node_modules/${name}`),
    ),
  );
  expect(missing).toEqual([]);
});

test.for([
  "@cloudflare/workerd-linux",
  "@esbuild/linux",
  "@oxfmt/binding-linux",
  "@oxlint-tsgolint/linux",
  "@oxlint/binding-linux",
  "@rollup/rollup-linux",
  "@typescript/typescript-linux",
])("%s is included for arm64 and x64", (tool) => {
  const builds = Object.entries(packages).filter(([path]) => path.startsWith(`node_modules/${tool}-`));
  const processors = builds.flatMap(([, entry]) => entry.cpu ?? []);
  expect(processors).toEqual(expect.arrayContaining(["arm64", "x64"]));
});

test("no package needs a script of its own at install, where none is run", () => {
  const withScripts = Object.entries(packages).filter(
    ([, { hasInstallScript }]) => hasInstallScript === true,
  );
  // Theirs only check that this machine's build is there, and shorten the way to it, which version others ask for, or that their types are there.
  expect(withScripts.map(([path]) => path)).toEqual([
    "node_modules/@openrouter/sdk",
    "node_modules/esbuild",
    "node_modules/protobufjs",
    "node_modules/workerd",
  ]);
});

test("npm start runs without packages that are only for development", () => {
  const { dependencies } = manifest;
  const isRun = (name: string) => packages[`node_modules/${name}`]?.dev !== true;
  expect(Object.keys(dependencies).filter((name) => !isRun(name))).toEqual([]);
  const run = Object.values(packages).filter(
    ({ dev, devOptional, optional }) => !dev && !devOptional && !optional,
  );
  expect(run.length).toBeLessThan(100);
});

test.for(["@cloudflare/workerd-darwin", "@esbuild/darwin", "@typescript/typescript-darwin"])(
  "%s is included, so that the server starts on a Mac",
  (tool) => {
    const builds = Object.entries(packages).filter(([path]) => path.startsWith(`node_modules/${tool}-`));
    expect(builds.map(([, { os }]) => os)).toEqual([["darwin"], ["darwin"]]);
  },
);
