import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Operations that keep or break their contract, and the compiler's result for each. One compiler run for all. */
const PLANTED = {
  "kept-query": `operation({ ...READ, reply: { 200: budget } }, (call) => call.org.query("getBudget", ID));`,
  "kept-command": `operation({ ...WRITE, reply: { 200: budget } }, (call) => call.org.command("changeBudget", ID));`,
  "kept-nothing": `operation({ ...WRITE, reply: { 204: null } }, (call) => call.org.command("deleteBudget", ID));`,
  "kept-list": `operation({ ...READ, reply: { 200: pageOf(budget) } }, (call) => call.org.query("listBudgets", LIST));`,
  "kept-reply": `operation({ ...READ, reply: { 200: SMALL } }, async () => reply(200, { one: { name: "a" } }));`,

  "renamed-in-shape-of-query": `operation({ ...READ, reply: { 200: RENAMED } }, (call) => call.org.query("getBudget", ID));`,
  "renamed-in-shape-of-command": `operation({ ...WRITE, reply: { 200: RENAMED } }, (call) => call.org.command("changeBudget", ID));`,
  "renamed-in-shape-of-list": `operation({ ...READ, reply: { 200: pageOf(RENAMED) } }, (call) => call.org.query("listBudgets", LIST));`,
  "fewer-in-shape-of-query": `operation({ ...READ, reply: { 200: FEWER } }, (call) => call.org.query("getBudget", ID));`,
  "fewer-in-shape-of-command": `operation({ ...WRITE, reply: { 200: FEWER } }, (call) => call.org.command("changeBudget", ID));`,
  "fewer-in-shape-of-list": `operation({ ...READ, reply: { 200: pageOf(FEWER) } }, (call) => call.org.query("listBudgets", LIST));`,
  "narrower-in-shape": `operation({ ...READ, reply: { 200: NARROWER } }, (call) => call.org.query("getBudget", ID));`,
  "another-resource": `operation({ ...READ, reply: { 200: key } }, (call) => call.org.query("getBudget", ID));`,
  "nothing-where-a-body-is": `operation({ ...WRITE, reply: { 200: budget } }, (call) => call.org.command("deleteBudget", ID));`,
  "a-body-where-nothing-is": `operation({ ...WRITE, reply: { 204: null } }, (call) => call.org.command("changeBudget", ID));`,
  "renamed-in-reply": `operation({ ...READ, reply: { 200: SMALL } }, async () => reply(200, { one: { title: "a" } }));`,
  "more-in-reply": `operation({ ...READ, reply: { 200: SMALL } }, async () => reply(200, { one: { name: "a", more: 1 } }));`,
  "renamed-in-object": `const answer = command({ action: null, refuses: [], run: () => done(200, { one: { title: "a" } }) });
    operation({ ...READ, reply: { 200: SMALL } }, async () => answerOf(answer));`,
  "more-in-object": `const answer = command({ action: null, refuses: [], run: () => done(200, { one: { name: "a", more: 1 } }) });
    operation({ ...READ, reply: { 200: SMALL } }, async () => answerOf(answer));`,
  "an-untyped-answer": `declare const answer: Answer;
    operation({ ...READ, reply: { 200: SMALL } }, async () => answer);`,
  "an-untyped-body": `declare const body: object;
    operation({ ...READ, reply: { 200: SMALL } }, async () => reply(200, body));`,
} as const;

const root = resolve(import.meta.dirname, "../..");

const PREAMBLE = `
import { z } from "zod";
import { type ListQuery, pageOf } from "${root}/src/contract/list.ts";
import { budget } from "${root}/src/contract/resources/budgets.ts";
import { key } from "${root}/src/contract/resources/keys.ts";
import { operation, reply } from "${root}/src/edge/operation.ts";
import { type Answer, type AnswerOf, type Body, type Command, command, done } from "${root}/src/org/kernel/door.ts";
import type { ErrorCode } from "${root}/src/contract/errors.ts";

const COMMON = { path: "/v1/orgs/{id}", summary: "", role: "viewer", refuses: ["conflict"] } as const;
const READ = { ...COMMON, method: "GET" } as const;
const WRITE = { ...COMMON, method: "POST" } as const;
const ID = { id: "bud_1" };
declare const LIST: ListQuery;
const SMALL = z.object({ one: z.object({ name: z.string() }) });
const FEWER = budget.omit({ spent_usd: true });
const RENAMED = FEWER.extend({ used_usd: z.string() });
const NARROWER = budget.extend({ status: z.literal("active") });
declare function answerOf<B extends Body>(of: Command<unknown, ErrorCode, B>): AnswerOf<B>;
export const used = [z, pageOf, budget, key, operation, reply, command, done, READ, WRITE, ID, LIST, SMALL, RENAMED, NARROWER, answerOf];
export type Used = [Answer, AnswerOf<Body>, Command<unknown, ErrorCode>];
`;

const folder = mkdtempSync(join(tmpdir(), "sluice-types-"));
let said: string;

beforeAll(async () => {
  for (const [name, source] of Object.entries(PLANTED)) {
    writeFileSync(join(folder, `${name}.ts`), `${PREAMBLE}${source}\n`);
  }
  const extended = { extends: join(root, "tsconfig.json"), include: [`${folder}/*.ts`] };
  const compilerOptions = {
    paths: { zod: [join(root, "node_modules/zod")] },
    types: ["@cloudflare/workers-types", "node"],
    typeRoots: [join(root, "node_modules/@types"), join(root, "node_modules")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...extended, compilerOptions }));
  said = await compile();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compile(): Promise<string> {
  const tsc = join(root, "node_modules/.bin/tsc");
  return new Promise((settle) =>
    execFile(tsc, ["-p", folder, "--pretty", "false"], { cwd: root, maxBuffer: 1e8 }, (_, stdout) =>
      settle(stdout),
    ),
  );
}

test("only the planted operations fail to compile", () => {
  const complaints = said.split("\n").filter((line) => /\berror TS\d+:/.test(line));
  const planted = Object.keys(PLANTED).map((name) => `${name}.ts(`);
  expect(complaints.filter((line) => !planted.some((name) => line.includes(name)))).toEqual([]);
});

test.each(Object.keys(PLANTED).filter((name) => name.startsWith("kept")))("%s compiles", (name) => {
  expect(complaintsAbout(name)).toEqual([]);
});

test.each(Object.keys(PLANTED).filter((name) => !name.startsWith("kept")))("%s does not compile", (name) => {
  expect(complaintsAbout(name)).toEqual([expect.stringMatching(/error TS2(322|345):/)]);
});

function complaintsAbout(name: string): string[] {
  return said.split("\n").filter((line) => line.includes(`${name}.ts(`));
}
