import { expect, test } from "vitest";
import { sectionsOf } from "../../scripts/reference/guides.ts";
import { searchSections } from "../../src/web/docs/guide-search.ts";

const guide = (name: string, title: string, text: string) => ({ name, title, text, pictures: [] });
const SECTIONS = [
  guide(
    "limits",
    "Limits",
    "# Limits\n\nWhat may be *spent*.\n\n## Daily caps\n\nA cap for a day, see [prices](prices.md).\n\n```sh\n# no heading\ncurl $BASE\n```\n",
  ),
  guide(
    "prices",
    "Prices",
    "# Prices\n\n| a | b |\n|---|---|\n| capital | x |\n\n### `caps` of a tier\n\nText.\n",
  ),
].flatMap(sectionsOf);

test("each heading of a guide is found with the text below it, at its anchor", () => {
  expect(SECTIONS.map(({ href }) => href)).toEqual([
    "/docs/guides/limits#limits",
    "/docs/guides/limits#daily-caps",
    "/docs/guides/prices#prices",
    "/docs/guides/prices#caps-of-a-tier",
  ]);
  expect(SECTIONS[1]?.text).toContain("A cap for a day, see prices. sh # no heading curl $BASE");
});

test("what has every word that is sought is found, headings first", () => {
  const found = (query: string) =>
    searchSections(SECTIONS, query).map(({ href }) => href.replace(/.*\//, ""));
  expect(found("cap")).toEqual(["limits#daily-caps", "prices#caps-of-a-tier", "prices#prices"]);
  expect(found("CAPS  tier")).toEqual(["prices#caps-of-a-tier"]);
  expect(found("cap nowhere")).toEqual([]);
  expect(found("aily")).toEqual([]);
});

test("an excerpt begins near what was sought, with whole words", () => {
  const text = `${"before ".repeat(60)}needle ${"after ".repeat(60)}`.trim();
  const [found] = searchSections([{ guide: "G", heading: "H", href: "/", text }], "needle");
  expect(found?.excerpt).toMatch(/^… (before )+needle (after )+…$/);
  expect(found?.excerpt.length).toBeLessThan(240);
});
