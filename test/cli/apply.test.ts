import { describe, expect, test } from "vitest";
import { SMALL_KEY } from "../support/small-service.ts";
import { sluiceCommand } from "../support/sluice-command.ts";

/** `sluice apply` against a service that answers as each test says: nobody's settings are lost by it. */

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly isDryRun: boolean;
}

interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `nth` counts the calls of one method and path that are no dry runs. */
type Service = (sent: Sent, nth: number) => Reply;

interface Options {
  readonly args?: readonly string[];
  readonly answer?: string | null;
}

const refusal = (status: number, code: string): Reply => ({
  status,
  body: { error: { code, message: `It is ${code}.`, details: {} } },
});
const page = (...data: object[]): Reply => ({ body: { data, next_cursor: null } });

async function apply(file: string, service: Service, { args = ["--yes"], answer = null }: Options = {}) {
  const all: Sent[] = [];
  let questions = 0;
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    const { method = "GET", headers: given } = init;
    const headers = new Headers(given);
    const isDryRun = headers.get("x-svc-dry-run") === "true";
    const sent = {
      method,
      path: new URL(url).pathname.replace(/^\/v1\/orgs\/org_\w+\//, ""),
      headers,
      isDryRun,
    };
    all.push(sent);
    const like = all.filter((one) => one.method === method && one.path === sent.path && !one.isDryRun);
    const { status = 200, body = {}, headers: own = {} } = service(sent, like.length);
    const dry = isDryRun ? { "x-svc-dry-run": "true" } : {};
    return new Response(status === 204 ? null : JSON.stringify(body), {
      status,
      headers: { ...dry, ...own },
    });
  };
  const ran = await sluiceCommand(["apply", "-f", "sluice.yaml", ...args], {
    url: "https://sluice.test",
    key: SMALL_KEY,
    fetch: send,
    files: { "sluice.yaml": file },
    ask: async () => {
      questions += 1;
      return answer;
    },
  });
  const changes = all.filter(({ method, isDryRun }) => method !== "GET" && !isDryRun);
  return { ...ran, all, changes, questions };
}

const CAP = "spend_cap: {cap_usd: 5}\n";
const cap = (cap_usd: string): Reply => ({
  body: { cap_usd, timezone: "UTC" },
  headers: { etag: `"${cap_usd}"` },
});

describe("what somebody else changes meanwhile is not replaced", () => {
  test("between the plan and the question: nobody is asked about a change that is not the one shown", async () => {
    const ran = await apply(CAP, ({ method }, nth) => cap(method === "GET" && nth > 1 ? "3" : "1"), {
      args: [],
      answer: "y",
    });
    expect(ran).toMatchObject({ code: 1, changes: [], questions: 0 });
    expect(ran.error).toContain("spend_cap: changed while this ran");
  });

  test("between the question and the change: each change names the version that it is for", async () => {
    const ran = await apply(CAP, ({ method, isDryRun }) =>
      method === "GET" || isDryRun ? cap("1") : refusal(409, "conflict"),
    );
    expect([ran.code, ran.changes.map(({ headers }) => headers.get("if-match"))]).toEqual([1, ['"1"']]);
    expect(ran.error).toContain("changed while this ran");
    expect(ran.error).toContain("0 of 1 changes were made");
  });

  test("by deleting it", async () => {
    const ran = await apply(CAP, ({ method }, nth) =>
      method === "GET" && nth > 1 ? refusal(404, "not_found") : cap("1"),
    );
    expect(ran).toMatchObject({ code: 1, changes: [] });
    expect(ran.error).toContain("spend_cap: changed while this ran");
  });
});

const PRICE = "models:\n  acme: {input_usd_per_mtok: 1, output_usd_per_mtok: 2}\n";
const price = (source: string): Reply => ({
  body: { model: "acme", source, input_usd_per_mtok: "9", output_usd_per_mtok: "9" },
  headers: { etag: '"theirs"' },
});
/** A service whose list has no price of the org's, and which answers a single read with this. */
const priced =
  (read: Reply): Service =>
  ({ method, path }) =>
    method === "GET" && path === "models"
      ? page(price("platform").body as object)
      : method === "GET"
        ? read
        : {};

