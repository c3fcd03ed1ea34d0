import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";

/** They have no types: they run before there is anything to read them with. */
const CACHE: string = "../../scripts/install/cache.mjs";
const LEAN: string = "../../scripts/install/lean.mjs";
const SYMBOLS: string = "../../scripts/install/symbols.mjs";

interface LockedPackage {
  readonly integrity: string;
  readonly file?: string;
  readonly bin?: Record<string, string>;
}
type Packages = [string, LockedPackage][];

const { unpackFromCache } = (await import(CACHE)) as {
  unpackFromCache: (packages: Packages, folder: string, cache?: string) => Promise<boolean>;
};
const { makeLean } = (await import(LEAN)) as { makeLean: (folder: string) => void };
const { cutSymbols } = (await import(SYMBOLS)) as { cutSymbols: (path: string) => void };

const LONG = `${"deep/".repeat(30)}${"long".repeat(20)}.js`;
const FILES = {
  "package.json": "{}",
  "LICENSE.md": "terms",
  "README.md": "words",
  "index.js": "x".repeat(3_000_000),
  "index.js.map": "map",
  "index.d.ts": "types",
  "src/index.ts": "source",
  "empty.js": "",
  [LONG]: "long",
  "cli.js": "#!/usr/bin/env node",
};

/** A tarball as `npm pack` makes it, with these files below `package/`. */
function tarballOf(files: Record<string, string>, more: (folder: string) => void = () => {}): Buffer {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, "package", path)), { recursive: true });
    writeFileSync(join(folder, "package", path), text);
  }
  more(join(folder, "package"));
  const { status, stdout } = spawnSync("tar", ["-cz", "--format=pax", "package"], {
    cwd: folder,
    maxBuffer: 1e8,
  });
  expect(status).toBe(0);
  return stdout;
}

/** Puts it where npm would, and says what the lock file says of it. */
function keep(cache: string, tarball: Buffer): LockedPackage {
  const digest = createHash("sha512").update(tarball).digest();
  const place = placeOf(cache, digest);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, tarball);
  return { integrity: `sha512-${digest.toString("base64")}` };
}

function placeOf(cache: string, digest: Buffer): string {
  const hex = digest.toString("hex");
  return join(cache, "_cacache/content-v2/sha512", hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

test("packages are unpacked from npm's cache with what is needed to run them, and their commands", async () => {
  const [cache, folder] = [temporaryFolder(), temporaryFolder()];
  const entry = { ...keep(cache, tarballOf(FILES)), bin: { tool: "cli.js" } };
  const nested = "node_modules/a/node_modules/@s/b";
  expect(
    await unpackFromCache(
      [
        ["node_modules/a", entry],
        [nested, keep(cache, tarballOf({ "package.json": "{}" }))],
      ],
      folder,
      cache,
    ),
  ).toBe(true);
  expect(filesIn(join(folder, "node_modules"))).toEqual(
    [".bin/tool", `a/${LONG}`, "a/LICENSE.md", "a/cli.js", "a/empty.js", "a/index.js", "a/package.json"]
      .concat("a/node_modules/@s/b/package.json")
      .sort(),
  );
  for (const path of ["index.js", "empty.js", LONG, "LICENSE.md"] as const) {
    expect(readFileSync(join(folder, "node_modules/a", path), "utf8") === FILES[path]).toBe(true);
  }
  expect(readlinkSync(join(folder, "node_modules/.bin/tool"))).toBe("../a/cli.js");
  expect(statSync(join(folder, "node_modules/.bin/tool")).mode & 0o111).toBe(0o111);
});

test("of a package with a single file, nothing else is unpacked but its name and terms", async () => {
  const [cache, folder] = [temporaryFolder(), temporaryFolder()];
  const files = { ...FILES, "bin/node": "program", LICENSE: "terms" };
  const entry = { ...keep(cache, tarballOf(files)), file: "bin/node", bin: { node: "bin/node" } };
  expect(await unpackFromCache([["node_modules/one", entry]], folder, cache)).toBe(true);
  expect(filesIn(join(folder, "node_modules"))).toEqual([
    ".bin/node",
    "one/LICENSE",
    "one/bin/node",
    "one/package.json",
  ]);
});

test.for<[string, (cache: string) => LockedPackage]>([
  ["is not there", () => ({ integrity: `sha512-${Buffer.alloc(64, 7).toString("base64")}` })],
  [
    "has another digest",
    (cache) => {
      const entry = keep(cache, tarballOf(FILES));
      const place = placeOf(cache, Buffer.from(entry.integrity.slice(7), "base64"));
      writeFileSync(place, tarballOf({ ...FILES, "index.js": "other" }));
      return entry;
    },
  ],
  ["ends early", (cache) => keep(cache, tarballOf(FILES).subarray(0, 2000))],
  ["is none", (cache) => keep(cache, Buffer.from("text"))],
  [
    "has a link",
    (cache) =>
      keep(
        cache,
        tarballOf(FILES, (folder) => symlinkSync("/etc", join(folder, "etc"))),
      ),
  ],
])("npm installs if a tarball in its cache %s", async ([, spoil]) => {
  const [cache, folder] = [temporaryFolder(), temporaryFolder()];
  const good = keep(cache, tarballOf({ "package.json": "{}" }));
  const packages: Packages = [
    ["node_modules/good", good],
    ["node_modules/bad", spoil(cache)],
  ];
  expect(await unpackFromCache(packages.slice(0, 1), folder, cache)).toBe(true);
  expect(await unpackFromCache(packages, folder, cache)).toBe(false);
});

test("a path cannot leave its package", async () => {
  const [cache, folder] = [temporaryFolder(), temporaryFolder()];
  const { stdout } = spawnSync(
    "tar",
    ["-cz", "--transform=s,^package/evil,package/../../evil,", "-P", "package"],
    {
      cwd: (() => {
        const from = temporaryFolder();
        mkdirSync(join(from, "package"));
        writeFileSync(join(from, "package/evil.js"), "evil");
        return from;
      })(),
    },
  );
  expect(await unpackFromCache([["node_modules/a", keep(cache, stdout)]], folder, cache)).toBe(false);
  expect(existsSync(join(folder, "evil.js"))).toBe(false);
  expect(filesIn(folder)).toEqual([]);
});

test("what npm unpacked is left with the same files", () => {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, "a", path)), { recursive: true });
    writeFileSync(join(folder, "a", path), text);
  }
  makeLean(folder);
  expect(filesIn(join(folder, "a"))).toEqual(
    [LONG, "LICENSE.md", "cli.js", "empty.js", "index.js", "package.json"].sort(),
  );
});

test("a program without its symbols is smaller and runs as before, and other files stay as they are", () => {
  const folder = temporaryFolder();
  const node = join(folder, "node");
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  const sizeBefore = statSync(node).size;
  for (let times = 0; times < 2; times += 1) cutSymbols(node);
  const isElf = readFileSync(process.execPath).subarray(1, 4).toString() === "ELF";
  expect(statSync(node).size < sizeBefore).toBe(isElf);
  const { stdout } = spawnSync(node, ["-p", "process.version + [1].includes(1)"], { encoding: "utf8" });
  expect(stdout.trim()).toBe(`${process.version}true`);
  for (const text of ["", "#!/bin/sh\n", "\x7fELF\x01\x01 of 32 bits"]) {
    writeFileSync(join(folder, "other"), text, "latin1");
    cutSymbols(join(folder, "other"));
    expect(readFileSync(join(folder, "other"), "latin1")).toBe(text);
  }
});
