import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildAssets } from "../../scripts/reference/assets.ts";
import { GUIDES, llmsText } from "../../scripts/reference/guides.ts";
import { temporaryFolder } from "../support/folder.ts";

const guide = (text: string) => ({
  name: "limits",
  title: "Limits",
  text,
  pictures: ["console-budgets.png"],
});

test("guides are rendered again only if what they are made from has changed", async () => {
  const folder = temporaryFolder();
  const page = join(folder, "guides/limits.html");
  await buildAssets([guide("# Limits\n\nOld words")], folder);
  expect(readFileSync(page, "utf8")).toContain("<p>Old words</p>");
  for (const name of ["copy.js", "look.css", "guides.css", "console-budgets.png", "guides/index.html"]) {
    expect([name, existsSync(join(folder, name))]).toEqual([name, true]);
  }
  rmSync(page);
  await buildAssets([guide("# Limits\n\nOld words")], folder);
  expect(existsSync(page)).toBe(false);
  await buildAssets([guide("# Limits\n\nNew words")], folder);
  expect(readFileSync(page, "utf8")).toContain("<p>New words</p>");
});

test("the reference that makes calls is a file whose name is its digest, and its page loads that one", async () => {
  const folder = temporaryFolder();
  await buildAssets([guide("# Limits")], folder);
  const [scalar = ""] = readdirSync(folder).filter((name) => /^scalar-[0-9a-f]{12}\.js$/.test(name));
  const digest = createHash("sha256")
    .update(readFileSync(join(folder, scalar)))
    .digest("hex");
  expect(scalar).toBe(`scalar-${digest.slice(0, 12)}.js`);
  expect(readFileSync(join(folder, "reference.js"), "utf8")).toContain(`"/docs/assets/${scalar}"`);
  expect(readFileSync(join(folder, "look.css"), "utf8")).toContain("--accent: light-dark(");
});

test("a guide of some length has its parts as links, each to its heading", async () => {
  const folder = temporaryFolder();
  const text = "# Limits\n\n## One & all\n\n```sh\n## no heading\n```\n\n## Two\n\n## Three\n";
  await buildAssets([guide(text)], folder);
  const page = readFileSync(join(folder, "guides/limits.html"), "utf8");
  const [, contents = ""] = /<nav class="toc"[^>]*>([^]*?)<\/nav>/.exec(page) ?? [];
  const links = [...contents.matchAll(/href="#([^"]+)">([^<]+)</g)].map(([, to, words]) => [to, words]);
  expect(links.map(([, words]) => words)).toEqual(["One &amp; all", "Two", "Three"]);
  for (const [to] of links) expect(page).toContain(`id="${to}"`);
});

test("every file of docs is a guide that is served and that llms.txt lists", () => {
  const files = readdirSync("docs").filter((name) => name.endsWith(".md"));
  expect(GUIDES.map(({ name }) => `${name}.md`).toSorted()).toEqual(files.toSorted());
  for (const name of files) expect(llmsText()).toContain(`/docs/guides/${name})`);
});