describe("a price that the org has none of its own for", () => {
  test("and that the platform has is set over that version of it", async () => {
    const { code, changes } = await apply(PRICE, priced(price("platform")));
    expect([code, changes.length, changes[0]?.headers.get("if-match")]).toEqual([0, 1, '"theirs"']);
  });

  test("and that nobody has is made only if it is not there yet", async () => {
    const { code, changes } = await apply(PRICE, priced(refusal(404, "not_found")));
    expect([code, changes.length, changes[0]?.headers.get("if-none-match")]).toEqual([0, 1, "*"]);
  });

  test("and that somebody has just set is not replaced", async () => {
    const ran = await apply(PRICE, priced(price("org")));
    expect(ran).toMatchObject({ code: 1, changes: [] });
    expect(ran.error).toContain('models "acme": changed while this ran');
  });
});

describe("nothing is changed", () => {
  const two = `${CAP}chain_budget: {max_cost_usd: 1}\n`;

  test("if the key may not make one of the changes, not even the others", async () => {
    for (const code of ["forbidden", "missing_scope"]) {
      const ran = await apply(two, ({ method, path, isDryRun }) => {
        if (method === "GET") return refusal(404, "not_found");
        return isDryRun && path === "chain-budget" ? refusal(403, code) : {};
      });
      expect(ran).toMatchObject({ code: 1, changes: [] });
      expect(ran.error).toContain("this key may not change chain_budget, so nothing was changed");
    }
  });

  test("if only the operator can change one of them", async () => {
    const ran = await apply(`${CAP}rate_limits: {read_rpm: 50}\n`, ({ method, path }) => {
      if (path.startsWith("/v1/admin/") && method === "GET") return refusal(404, "not_found");
      if (path === "rate-limits") return { body: { read_rpm: null, policies: [] } };
      return method === "GET" && path === "spend-cap" ? refusal(404, "not_found") : { body: { id: "org_1" } };
    });
    expect(ran).toMatchObject({ code: 1, changes: [] });
    expect(ran.error).toContain("rate_limits: only the operator can change it");
  });

  test("by a service that knows no dry runs, beyond the first change", async () => {
    const ran = apply(two, ({ method }) =>
      method === "GET" ? refusal(404, "not_found") : { headers: { "x-svc-dry-run": "no" } },
    );
    await expect(ran).rejects.toThrow("the service made a change");
  });

  test.each([null, "", "n", "no", "yesterday", " "])(
    "if the answer to the question is %j",
    async (answer) => {
      const ran = await apply(CAP, () => cap("1"), { args: [], answer });
      expect(ran).toMatchObject({ code: 1, changes: [], questions: 1 });
    },
  );

  test.each(["y", "Y", "yes", " YES "])("unless it is %j", async (answer) => {
    const ran = await apply(CAP, () => cap("1"), { args: [], answer });
    expect([ran.code, ran.questions, ran.changes.map(({ method }) => method)]).toEqual([0, 1, ["PUT"]]);
  });

  test("if something would be deleted without --prune, and with it only what the file's sections lack", async () => {
    const file = "spend_cap: null\n";
    const refused = await apply(file, () => cap("1"));
    expect(refused).toMatchObject({ code: 1, changes: [] });
    expect(refused.error).toContain("1 would be deleted, so nothing was changed");
    const pruned = await apply(file, () => cap("1"), { args: ["--yes", "--prune"] });
    expect(pruned.changes.map(({ method, path }) => `${method} ${path}`)).toEqual(["DELETE spend-cap"]);
    expect(pruned.changes[0]?.headers.get("if-match")).toBe('"1"');
  });

  test("by --check, which tells that something would change", async () => {
    const ran = await apply(CAP, () => cap("1"), { args: ["--yes", "--check"] });
    expect(ran).toMatchObject({ code: 2, changes: [] });
  });
});
