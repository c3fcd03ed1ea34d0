import { expect, test } from "vitest";
import { PAGES } from "../../../src/web/console/pages/routes.ts";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, newOrg, type TestOrg } from "../../support/worker.ts";

/** What a validator says by itself. */
const RAW = /Invalid|expected|received|Too (?:small|big)|Unrecognized|undefined|NaN|\[object/;
/** How a sentence about a field goes on after the field's name, or where an expression breaks off. */
const PLAIN = /^(?:must|is|has|does|line \d)/;

interface SentForm {
  readonly action: string;
  readonly names: readonly string[];
}

/** One item of each kind whose page has a form. */
async function withItems(): Promise<TestOrg> {
  const org = await newOrg();
  const send = async (method: string, path: string, body: object) => {
    const answer = await call(method, `/v1/orgs/${org.id}${path}`, { key: org.ownerKey, body });
    expect([path, answer.status < 300]).toEqual([path, true]);
  };
  await send("POST", "/budgets", { scope_kind: "org", limit_usd: "1", period: "month" });
  await send("POST", "/customer-limits", { customer_id: "globex", limit_usd: "1", period: "month" });
  await send("PUT", "/models/m1", { input_usd_per_mtok: "1", output_usd_per_mtok: "1" });
  await send("POST", "/webhooks", { url: "https://hooks.example.com/a", events: ["budget.*"] });
  const rule = { target: "model", effect: "deny", when: 'model == "a"', reason: "No.", priority: 1 };
  await send("POST", "/policy-rules", { ...rule, mode: "enforce" });
  return org;
}

/** The forms of a page that ask for something, as the page renders them. */
function formsOf(page: string): SentForm[] {
  const forms = page.matchAll(/<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs);
  return Array.from(forms, ([, action = "", inside = ""]) => {
    const names = Array.from(
      inside.matchAll(/<(?:input(?! type="checkbox")|select|textarea)[^>]* name="([^"]+)"/g),
      ([, name = ""]) => name,
    );
    return { action, names: [...new Set(names)].filter((name) => !name.startsWith("_")) };
  }).filter(({ names }) => names.length > 0);
}

/** Every form of the console: those of the lists and settings, and those of the items that lists link to. */
async function everyForm(browser: Browser): Promise<SentForm[]> {
  const forms = new Map<string, SentForm>();
  const pages = new Set(
    PAGES.filter(([method, path]) => method === "GET" && !path.includes(":")).map(([, path]) => path),
  );
  for (const path of pages) {
    const page = await (await browser.get(path)).text();
    for (const form of formsOf(page)) forms.set(form.action, form);
    for (const [, item = ""] of page.matchAll(/href="(\/console\/[a-z-]+\/[^"?#]+)"/g)) pages.add(item);
  }
  return [...forms.values()];
}

/** What a form says when every field of it has this value. Null: it was accepted. */
async function complaintsOf(browser: Browser, { action, names }: SentForm, value: string) {
  const answer = await browser.post(action, Object.fromEntries(names.map((name) => [name, value])));
  if (answer.status < 400) return null;
  expect([action, answer.status]).toEqual([action, 422]);
  const page = await answer.text();
  const alert =
    /<div class="notice bad" role="alert">(.*?)<\/div>/s.exec(page)?.[1]?.replaceAll(/<[^>]*>/g, " ") ?? "";
  expect([action, alert]).toEqual([action, expect.stringMatching(/\w+ \w+/)]);
  expect([action, alert]).toEqual([action, expect.not.stringMatching(RAW)]);
  return Array.from(page.matchAll(/<span class="error"[^>]*>([^<]*)</g), ([, message = ""]) => message);
}

test("a form that is empty or all wrong says so in plain words, never in those of a validator", async () => {
  const browser = await signedIn((await withItems()).id);
  const forms = await everyForm(browser);
  let refused = 0;
  for (const form of forms) {
    const empty = await complaintsOf(browser, form, "");
    expect([form.action, empty?.filter((said) => said !== "is required") ?? []]).toEqual([form.action, []]);
    const wrong = await complaintsOf(browser, form, "?");
    for (const said of wrong ?? []) {
      expect([form.action, said]).toEqual([form.action, expect.stringMatching(PLAIN)]);
      expect([form.action, said]).toEqual([form.action, expect.not.stringMatching(RAW)]);
    }
    refused += empty === null && wrong === null ? 0 : 1;
  }
  expect(refused).toBeGreaterThan(25);
});
