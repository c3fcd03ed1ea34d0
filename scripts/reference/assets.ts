import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { tokens } from "../../src/web/console/theme/tokens.ts";
import { ROOT } from "../worker-config.ts";
import {
  type Guide,
  GUIDES,
  guidePage,
  guidesPage,
  guideText,
  llmsText,
  searchPage,
  sectionsOf,
} from "./guides.ts";

/** The static files of the reference and the guides. They are served by the Worker and are no part of its bundle. */
export const ASSETS = join(ROOT, ".assets");

/** Its package exports no path to it. */
const STANDALONE = join(ROOT, "node_modules/@scalar/api-reference/dist/browser/standalone.js");
const OWN = join(ROOT, "src/web/docs/static");
const PICTURES = join(ROOT, "docs/pictures");

/** The colors and letters of the console, without the rules that follow them. */
const COLORS = tokens.slice(0, tokens.indexOf("*, *::before"));

/** What the files are made with, besides the texts. */
const MADE_WITH = [
  "scripts/reference/assets.ts",
  "scripts/reference/guides.ts",
  "src/web/docs/guide-search.ts",
  "src/web/console/theme/tokens.ts",
  "package.json",
];

const STYLES = ["copy.js", "reference.css", "guides.css"];
/** These are made from a file and something else. */
const MADE = ["look.css", "reference.js"];

/** One that is yet to be taken is left out, by a server that serves the others. */
const picturesOf = (guides: readonly Guide[]): string[] =>
  guides.flatMap(({ pictures }) => pictures).filter((name) => existsSync(join(PICTURES, name)));

/** Makes the folder, unless it is as it should be. Several servers may start at once, so each file appears whole. */
export async function buildAssets(guides = GUIDES, folder = ASSETS): Promise<string> {
  const mark = join(folder, "built");
  const built = `${statSync(STANDALONE).size} ${digestOfSources(guides)}\n`;
  if (existsSync(mark) && readFileSync(mark, "utf8") === built) return folder;
  mkdirSync(join(folder, "guides"), { recursive: true });
  const place = (name: string, write: (path: string) => void): void => placeIn(folder, name, write);
  const scalar = `scalar-${digestOf(readFileSync(STANDALONE)).slice(0, 12)}.js`;
  place(scalar, (path) => copyFileSync(STANDALONE, path));
  place("reference.js", (path) => writeFileSync(path, ownText("reference.js").replace("scalar.js", scalar)));
  place("look.css", (path) => writeFileSync(path, COLORS + ownText("look.css")));
  for (const name of STYLES) place(name, (path) => copyFileSync(join(OWN, name), path));
  for (const name of picturesOf(guides)) place(name, (path) => copyFileSync(join(PICTURES, name), path));
  for (const guide of guides) {
    place(`guides/${guide.name}.html`, (path) => writeFileSync(path, guidePage(guide)));
    place(`guides/${guide.name}.md`, (path) => writeFileSync(path, guideText(guide)));
    // Whoever waits for a start hears of it meanwhile.
    await setImmediate();
  }
  place("guides/search.txt", (path) => writeFileSync(path, searchPage()));
  place("guides/sections.json", (path) => writeFileSync(path, JSON.stringify(guides.flatMap(sectionsOf))));
  place("llms.txt", (path) => writeFileSync(path, llmsText()));
  place("guides/index.html", (path) => writeFileSync(path, guidesPage()));
  place("built", (path) => writeFileSync(path, built));
  return folder;
}

const ownText = (name: string): string => readFileSync(join(OWN, name), "utf8");

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Of everything that the files are made from: rendering them takes longer than the rest of a start. */
function digestOfSources(guides: readonly Guide[]): string {
  const digest = createHash("sha256").update(JSON.stringify(guides));
  const paths = [
    ...MADE_WITH.map((name) => join(ROOT, name)),
    ...[...STYLES, ...MADE].map((name) => join(OWN, name)),
    ...picturesOf(guides).map((name) => join(PICTURES, name)),
  ];
  for (const path of paths) digest.update(`${path} `).update(readFileSync(path));
  return digest.digest("hex");
}

function placeIn(folder: string, name: string, write: (path: string) => void): void {
  const part = join(folder, `${name.replaceAll("/", "-")}.${process.pid}.part`);
  try {
    write(part);
    renameSync(part, join(folder, name));
  } finally {
    rmSync(part, { force: true });
  }
}
