import { expect, test } from "vitest";
import { toPrintable } from "../../src/cli/command.ts";
import { ANSWER_MS } from "../../src/cli/connection.ts";
import { SMALL_KEY } from "../support/small-service.ts";
import { type CommandAt, sluiceCommand } from "../support/sluice-command.ts";

const ORG_PATH = `/v1/orgs/org_${"0".repeat(26)}`;

interface Sent {
  readonly path: string;
  readonly body: unknown;
}

/** Runs a command against a service that answers with this. */
async function sluice(
  args: readonly string[],
  status = 200,
  answer: unknown = {},
  at: Partial<CommandAt> = {},
) {
  const sent: Sent[] = [];
  const ran = await sluiceCommand(args, {
    url: "https://sluice.test",
    key: SMALL_KEY,
    fetch: async (url, { body }) => {
      sent.push({
        path: url.replace("https://sluice.test", ""),
        body: typeof body === "string" ? JSON.parse(body) : body,
      });
      return new Response(typeof answer === "string" ? answer : JSON.stringify(answer), { status });
    },
    ...at,
  });
  return { ...ran, sent };
}

const REFUSAL = { error: { code: "budget_exceeded", message: "No.", details: { limit_usd: "1.00" } } };

test("decide asks with the options that were given, and prints the verdict", async () => {
  const args = ["decide", "--model", "gpt-4o", "--input-tokens", "20", "--workflow-id", "w", "--dry-run"];
  const { code, out, sent } = await sluice([...args, "--department-id", "d"], 200, { decision: "allow" });
  expect([code, JSON.parse(out)]).toEqual([0, { decision: "allow" }]);
  expect(sent).toEqual([
    {
      path: "/v1/edge/decision",
      body: {
        model: "gpt-4o",
        workflow_id: "w",
        department_id: "d",
        estimate: { input_tokens: 20 },
        dry_run: true,
        request_id: expect.any(String),
      },
    },
  ]);
});

test("a refusal is one line on stderr and exit status 1", async () => {
  const { code, out, error } = await sluice(["decide", "--cost-usd", "25"], 402, REFUSAL);
  expect([code, out, error]).toEqual([1, "", "sluice: budget_exceeded (402): No.\n"]);
});

const ASKING = [
  ["decide", "--cost-usd", "1"],
  ["explain", "run_1"],
  ["report"],
  ["tail"],
  ["export"],
] as const;

test.for(ASKING)("%s without a key says that SLUICE_KEY is not set, and sends nothing", async (args) => {
  for (const key of ["", " "]) {
    const { code, out, error, sent } = await sluice(args, 200, {}, { key });
    expect([code, out, sent]).toEqual([1, "", []]);
    expect(error).toMatch(/^sluice: SLUICE_KEY is not set\. [^\n]+\n$/);
  }
});

/** Ends as a connection does on which nothing comes: with the signal alone. */
const silent = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
const stalled = (signal: AbortSignal | null | undefined) =>
  new Response(
    new ReadableStream({
      start: (stream) => signal?.addEventListener("abort", () => stream.error(signal.reason)),
    }),
  );

test.for(ASKING)("%s says where nobody answers, after one wait", async (args) => {
  expect(ANSWER_MS).toBeLessThan(5000);
  for (const wait of [silent, stalled]) {
    let attempts = 0;
    const { code, out, error } = await sluiceCommand(args, {
      url: "https://sluice.test",
      key: SMALL_KEY,
      answerMs: 50,
      fetch: async (_, { signal }) => {
        attempts += 1;
        return wait(signal);
      },
    });
    expect([code, out, attempts]).toEqual([1, "", 1]);
    expect(error).toBe(
      "sluice: no answer from https://sluice.test within 0.05 s: is it Sluice? --timeout waits longer\n",
    );
  }
});

/** As Node says that a connection was refused. */
const refuse = async (): Promise<never> => {
  const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  throw new TypeError("fetch failed", { cause });
};

