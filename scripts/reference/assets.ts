import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { ROOT } from "../worker-config.ts";
import { GUIDES, guidePage, guidesPage } from "./guides.ts";

/** The static files of the reference and the guides. They are served by the Worker and are no part of its bundle. */
export const ASSETS = join(ROOT, ".assets");

/** Its package exports no path to it. */
const STANDALONE = join(ROOT, "node_modules/@scalar/api-reference/dist/browser/standalone.js");
const OWN = join(ROOT, "src/web/docs/static");
const PICTURES = join(ROOT, "docs/pictures");

/** Each file by its name, with what it is made of. */
function contents(): Map<string, Buffer | string> {
  const files = new Map<string, Buffer | string>();
  for (const name of ["reference.js", "reference.css", "guides.css"])
    files.set(name, readFileSync(join(OWN, name)));
  for (const guide of GUIDES) {
    files.set(`guides/${guide.name}.html`, guidePage(guide));
    // One that is yet to be taken, by a server that serves the others.
    for (const picture of guide.pictures.filter((name) => existsSync(join(PICTURES, name)))) {
      files.set(picture, readFileSync(join(PICTURES, picture)));
    }
  }
  files.set("guides/index.html", guidesPage());
  return files;
}

/** Makes the folder, unless it is as it should be. Several servers may start at once, so each file appears whole. */
export function buildAssets(): string {
  const files = contents();
  const digest = createHash("sha256").update(
    JSON.stringify([...files].map(([name, text]) => [name, String(text)])),
  );
  const mark = join(ASSETS, "built");
  const built = `${readFileSync(STANDALONE).length} ${digest.digest("hex")}\n`;
  if (existsSync(mark) && readFileSync(mark, "utf8") === built) return ASSETS;
  mkdirSync(join(ASSETS, "guides"), { recursive: true });
  place("scalar.js", (path) => copyFileSync(STANDALONE, path));
  for (const [name, text] of files) place(name, (path) => writeFileSync(path, text));
  place("built", (path) => writeFileSync(path, built));
  return ASSETS;
}

function place(name: string, write: (path: string) => void): void {
  const part = join(ASSETS, `${name.replaceAll("/", "-")}.${process.pid}.part`);
  try {
    write(part);
    renameSync(part, join(ASSETS, name));
  } finally {
    rmSync(part, { force: true });
  }
}
