import { createExecutionContext } from "cloudflare:test";
import { type Child, Fragment, jsx } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import { describe, expect, test } from "vitest";
import { createApp } from "../../../src/app.ts";
import { createConsole } from "../../../src/web/console/console.tsx";
import { htmlResponse } from "../../../src/web/html.tsx";
import { Later } from "../../../src/web/later.tsx";
import { ObjectUnreachable } from "../../../src/edge/object/unreachable.ts";
import { PageAddressContext } from "../../../src/web/console/view/table-order.ts";
import { Table } from "../../../src/web/console/view/table.tsx";
import { signedIn } from "../../support/session.ts";
import { env, newOrg } from "../../support/worker.ts";

/** A page of which parts are read after what stands before them was sent. */

const WEB = { trace: "trace-of-the-page", region: "local" };

const later = (read: () => Promise<Child>) => jsx(Later, { read });
const respond = (...children: Child[]) =>
  htmlResponse(jsx(Fragment, {}, ...children) as unknown as JSX.Element, 200, WEB);

/** Each part of a page as it is taken. */
async function partsOf(response: Response): Promise<string[]> {
  const parts: string[] = [];
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) parts.push(part);
  return parts;
}

test("a page without such parts is one text", async () => {
  const response = respond("only");
  expect(await response.text()).toBe("<!doctype html>only");
});

test("nothing is read before what stands ahead was taken", async () => {
  const reads: string[] = [];
  const readAs = (name: string) => later(async () => (reads.push(name), name));
  const response = respond("frame ", readAs("first"), " between ", readAs("second"), " end");
  expect(response.status).toBe(200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe("<!doctype html>frame ");
  expect(reads).toEqual([]);
  expect((await reader?.read())?.value).toBe("first");
  expect(reads).toEqual(["first", "second"]);
});

test("parts are read together, and come in the order of the page", async () => {
  const slow = Promise.withResolvers<Child>();
  const response = respond(
    "a ",
    later(() => slow.promise),
    " b ",
    later(async () => (slow.resolve("slow"), "quick")),
    " c",
  );
  expect((await partsOf(response)).join("")).toBe("<!doctype html>a slow b quick c");
});

test("a part may have parts of its own", async () => {
  const inner = later(async () => "inner");
  const outer = later(async () => jsx(Fragment, {}, "(", inner, ")"));
  expect((await partsOf(respond("a ", outer, " b"))).join("")).toBe("<!doctype html>a (inner) b");
});

test("text that looks like the place of a part is text", async () => {
  const response = respond(
    "<!--later-->",
    later(async () => "<!--later-->"),
    "<!--later-->",
  );
  const escaped = "&lt;!--later--&gt;";
  expect((await partsOf(response)).join("")).toBe(`<!doctype html>${escaped}${escaped}${escaped}`);
});

test("links of a later part keep the address of the page", async () => {
  const address = { path: "/console/report", query: new URLSearchParams({ range: "7d" }) };
  const columns = [{ title: "Spent", cell: (row: string) => row }];
  const table = jsx(Table<string>, { label: "Sums", columns, rows: ["1", "2"] });
  const page = (content: Child) => respond(jsx(PageAddressContext.Provider, { value: address }, content));
  const [now, then] = [await page(table).text(), await page(later(async () => table)).text()];
  expect(now).toContain("/console/report?range=7d&amp;order=");
  expect(then).toBe(now);
});

test.each([
  ["/console", "/usage/report"],
  ["/console/report", "/usage/report"],
  ["/console/customers?by=spend", "/usage/top"],
  ["/console/budgets", "/budgets"],
])("the frame of %s comes before what it shows is read", async (path, reads) => {
  const [app, asked]: [ReturnType<typeof createApp>, string[]] = [createApp(), []];
  const pages = createConsole((request, context) => {
    asked.push(new URL(request.url).pathname);
    return app.fetch(request, context.env, context.executionCtx);
  });
  const org = await newOrg();
  const { cookie } = await signedIn(org.id);
  const request = new Request(`http://sluice.test${path}`, { headers: { cookie } });
  const response = await pages.fetch(request, env, createExecutionContext());
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const frame = (await reader?.read())?.value ?? "";
  const before = asked.join(" ");
  expect([frame.includes('id="nav"'), frame.includes("</main>")]).toEqual([true, false]);
  const rest = (await reader?.read())?.value ?? "";
  expect(rest).toContain("<h1>");
  expect([before.includes(reads), asked.join(" ").includes(reads)]).toEqual([false, true]);
});

describe("a part that cannot be read", () => {
  test.each([
    ["an object that cannot be reached", new ObjectUnreachable(), "Try again shortly."],
    ["a fault", new TypeError("a secret of ours"), "Quote trace-of-the-page when you report it."],
  ])("%s", async (_name, error, words) => {
    const response = respond(
      "a ",
      later(() => Promise.reject(error)),
      " b ",
      later(async () => "read"),
    );
    const text = (await partsOf(response)).join("");
    expect(text).toMatch(/^<!doctype html>a .* b read$/s);
    expect(text).toContain(words);
    expect(text).not.toContain("a secret");
  });

  test("while it is drawn", async () => {
    const broken = jsx(() => {
      throw new TypeError("a secret of ours");
    }, {});
    const text = (
      await partsOf(
        respond(
          "a ",
          later(async () => broken),
          " b",
        ),
      )
    ).join("");
    expect(text).toMatch(/^<!doctype html>a .*Quote trace-of-the-page.* b$/s);
  });
});