test.for(ASKING)("%s says where no Sluice is", async (args) => {
  const lost = await sluiceCommand(args, { url: "https://sluice.test", key: SMALL_KEY, fetch: refuse });
  expect([lost.code, lost.error]).toEqual([
    1,
    "sluice: cannot reach Sluice at https://sluice.test: nothing listens there (ECONNREFUSED)\n",
  ]);
  const page = await sluice(args, 200, "<html>");
  expect([page.code, page.error]).toEqual([
    1,
    "sluice: https://sluice.test does not answer as Sluice does: is SLUICE_URL right?\n",
  ]);
  const other = await sluice(args, 404, "<html>");
  expect([other.code, other.error]).toEqual([1, expect.stringContaining("not as Sluice does")]);
});

test("without SLUICE_URL, the usual address is called and said; one that is no address is not called", async () => {
  const { error } = await sluiceCommand(["report"], { key: SMALL_KEY, url: "", fetch: refuse });
  expect(error).toBe(
    "sluice: cannot reach Sluice at http://127.0.0.1:8787 (SLUICE_URL is not set): nothing listens there (ECONNREFUSED)\n",
  );
  const wrong = await sluice(["report"], 200, {}, { url: "localhost:8787" });
  expect([wrong.sent, wrong.error]).toEqual([
    [],
    expect.stringContaining("sluice: SLUICE_URL must be an address"),
  ]);
});

test("--timeout waits as long as it says", async () => {
  const at: CommandAt = {
    url: "https://sluice.test",
    key: SMALL_KEY,
    answerMs: 1,
    fetch: (_, { signal }) =>
      Promise.race([
        silent(signal),
        new Promise<Response>((resolve) =>
          setTimeout(() => resolve(Response.json({ decision: "allow" })), 100),
        ),
      ]),
  };
  expect((await sluiceCommand(["decide", "--cost-usd", "1"], at)).code).toBe(1);
  expect((await sluiceCommand(["decide", "--cost-usd", "1", "--timeout", "600"], at)).code).toBe(0);
});

test("a key that is not valid, and one without an organization, are named", async () => {
  const body = { error: { code: "unauthorized", message: "No.", details: {} } };
  const { code, error } = await sluice(["report"], 401, body);
  expect([code, error]).toEqual([
    1,
    "sluice: https://sluice.test does not accept the key in SLUICE_KEY (401)\n",
  ]);
  const operator = await sluice(["report"], 200, {}, { key: "svc_operator_x" });
  expect([operator.sent, operator.error]).toEqual([
    [],
    expect.stringContaining("sluice: --org must be named: this key has no organization of its own"),
  ]);
  const named = await sluice(["explain", "run_1", "--org", "org_2"], 404, REFUSAL, { key: "svc_operator_x" });
  expect(named.sent.map(({ path }) => path)).toEqual(["/v1/orgs/org_2/explain"]);
});

const amounts = { limit: null, spent: null, reserved: null, available: null, resets_at: null, as_of: null };
const EXPLAINED = {
  outcome: "refused",
  at: "2026-11-01T00:00:00.000Z",
  amount_usd: "25.00",
  refusal: { code: "budget_exceeded" },
  checks: [
    { ...amounts, outcome: "passed", check: "rate_limit", id: null, name: null, why: "There is none." },
    {
      ...amounts,
      limit: "1.00",
      spent: "0.40",
      reserved: "0.00",
      available: "0.60",
      outcome: "refused",
      check: "budget",
      id: "bud_1",
      name: "Do\u001bcs",
      why: "It is used up.",
    },
  ],
};

