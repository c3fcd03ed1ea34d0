import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/operations.ts";
import { fieldPath } from "../../src/contract/field-path.ts";
import { type OperationContract, routeOf } from "../../src/contract/operation.ts";
import { SAMPLE_BODIES } from "../support/sample-bodies.ts";
import { type Answer, call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

/** Text is stored as it was sent, or refused. In any case the audit trail verifies. */

const withBody = OPERATIONS.map(({ contract }) => contract).filter(({ body }) => body !== undefined);
type Path = readonly (string | number)[];
type Json = Record<string | number, unknown>;

let org: TestOrg;
/** The org that operators write to, so that no other writes come in between. */
let operated: TestOrg;
const ids: Record<string, string> = {};

async function make(name: string, path: string): Promise<void> {
  const key = path.startsWith("/v1/admin") ? operatorKey() : org.ownerKey;
  const body = SAMPLE_BODIES[`POST ${path}`];
  const made = await call("POST", path.replace("{id}", org.id), { key, body });
  expect([path, made.status]).toEqual([path, 201]);
  ids[name] = made.body.id;
}

beforeAll(async () => {
  [org, operated] = await Promise.all([newOrg(), newOrg()]);
  const things = { budget_id: "budgets", limit_id: "customer-limits", rule_id: "policy-rules" };
  for (const [name, path] of Object.entries(things)) await make(name, `/v1/orgs/{id}/${path}`);
  await make("sub_id", "/v1/orgs/{id}/webhooks");
  await make("cohort_id", "/v1/admin/benchmarks/cohorts");
});

const keyOf = (op: OperationContract) => (op.role === "operator" ? operatorKey() : org.ownerKey);
const pathOf = (op: OperationContract) =>
  op.path
    .replace("/orgs/{id}", `/orgs/${org.id}`)
    .replace("{org_id}", operated.id)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "none");
const sampleOf = (op: OperationContract) => SAMPLE_BODIES[routeOf(op)] ?? {};

/** The path of every string in a JSON value. */
function texts(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    texts(part, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((part, name) => (part as Json | null | undefined)?.[name], value);

function put(value: unknown, [name, ...rest]: Path, text: string): unknown {
  if (name === undefined) return text;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Json) }) as Json;
  copy[name] = put(copy[name], rest, text);
  return copy;
}

const fieldsOf = (answer: Answer) =>
  (answer.body.error?.details.fields ?? []).map(({ field, code }: { field: string; code: string }) => [
    field,
    code,
  ]);

test("there is a sample for every operation that takes a body", () => {
  expect(Object.keys(SAMPLE_BODIES).toSorted()).toEqual(withBody.map(routeOf).toSorted());
});

/** Bodies, and the field that is refused. */
const HALVES = [
  ['{"zz":{"a":["ok","\\ud800"]}}', "zz.a[1]"],
  ['{"zz":"\\ud83d \\ude00"}', "zz"],
  ['{"zz":"\\uDE00\\uD83D"}', "zz"],
  ['{"a\\udfff":1}', "a\uFFFD"],
  ['{"zz":"\\\\\\ud800"}', "zz"],
  ['{"zz":"\\udc00","zz":"ok"}', "body"],
] as const;

describe.each(withBody.map((op) => [routeOf(op), op] as const))("%s", (_, op) => {
  test("refuses half of a surrogate pair", async () => {
    for (const [body, field] of HALVES) {
      const answer = await call(op.method, pathOf(op), { key: keyOf(op), body });
      expect([body, answer.status, fieldsOf(answer)]).toEqual([body, 422, [[field, "invalid_format"]]]);
    }
  });

  test("accepts whole pairs in any spelling, and escaped backslashes", async () => {
    const body = '{"zz":"\\ud83d\\ude00 \\uD83D\\uDE00 \\\\ud800 \u{1f600}"}';
    const answer = await call(op.method, pathOf(op), { key: keyOf(op), body });
    expect(fieldsOf(answer).some(([, code]: [string, string]) => code === "invalid_format")).toBe(false);
  });
});

const unit = fc.oneof(
  fc.constantFrom(
    "\ud800",
    "\udbff",
    "\udc00",
    "\udfff",
    "\u0000",
    "\u{1f600}",
    "\uFFFD",
    "\uFEFF",
    "\u2028",
  ),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  fc.constantFrom("a", " ", "\\", '"', "'", "\n", "é", "e\u0301", "\u{10ffff}"),
);
const anyText = fc.array(unit, { minLength: 1, maxLength: 12 }).map((units) => units.join(""));
const wholeText = anyText.map((text) => text.toWellFormed());

