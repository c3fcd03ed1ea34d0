import { ATTRIBUTED, isTagValue, MOST_TAGS, TAG_NAME } from "../../contract/dimensions.ts";
import { REPORTED_OUTCOMES } from "../../contract/lists.ts";
import { MAX_BATCH, MAX_TOKENS } from "../../contract/runs.ts";
import type { ScopeField } from "../../contract/scopes.ts";
import { TRACE_PARENT } from "../../contract/traceparent.ts";
import { isUsd } from "../price/money.ts";
import { plainRuns } from "./plain/runs.ts";
import { isTime, LastValue, LastSecond } from "./last-value.ts";
import {
  MOST_UNITS,
  partAboveTotal,
  PRICE_NAME,
  type RunUsage,
  TOKEN_PARTS,
} from "../../contract/token-classes.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";

/**
 * The schema of a run, checked by hand: ten times faster than the schema, which then only explains what this refuses.
 * Whatever passes here, the schema accepts unchanged. A test compares the two.
 */

const MAX_DEPTH = 24;
const SAFE_ID = /^[A-Za-z0-9_]{1,64}$/;

/** For the runs of one batch. */
class Checks {
  readonly startedAt = new LastSecond();
  readonly model = new LastValue(isModel);
  readonly action = new LastValue(isCallerId);
  readonly workflow = new LastValue(isCallerId);
  readonly deployment = new LastValue(isCallerId);
  readonly department = new LastValue(isCallerId);
  readonly customer = new LastValue(isCallerId);
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

function isTraceParent(value: unknown): boolean {
  return typeof value === "string" && TRACE_PARENT.test(value);
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}

function isModel(value: unknown): boolean {
  return typeof value === "string" && value.length >= 1 && value.length <= 200;
}

function isAmount(value: unknown): boolean {
  return typeof value === "string" && isUsd(value);
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
  return Object.entries(value).every(([name, count]) => PRICE_NAME.test(name) && isCount(count));
}

function isChain(value: unknown): boolean {
  if (!isRecord(value) || !isCallerId(value["chain_id"])) return false;
  const parent = value["parent_run_id"];
  return parent === undefined ? sizeOf(value) === 1 : isCallerId(parent) && sizeOf(value) === 2;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isShallow(part, depth - 1));
}

function areTags(value: unknown): boolean {
  if (!isRecord(value) || sizeOf(value) > MOST_TAGS) return false;
  return Object.entries(value).every(([name, text]) => TAG_NAME.test(name) && isTagValue(text));
}

function isOutcome(value: unknown): boolean {
  return (REPORTED_OUTCOMES as readonly unknown[]).includes(value);
}

/** How many fields there are. More than were checked means an unknown one. */
function sizeOf(value: object): number {
  return Object.keys(value).length;
}

/** How many scopes it names. -1 if one of them is wrong. Each is written out, because this is done for every run. */
function scopesIn(run: { readonly [Field in ScopeField]?: unknown }, checks: Checks): number {
  let seen = 0;
  const { workflow_id, deployment_id, department_id, customer_id } = run;
  if (workflow_id !== undefined && (!checks.workflow.accepts(workflow_id) || !++seen)) return -1;
  if (deployment_id !== undefined && (!checks.deployment.accepts(deployment_id) || !++seen)) return -1;
  if (department_id !== undefined && (!checks.department.accepts(department_id) || !++seen)) return -1;
  if (customer_id !== undefined && (!checks.customer.accepts(customer_id) || !++seen)) return -1;
  return seen;
}

/** Fields that few runs have. -1 if one of them is wrong. */
function rareFields(run: RunInput): number {
  let seen = 0;
  if (run.ended_at !== undefined) {
    if (!isTime(run.ended_at) || Date.parse(run.ended_at) < Date.parse(run.started_at)) return -1;
    seen++;
  }
  if (run.chain !== undefined && (!isChain(run.chain) || !++seen)) return -1;
  if (run.reservation_id !== undefined && (!isSafeId(run.reservation_id) || !++seen)) return -1;
  if (run.incurred !== undefined && (typeof run.incurred !== "boolean" || !++seen)) return -1;
  for (const field of ATTRIBUTED) {
    if (run[field] !== undefined && (!isCallerId(run[field]) || !++seen)) return -1;
  }
  if (run.tags !== undefined && (!areTags(run.tags) || !++seen)) return -1;
  if (run.outcome !== undefined && (!isOutcome(run.outcome) || !++seen)) return -1;
  if (run.estimated !== undefined && (typeof run.estimated !== "boolean" || !++seen)) return -1;
  if (run.variant !== undefined && (!isCallerId(run.variant) || !++seen)) return -1;
  if (run.requested_model !== undefined && (!isModel(run.requested_model) || !++seen)) return -1;
  if (run.fallback !== undefined && (!isCallerId(run.fallback) || !++seen)) return -1;
  if (run.traceparent !== undefined && (!isTraceParent(run.traceparent) || !++seen)) return -1;
  if (run.approval_id !== undefined && (!isSafeId(run.approval_id) || !++seen)) return -1;
  if (run.input !== undefined && (!isShallow(run.input, MAX_DEPTH) || !++seen)) return -1;
  if (run.metadata !== undefined) {
    if (!isRecord(run.metadata) || !isShallow(run.metadata, MAX_DEPTH)) return -1;
    seen++;
  }
  return seen;
}

export function isWellFormedRun(value: unknown, checks = new Checks()): value is RunInput {
  if (!isRecord(value)) return false;
  const run = value as unknown as RunInput;
  if (!checks.startedAt.accepts(run.started_at) || !checks.model.accepts(run.model)) return false;
  if (!isUsage(run.usage)) return false;
  let seen = 3;
  if (run.id !== undefined && (!isCallerId(run.id) || !++seen)) return false;
  if (run.action !== undefined && (!checks.action.accepts(run.action) || !++seen)) return false;
  if (run.cost_usd !== undefined && (!isAmount(run.cost_usd) || !++seen)) return false;
  const scopes = scopesIn(run, checks);
  if (scopes < 0) return false;
  seen += scopes;
  const size = sizeOf(value);
  if (size === seen) return true;
  const rare = rareFields(run);
  return rare > 0 && size === seen + rare;
}

/** The runs of a batch. Null if anything in it is wrong. */
export function wellFormedBatch(text: string): readonly RunInput[] | null {
  return plainRuns(text) ?? checkedBatch(text);
}

/** The runs of a batch that was checked before. */
export function batchOf(text: string): readonly RunInput[] {
  return plainRuns(text) ?? (JSON.parse(text) as { runs: RunInput[] }).runs;
}

function checkedBatch(text: string): readonly RunInput[] | null {
  const body = parsed(text);
  if (!isRecord(body) || sizeOf(body) !== 1) return null;
  const { runs } = body;
  if (!Array.isArray(runs) || runs.length < 1 || runs.length > MAX_BATCH) return null;
  const checks = new Checks();
  return runs.every((run) => isWellFormedRun(run, checks)) ? runs : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
