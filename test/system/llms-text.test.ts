import { expect, test } from "vitest";
import { GUIDES } from "../../scripts/reference/guides.ts";
import { sharedServer } from "../support/server.ts";

const get = async (path: string) => {
  const response = await fetch(new URL(path, sharedServer().urls[0]));
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
};
const linksOf = (text: string) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to);

test("llms.txt lists every guide as Markdown, and every link of it and of them is served", async () => {
  const list = await get("/llms.txt");
  expect([list.status, list.type]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(list.text).toMatch(/^# Sluice\n\n> Sluice controls/);
  const guides = linksOf(list.text).filter((to) => to.endsWith(".md"));
  expect(new Set(guides.map((to) => new URL(to).pathname))).toEqual(
    new Set(GUIDES.map(({ name }) => `/docs/guides/${name}.md`)),
  );
  for (const { name } of GUIDES) expect(list.text).toMatch(new RegExp(`/${name}\\.md\\): \\S.+\\.$`, "m"));
  const seen = new Set(linksOf(list.text).map((to) => new URL(to).pathname));
  for (const { name, title } of GUIDES) {
    const guide = await get(`/docs/guides/${name}.md`);
    expect([name, guide.status, guide.type]).toEqual([name, 200, "text/markdown; charset=utf-8"]);
    expect(guide.text).toContain(`# ${title}\n`);
    const own = linksOf(guide.text).filter((to) => to.startsWith("/"));
    for (const to of own) seen.add(to.replace(/#.*$/, ""));
  }
  for (const path of seen) expect([path, (await get(path)).status]).toEqual([path, 200]);
});

test.each(["/docs/guides/none.md", "/docs/guides/..%2fllms.txt", "/docs/guides/quickstart.mdx"])(
  "%s is not there",
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);