test.for([
  ["rsv_1", { reservation_id: "rsv_1" }],
  ["ref_1", { refusal_id: "ref_1" }],
  ["run_1", { run_id: "run_1" }],
  ["4bf92f3577b34da6a3ce929d0e0e4736", { trace_id: "4bf92f3577b34da6a3ce929d0e0e4736" }],
] as const)("explain finds what %s names, and prints a table of checks", async ([id, body]) => {
  const { code, out, sent } = await sluice(["explain", id], 200, EXPLAINED);
  expect([code, sent]).toEqual([0, [{ path: `${ORG_PATH}/explain`, body }]]);
  expect(out.split("\n")).toEqual([
    "refused at 2026-11-01T00:00:00.000Z, $25.00: budget_exceeded",
    "",
    "CHECK       OUTCOME  NAME        LIMIT  SPENT  RESERVED  AVAILABLE  WHY",
    "rate_limit  passed                                                  There is none.",
    "budget      refused  Do\\u001bcs   1.00   0.40      0.00       0.60  It is used up.",
    "",
  ]);
  expect(JSON.parse((await sluice(["explain", id, "--json"], 200, EXPLAINED)).out)).toEqual(EXPLAINED);
});

test("explain says which ids it takes where nothing is stored", async () => {
  const body = { error: { code: "not_found", message: "No.", details: {} } };
  const { code, error } = await sluice(["explain", "dec_1"], 404, body);
  expect([code, error]).toEqual([
    1,
    expect.stringMatching(/^sluice: nothing is stored under dec_1: explain takes/),
  ]);
});

const FIGURES = {
  cost_usd: "1.50",
  runs: 12,
  tokens: 300,
  input_tokens: 200,
  output_tokens: 100,
  saved_usd: "0.00",
};
const REPORT = {
  from: "2026-11-01T00:00:00.000Z",
  to: "2026-11-03T00:00:00.000Z",
  timezone: "UTC",
  group_by: ["customer_id", "day"],
  deleted_before: null,
  includes_deleted: false,
  groups: 2,
  totals: { ...FIGURES, cost_usd: "3.00", revenue_usd: null },
  data: [
    { ...FIGURES, customer_id: "acme", day: "2026-11-01" },
    { ...FIGURES, customer_id: null, day: "2026-11-02" },
  ],
};

test("report prints a table with its sums, and JSON and CSV where they are asked for", async () => {
  const { out } = await sluice(["report", "--by", "customer_id,day"], 200, REPORT);
  expect(out.split("\n")).toEqual([
    "2026-11-01T00:00:00.000Z to 2026-11-03T00:00:00.000Z (UTC)",
    "",
    "CUSTOMER_ID  DAY         COST USD  RUNS  TOKENS  INPUT  OUTPUT",
    "acme         2026-11-01      1.50    12     300    200     100",
    "(none)       2026-11-02      1.50    12     300    200     100",
    "total                        3.00    12     300    200     100",
    "",
  ]);
  expect(JSON.parse((await sluice(["report", "--json"], 200, REPORT)).out)).toEqual(REPORT);
  expect((await sluice(["report"], 200, { ...REPORT, data: [] })).out).toContain("(UTC)\nNo runs.\n");
  const more = { ...REPORT, groups: 9, deleted_before: "2026-10-01T00:00:00.000Z" };
  const { out: noted } = await sluice(["report"], 200, {
    ...more,
    totals: { ...FIGURES, saved_usd: "0.10", margin_usd: "-1.00" },
  });
  expect(noted).toContain("SAVED USD  MARGIN USD\n");
  expect(noted).toContain("2 of 9 groups: --limit shows more.\n");
  expect(noted).toContain(
    "Runs recorded before 2026-10-01T00:00:00.000Z were deleted, and are not included.\n",
  );
});

test("report asks for the groups, days and form that were given", async () => {
  const args = ["report", "--by", "customer_id,day", "--from", "2026-11-01", "--csv"];
  const { code, out, sent } = await sluice(args, 200, "customer_id,day\n");
  expect([code, out]).toEqual([0, "customer_id,day\n"]);
  const [path = "", query = ""] = sent[0]?.path.split("?") ?? [];
  expect(path).toBe(`${ORG_PATH}/usage/report`);
  expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
    group_by: "customer_id,day",
    from: "2026-11-01",
    format: "csv",
  });
});

