import { beforeAll, expect, test } from "vitest";
import { complaintsAbout, ROOT } from "../support/compiled.ts";

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

const PREAMBLE = `
import { z } from "zod";
import { type ListQuery, pageOf } from "${ROOT}/src/contract/list.ts";
import { budget } from "${ROOT}/src/contract/resources/budgets/budgets.ts";
import { key } from "${ROOT}/src/contract/resources/keys.ts";
import { operation, reply } from "${ROOT}/src/edge/request/operation.ts";
import { type Answer, type AnswerOf, type Body, type Command, command, done } from "${ROOT}/src/org/kernel/door.ts";
import type { ErrorCode } from "${ROOT}/src/contract/errors.ts";

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

let about: (name: string) => string[];

beforeAll(async () => {
  about = await complaintsAbout("replies", PLANTED, PREAMBLE);
});

test.each(Object.keys(PLANTED).filter((name) => name.startsWith("kept")))("%s compiles", (name) => {
  expect(about(name)).toEqual([]);
});

test.each(Object.keys(PLANTED).filter((name) => !name.startsWith("kept")))("%s does not compile", (name) => {
  expect(about(name)).toEqual([expect.stringMatching(/error TS2(322|345):/)]);
});
