import { expect, test } from "vitest";
import { toPrintable } from "../../src/cli/command.ts";
import { run } from "../../src/cli/run.ts";
import { Sluice } from "../../src/client/index.ts";

interface Sent {
  readonly path: string;
  readonly body: unknown;
}

/** Runs a command against a service that answers with this. */
async function sluice(args: readonly string[], status = 200, answer: unknown = {}) {
  const sent: Sent[] = [];
  const said = { out: "", error: "" };
  const code = await run(args, {
    out: (text) => void (said.out += text),
    error: (text) => void (said.error += text),
    read: () => "",
    env: {},
    ask: async () => null,
    wait: async () => false,
    client: () =>
      new Sluice({
        url: "https://sluice.test",
        key: "k",
        org: "org_1",
        maxRetries: 0,
        fetch: async (url, { body }) => {
          sent.push({
            path: url.replace("https://sluice.test", ""),
            body: typeof body === "string" ? JSON.parse(body) : body,
          });
          return new Response(typeof answer === "string" ? answer : JSON.stringify(answer), { status });
        },
      }),
  });
  return { code, sent, ...said };
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

test("what is not Sluice is named, with exit status 1", async () => {
  const { code, error } = await sluice(["report"], 200, "<html>");
  expect([code, error]).toEqual([0, ""]);
  const other = await sluice(["explain", "run_1"], 404, "<html>");
  expect([other.code, other.error]).toEqual([1, expect.stringContaining("not as Sluice does")]);
});

test.for([
  ["rsv_1", { reservation_id: "rsv_1" }],
  ["ref_1", { refusal_id: "ref_1" }],
  ["run_1", { run_id: "run_1" }],
  ["4bf92f3577b34da6a3ce929d0e0e4736", { trace_id: "4bf92f3577b34da6a3ce929d0e0e4736" }],
] as const)("explain finds what %s names, and prints a line for each check", async ([id, body]) => {
  const checks = [
    { outcome: "passed", check: "rate_limit", id: null, name: null, why: "There is none." },
    { outcome: "refused", check: "budget", id: "bud_1", name: "Docs", why: "It is used up." },
  ];
  const { code, out, sent } = await sluice(["explain", id], 200, { checks });
  expect([code, sent]).toEqual([0, [{ path: "/v1/orgs/org_1/explain", body }]]);
  expect(out).toBe("passed   rate_limit: There is none.\nrefused  budget Docs: It is used up.\n");
  expect(JSON.parse((await sluice(["explain", id, "--json"], 200, { checks })).out)).toEqual({ checks });
});

test("report asks for the groups, days and form that were given", async () => {
  const args = ["report", "--by", "customer_id,day", "--from", "2026-11-01", "--format", "csv"];
  const { code, out, sent } = await sluice(args, 200, "customer_id,day\n");
  expect([code, out]).toEqual([0, "customer_id,day\n"]);
  const [path = "", query = ""] = sent[0]?.path.split("?") ?? [];
  expect(path).toBe("/v1/orgs/org_1/usage/report");
  expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
    group_by: "customer_id,day",
    from: "2026-11-01",
    format: "csv",
  });
});

test.for([
  [["fly"], 'there is no command "fly" (sluice --help says more)'],
  [["toString"], 'there is no command "toString"'],
  [["decide", "extra"], "decide takes options only (sluice decide --help says more)"],
  [["decide", "--input-tokens", "many"], "--input-tokens must be a whole number"],
  [["decide", "--modle", "x"], "modle"],
  [["explain"], "explain takes one id"],
  [["report", "--format", "pdf"], "--format must be json or csv"],
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
  },
);

test("names of others are shown, and do nothing else to a terminal", () => {
  expect(toPrintable("a\u001b[2J\u202eb\u009bc é 日")).toBe("a\\u001b[2J\\u202eb\\u009bc é 日");
});

test("without a command, the help says what there is, with exit status 2", async () => {
  const { code, out } = await sluice([]);
  expect([code, out]).toEqual([2, expect.stringContaining("decide")]);
});
