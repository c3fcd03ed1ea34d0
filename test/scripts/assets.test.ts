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
  for (const name of ["scalar.js", "guides.css", "console-budgets.png", "guides/index.html"]) {
    expect([name, existsSync(join(folder, name))]).toEqual([name, true]);
  }
  rmSync(page);
  await buildAssets([guide("# Limits\n\nOld words")], folder);
  expect(existsSync(page)).toBe(false);
  await buildAssets([guide("# Limits\n\nNew words")], folder);
  expect(readFileSync(page, "utf8")).toContain("<p>New words</p>");
});

test("every file of docs is a guide that is served and that llms.txt lists", () => {
  const files = readdirSync("docs").filter((name) => name.endsWith(".md"));
  expect(GUIDES.map(({ name }) => `${name}.md`).toSorted()).toEqual(files.toSorted());
  for (const name of files) expect(llmsText()).toContain(`/docs/guides/${name})`);
});