test("what the service says of a field is said of the option that sets it, with exit status 2", async () => {
  const wrong = (field: string) => ({
    error: {
      code: "validation_failed",
      message: "No.",
      details: { fields: [{ field, code: "x", message: "is wrong" }] },
    },
  });
  const decided = await sluice(["decide", "--cost-usd", "x"], 422, wrong("estimate.cost_usd"));
  expect([decided.code, decided.error]).toEqual([
    2,
    "sluice: --cost-usd is wrong (sluice decide --help says more)\n",
  ]);
  expect((await sluice(["report", "--by", "x"], 422, wrong("group_by"))).error).toContain(
    "sluice: --by is wrong",
  );
  const other = await sluice(["report"], 422, wrong("format"));
  expect([other.code, other.error]).toEqual([1, "sluice: validation_failed (422): No. format: is wrong.\n"]);
});

test.for([
  [["fly"], 'there is no command "fly" (sluice --help says more)'],
  [["toString"], 'there is no command "toString"'],
  [["decide", "extra"], "decide takes options only (sluice decide --help says more)"],
  [["decide", "--input-tokens", "many"], "--input-tokens must be a whole number"],
  [["decide", "--cost", "1"], "decide has no option --cost. Did you mean --cost-usd? (sluice decide"],
  [["decide", "--cost=1"], "decide has no option --cost. Did you mean --cost-usd?"],
  [["decide", "--cost_usd", "1"], "decide has no option --cost_usd. Did you mean --cost-usd?"],
  [["decide", "--modle", "x"], "decide has no option --modle. It has --cost-usd, --model, --input-tokens"],
  [["report", "-x"], "report has no option -x. It has --by, --from"],
  [["report", "--toString"], "report has no option --toString. It has --by, --from"],
  [["decide", "--cost-usd"], "--cost-usd needs a value: what it may cost, in dollars"],
  [["decide", "--cost-usd", "--dry-run"], "--cost-usd needs a value: what it may cost, in dollars"],
  [["decide", "--cost-usd", "1", "--dry-run=no"], "--dry-run takes no value"],
  [["decide", "--input-tokens", "-1"], '--input-tokens must be a whole number, not "-1"'],
  [["plan", "-f"], "-f needs a value: the file of settings"],
  [["explain"], "explain takes one id"],
  [["report", "--json", "--csv"], "--json and --csv exclude each other"],
  [["report", "--timeout", "0"], "--timeout must be 1 to 600 seconds, not 0"],
  [["report", "--timeout", "601"], "--timeout must be 1 to 600 seconds, not 601"],
] as const)("%o is not sent, and says why with exit status 2", async ([args, reason]) => {
  const { code, out, error, sent } = await sluice(args);
  expect([code, out, sent]).toEqual([2, "", []]);
  expect(error).toContain(reason);
  expect(error).toMatch(/^sluice: [^\n]+\n$/);
});

test.for([[["--help"]], [["decide", "--help"]], [["explain", "-h"]], [["report", "--help"]]] as const)(
  "%o prints help and sends nothing",
  async ([args]) => {
    const { code, out, error, sent } = await sluice(args);
    expect([code, error, sent]).toEqual([0, "", []]);
    expect(out).toMatch(/^Usage: sluice /);
    expect(out).toMatch(/--help/);
  },
);

test("names of others are shown, and do nothing else to a terminal", () => {
  expect(toPrintable("a\u001b[2J\u202eb\u009bc é 日")).toBe("a\\u001b[2J\\u202eb\\u009bc é 日");
});

test("without a command, the help says what there is, with exit status 2", async () => {
  const { code, out } = await sluice([]);
  expect([code, out]).toEqual([2, expect.stringContaining("decide")]);
});