/** What a reader sees of the last write. Null if there is nothing to read. */
async function readBack(op: OperationContract, answer: Answer): Promise<unknown> {
  const {
    id,
    org: made,
    results,
  } = (answer.body ?? {}) as {
    id?: string;
    org?: { id: string };
    results?: { id: string }[];
  };
  const path = pathOf(op);
  if (results !== undefined) {
    return { runs: [(await call("GET", `/v1/runs/${results[0]?.id}`, { key: keyOf(op) })).body] };
  }
  if (made !== undefined) return (await call("GET", `${path}/${made.id}`, { key: keyOf(op) })).body;
  const readable = OPERATIONS.some(({ contract }) => contract.method === "GET" && contract.path === op.path);
  if (op.method !== "POST") return readable ? (await call("GET", path, { key: keyOf(op) })).body : null;
  const single = OPERATIONS.some(
    ({ contract: { method, path: other } }) =>
      method === "GET" && other.startsWith(`${op.path}/{`) && other.endsWith("}"),
  );
  return single && id !== undefined ? (await call("GET", `${path}/${id}`, { key: keyOf(op) })).body : null;
}

async function tryText(op: OperationContract, path: Path, text: string): Promise<void> {
  const body = put(sampleOf(op), path, text);
  const answer = await call(op.method, pathOf(op), { key: keyOf(op), body });
  const where = `${routeOf(op)} ${fieldPath(path)}`;
  expect([where, answer.status]).not.toEqual([where, 500]);
  if (!text.isWellFormed()) {
    expect([where, answer.status, fieldsOf(answer)]).toEqual([
      where,
      422,
      [[fieldPath(path), "invalid_format"]],
    ]);
    return;
  }
  if (answer.status >= 300) return;
  for (const seen of [answer.body, await readBack(op, answer)]) {
    const found = at(seen?.org ?? seen, path);
    if (typeof found === "string") expect([where, found]).toEqual([where, text]);
  }
}

async function expectVerified(): Promise<void> {
  for (const { id, ownerKey } of [org, operated]) {
    const { body } = await call("GET", `/v1/orgs/${id}/audit-log/verify`, { key: ownerKey });
    expect([body.valid, body.breaks]).toEqual([true, []]);
  }
}

test("every text of every operation is refused or stored unchanged, and the trail verifies", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, wholeText, async (any, whole) => {
      await Promise.all(
        withBody.map(async (op) => {
          for (const path of texts(sampleOf(op))) {
            await tryText(op, path, any);
            await tryText(op, path, whole);
          }
        }),
      );
      await expectVerified();
    }),
    {
      numRuns: 4,
      examples: [
        ["\ud800", "a\u0000b"],
        ["a\udfff", "\u0000"],
        ["\u{1f600}", "\uFFFD\uFEFF\u{10ffff}"],
      ],
    },
  );
});

test("the directory in D1 stores text unchanged", async () => {
  const name = "\u0000a\u0000\u{1f600}\uFEFF\uFFFD";
  const { id } = await newOrg({ name });
  const listed = await call("GET", "/v1/admin/orgs?limit=200", { key: operatorKey() });
  expect(listed.body.data.find((one: { id: string }) => one.id === id).name).toBe(name);
});

test("text that passes all checks cannot break the chain", async () => {
  const actor = {
    kind: "operator",
    id: "x\udc00",
    role: "operator",
    onBehalfOf: null,
    address: "\ud800",
  } as const;
  const envelope = { actor, trace: "t\ud83d", idempotency: null, ifMatch: null };
  const body = { input_usd_per_mtok: "1", output_usd_per_mtok: "1" };
  await env.ORG.getByName(org.id).execute("setModel", { model: "m\ud800", body }, envelope);
  await expectVerified();
});

test("a query parameter whose escapes are not UTF-8 is named", async () => {
  const ask = (query: string) => call("GET", `/v1/orgs/${org.id}/audit-log?${query}`, { key: org.ownerKey });
  for (const bad of ["%ED%A0%80", "a%FF", "%C3", "%80x"]) {
    const answer = await ask(`action=${bad}&limit=1`);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [["action", "invalid_format"]]]);
  }
  for (const good of ["%EF%BF%BD", "%ef%bf%bd", "%F0%9F%98%80", "\uFFFD", "100%25"]) {
    expect((await ask(`action=${good}&limit=1`)).status).toBe(200);
  }
  await expectVerified();
});
