import { SAFE_ID } from "../../contract/bounds.ts";
import { ATTRIBUTED, isTagValue, MOST_TAGS, TAG_NAME } from "../../contract/dimensions.ts";
import { REPORTED_OUTCOMES } from "../../contract/lists.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import { MAX_BATCH, MAX_TOKENS } from "../../contract/runs.ts";
import { SCOPE_FIELDS } from "../../contract/scopes.ts";
import {
  MOST_UNITS,
  partAboveTotal,
  PRICE_NAME,
  type RunUsage,
  TOKEN_PARTS,
} from "../../contract/token-classes.ts";
import { TRACE_PARENT } from "../../contract/traceparent.ts";
import { isUsd } from "../price/money.ts";
import { MOST_DEPTH, structureProblem } from "../text/json-bounds.ts";
import { spellsLoneSurrogate } from "../text/unicode.ts";
import { type Check, lastSecond, lastValue } from "./last-value.ts";
import { plainRuns } from "./plain/runs.ts";

/**
 * The only readers of runs. They decide what is a run, ten times faster than its schema, which only explains what they
 * refuse. A test holds both together.
 */

/** The objects and lists that a run of a batch is in: the body, its list and the run. */
const AROUND_FIELDS = 3;

/** The checks of a run that is sent by itself. Made once: they only remember values that passed. */
let checksAlone: Checks | null = null;

/** A run as it was sent by itself. Null if anything about it is wrong. */
export function readRun(text: string): RunInput | null {
  if (spellsLoneSurrogate(text) || structureProblem(text) !== null) return null;
  const run = parsed(text);
  return isRun(run, (checksAlone ??= checksOf(MOST_DEPTH))) ? run : null;
}

/**
 * The runs of a batch. Null if anything about one of them is wrong. Whoever has the text before has refused one with half
 * of a surrogate pair, or with too many values.
 */
export function readRuns(text: string): readonly RunInput[] | null {
  return plainRuns(text) ?? readOtherRuns(text);
}

function readOtherRuns(text: string): readonly RunInput[] | null {
  const body = parsed(text);
  if (!isRecord(body) || sizeOf(body) !== 1) return null;
  const { runs } = body;
  if (!Array.isArray(runs) || runs.length < 1 || runs.length > MAX_BATCH) return null;
  const checks = checksOf(MOST_DEPTH - AROUND_FIELDS);
  return runs.every((run) => isRun(run, checks)) ? runs : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Checks = ReadonlyMap<string, Check>;

/** The check of each field, for the runs of one batch. */
function checksOf(mostDepth: number): Checks {
  const isShallowHere: Check = (value) => isShallow(value, mostDepth);
  const names = [...SCOPE_FIELDS, ...ATTRIBUTED].map((field) => [field, lastValue(isCallerId)] as const);
  const checks: Record<keyof RunInput, Check> = {
    id: isCallerId,
    started_at: lastSecond(),
    ended_at: lastSecond(),
    model: lastValue(isModel),
    action: lastValue(isCallerId),
    ...(Object.fromEntries(names) as Record<(typeof names)[number][0], Check>),
    tags: areTags,
    chain: isChain,
    usage: isUsage,
    variant: isCallerId,
    cost_usd: (value) => typeof value === "string" && isUsd(value),
    reservation_id: isSafeId,
    incurred: isFlag,
    input: isShallowHere,
    approval_id: isSafeId,
    outcome: (value) => (REPORTED_OUTCOMES as readonly unknown[]).includes(value),
    estimated: isFlag,
    requested_model: isModel,
    fallback: isCallerId,
    traceparent: (value) => typeof value === "string" && TRACE_PARENT.test(value),
    metadata: (value) => isRecord(value) && isShallowHere(value),
  };
  return new Map(Object.entries(checks));
}

function isRun(value: unknown, checks: Checks): value is RunInput {
  if (!isRecord(value)) return false;
  for (const name in value) if (checks.get(name)?.(value[name]) !== true) return false;
  const { started_at: startedAt, ended_at: endedAt, model, usage } = value as Partial<RunInput>;
  if (startedAt === undefined || model === undefined || usage === undefined) return false;
  return endedAt === undefined || isInOrder(startedAt, endedAt);
}

/** Texts of one form are in the order of time, to the millisecond at least. */
function isInOrder(from: string, to: string): boolean {
  const isOneForm = from.length === to.length && from.endsWith("Z") && to.endsWith("Z");
  return (isOneForm && from <= to) || Date.parse(from) <= Date.parse(to);
}

/** A loop, because ids are most of a batch, and this is faster than a pattern on short strings. */
function isCallerId(value: unknown): boolean {
  if (typeof value !== "string" || value.length < 1 || value.length > 128) return false;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

function isSafeId(value: unknown): boolean {
  return typeof value === "string" && SAFE_ID.test(value);
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}

function isModel(value: unknown): boolean {
  return typeof value === "string" && value.length >= 1 && value.length <= 200;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isUsage(value: unknown): boolean {
  if (!isRecord(value) || !isCount(value["input_tokens"]) || !isCount(value["output_tokens"])) return false;
  return sizeOf(value) === 2 || hasParts(value);
}

function hasParts(usage: Record<string, unknown>): boolean {
  let seen = 2;
  for (const { field } of TOKEN_PARTS) {
    const part = usage[field];
    if (part !== undefined && (!isCount(part) || !++seen)) return false;
  }
  if (usage["units"] !== undefined && (!areUnits(usage["units"]) || !++seen)) return false;
  return sizeOf(usage) === seen && partAboveTotal(usage as unknown as RunUsage) === null;
}

function areUnits(value: unknown): boolean {
  if (!isRecord(value) || sizeOf(value) > MOST_UNITS) return false;
  for (const name in value) if (!PRICE_NAME.test(name) || !isCount(value[name])) return false;
  return true;
}

function isChain(value: unknown): boolean {
  if (!isRecord(value) || !isCallerId(value["chain_id"])) return false;
  const parent = value["parent_run_id"];
  return parent === undefined ? sizeOf(value) === 1 : isCallerId(parent) && sizeOf(value) === 2;
}

function areTags(value: unknown): boolean {
  if (!isRecord(value) || sizeOf(value) > MOST_TAGS) return false;
  for (const name in value) if (!TAG_NAME.test(name) || !isTagValue(value[name])) return false;
  return true;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((part) => isShallow(part, depth - 1));
  for (const name in value) if (!isShallow((value as Record<string, unknown>)[name], depth - 1)) return false;
  return true;
}

/** How many fields there are. More than were checked means an unknown one. */
function sizeOf(value: object): number {
  return Object.keys(value).length;
}
