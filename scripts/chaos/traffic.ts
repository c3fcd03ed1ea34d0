import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Caller } from "./caller.ts";
import type { Allow } from "./history.ts";
import { heldUntil, nowMs } from "./history.ts";
import { pick, type Random } from "./random.ts";
import { FORBIDDEN_MODEL, inNanos, inUsd, type Org } from "./world.ts";

/** What the callers of an org have in common. */
export interface Traffic {
  readonly random: Random;
  readonly secrets: Map<string, string>;
  readonly unpromised: string[];
  /** Counts every answer, so that faults can wait for progress. */
  answers: number;
  isOver: boolean;
}

const HOLD_NANOS = 2;
const HOUR_SECONDS = 3600;
/** Longer than callers and clocks of orgs go on, and less than what is waited for in the end. */
const KEPT_SECONDS = 6 * HOUR_SECONDS;
const BULK = 5;

interface Turn {
  readonly org: Org;
  readonly name: string;
  readonly traffic: Traffic;
}

const aRun = (id: string, nanos: number, fields: object = {}) => ({
  id,
  started_at: "2026-11-15T02:00:00Z",
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: inUsd(nanos),
  customer_id: `c${id.length % 3}`,
  ...fields,
});

/** Notes an answer that the contract does not promise to such a call. */
function promise(traffic: Traffic, what: string, status: number, promised: readonly number[]): boolean {
  traffic.answers += 1;
  if (promised.includes(status)) return true;
  traffic.unpromised.push(`${what} was answered with ${status}`);
  return false;
}

async function runAlone({ org, name, traffic }: Turn): Promise<void> {
  org.ledger.sends(name, 1);
  const { status } = await org.caller.send("POST", "/v1/runs", aRun(name, 1));
  if (promise(traffic, `${org.name}: run ${name}`, status, [200, 201])) org.ledger.acknowledged(name);
}

/** Some in bulk, and often the same bulk again. */
async function runsInBulk({ org, name, traffic }: Turn): Promise<void> {
  const ids = Array.from({ length: BULK }, (_, index) => `${name}-${index}`);
  for (const id of ids) org.ledger.sends(id, 1);
  const bulk = { runs: ids.map((id) => aRun(id, 1)) };
  for (let times = traffic.random() < 0.5 ? 2 : 1; times > 0; times -= 1) {
    const { status, body } = await org.caller.send("POST", "/v1/runs/bulk", bulk);
    if (!promise(traffic, `${org.name}: bulk ${name}`, status, [200])) continue;
    const results = body["results"] as { id: string; status: string; error?: object }[];
    for (const { id, status: result, error } of results) {
      if (result !== "rejected") org.ledger.acknowledged(id);
      else traffic.unpromised.push(`${org.name}: ${id} of a bulk was rejected: ${JSON.stringify(error)}`);
    }
  }
}

/** Asks until it is answered; null where it was refused. */
async function allow(
  { org, name, traffic }: Turn,
  ask: object,
  end: Allow["end"] = "unknown",
): Promise<string | null> {
  const sentAt = nowMs();
  const body = { request_id: name, model: "m", estimate: { cost_usd: inUsd(HOLD_NANOS) }, ...ask };
  const answer = await org.caller.send("POST", "/v1/edge/decision", body);
  if (!promise(traffic, `${org.name}: decision ${name}`, answer.status, [200])) return null;
  return noteAllow(org, answer, { sentAt, nanos: HOLD_NANOS, end });
}

function noteAllow(
  { ledger }: Org,
  { body }: Answer,
  asked: Pick<Allow, "nanos" | "sentAt" | "end">,
): string {
  const { id, expires_at: expiresAt } = body["reservation"] as { id: string; expires_at: string };
  ledger.allowed({ ...asked, reservation: id, answeredAt: nowMs(), heldUntil: heldUntil(expiresAt) });
  return id;
}

async function settle(
  { org, traffic }: Turn,
  run: string,
  reservation: string,
  promised = [200, 201],
): Promise<boolean> {
  org.ledger.sends(run, HOLD_NANOS, reservation);
  const body = aRun(run, HOLD_NANOS, { reservation_id: reservation });
  const { status } = await org.caller.send("POST", "/v1/runs", body);
  promise(traffic, `${org.name}: settlement ${run}`, status, promised);
  if (status < 300) org.ledger.acknowledged(run);
  return status < 300;
}

/** Short ones are for isolates, long ones for the object, and the text to scan must not stay anywhere. */
function anAsk({ name, traffic }: Turn): object {
  const kind = Math.floor(traffic.random() * 3);
  if (kind === 0) return {};
  if (kind === 1) return { hold_seconds: HOUR_SECONDS };
  const input = `input-of-${name}-${"0123456789".repeat(3)}-${Math.floor(traffic.random() * 1e9)}`;
  traffic.secrets.set(input, `the input of ${name}`);
  return { checks: "all", input };
}

async function decideAndSettle(turn: Turn): Promise<void> {
  const id = await allow(turn, anAsk(turn));
  if (id !== null) await settle(turn, turn.name, id);
}

/** Two runs for one reservation, at once: one of them is its settlement. */
async function settleTwice(turn: Turn): Promise<void> {
  const id = await allow(turn, anAsk(turn));
  if (id === null) return;
  const ids = [`${turn.name}-x`, `${turn.name}-y`];
  const taken = await Promise.all(ids.map((run) => settle(turn, run, id, [200, 201, 409, 422])));
  if (!taken.includes(true)) turn.traffic.unpromised.push(`${turn.org.name}: no run settled ${id}`);
}

async function decideAndRelease(turn: Turn): Promise<void> {
  const { org, traffic } = turn;
  const id = await allow(turn, anAsk(turn));
  if (id === null) return;
  const { status } = await org.caller.send("DELETE", `/v1/edge/decision/${id}`);
  if (promise(traffic, `${org.name}: release of ${id}`, status, [204])) org.ledger.ended(id, "released");
}

async function renewAndSettle(turn: Turn): Promise<void> {
  const { org, traffic, name } = turn;
  const id = await allow(turn, { hold_seconds: HOUR_SECONDS });
  if (id === null) return;
  const renewed = await org.caller.send("POST", `/v1/edge/decision/${id}/renew`, {
    hold_seconds: HOUR_SECONDS * 2,
  });
  promise(traffic, `${org.name}: renewal of ${id}`, renewed.status, [200]);
  await settle(turn, name, id);
}

/** Nobody says what became of it. */
async function leave(turn: Turn): Promise<void> {
  const isCharged = turn.traffic.random() < 0.5;
  const on_expiry = isCharged ? "charge" : "release";
  await allow(turn, { hold_seconds: KEPT_SECONDS, on_expiry }, isCharged ? "charged" : "kept");
}

/** What a rule forbids, as a decision and as a run. */
async function forbidden({ org, name, traffic }: Turn): Promise<void> {
  const ask = { model: FORBIDDEN_MODEL, checks: "all", estimate: { cost_usd: inUsd(HOLD_NANOS) } };
  const run = aRun(`${name}-forbidden`, 1, { model: FORBIDDEN_MODEL });
  for (const [path, body] of [
    ["/v1/edge/decision", ask],
    ["/v1/runs", run],
  ] as const) {
    const { status } = await org.caller.send("POST", path, body);
    promise(traffic, `${org.name}: ${path} with a forbidden model`, status, [403]);
    org.ledger.forbidden.push({ what: `${path} with a model that a rule denies`, status });
  }
}

const AFTER_REVOCATION = 10;

/** A key that works, is revoked, and from then on works nowhere. */
async function revoke({ org, name, traffic }: Turn): Promise<void> {
  const path = `/v1/orgs/${org.id}/keys`;
  const made = await org.caller.send("POST", path, { name, role: "developer" });
  if (!promise(traffic, `${org.name}: key ${name}`, made.status, [201])) return;
  const { id, key } = made.body as { id: string; key: string };
  traffic.secrets.set(key, `key ${name}`);
  const holder: Caller = org.caller.as(key);
  const ask = { estimate: { cost_usd: "0" } };
  for (let at = 0; at < AFTER_REVOCATION; at += 1) await holder.try("POST", "/v1/edge/decision", ask);
  // A repeated revocation may find the key gone.
  const revoked = await org.caller.send("DELETE", `${path}/${id}`);
  promise(traffic, `${org.name}: revocation of ${name}`, revoked.status, [204, 404, 410]);
  for (let at = 0; at < AFTER_REVOCATION; at += 1) {
    const answer = await holder.try("POST", "/v1/edge/decision", ask);
    if (answer === null) continue;
    org.ledger.forbidden.push({ what: `a decision with the revoked key ${id}`, status: answer.status });
  }
}

const TURNS = [
  runAlone,
  runAlone,
  runsInBulk,
  runsInBulk,
  decideAndSettle,
  decideAndSettle,
  decideAndSettle,
  settleTwice,
  decideAndRelease,
  renewAndSettle,
  leave,
  revoke,
] as const;

/** Each so many turns one must be refused, so that a short run has some. */
const FORBIDDEN_EACH = 5;

/** A caller at work until all is over, one turn after the other. */
export async function call(org: Org, caller: string, traffic: Traffic): Promise<void> {
  for (let at = 0; !traffic.isOver; at += 1) {
    const take = at % FORBIDDEN_EACH === 1 ? forbidden : pick(traffic.random, TURNS);
    await take({ org, traffic, name: `${caller}-${at}` });
  }
}

const GROWING_NANOS = 10;
const REFUSED_PAUSE_MS = 50;
/** The least that can be asked for: it expires while callers are at work. */
const SHORT_SECONDS = 30;

/** As they are decided in isolates and by the object; some expire soon, and some of those are charged then. */
const GROWING: readonly [Growth, ...Growth[]] = [
  { ask: {}, end: "unknown" },
  { ask: { checks: "all" }, end: "unknown" },
  { ask: { hold_seconds: SHORT_SECONDS }, end: "kept" },
  { ask: { hold_seconds: SHORT_SECONDS, on_expiry: "charge" }, end: "charged" },
];
interface Growth {
  readonly ask: object;
  readonly end: Allow["end"];
}

/** Decides as long as there is room, and settles at the estimate or not at all. Nothing is asked twice, and nothing is released. */
export async function useUp(org: Org, caller: string, traffic: Traffic): Promise<void> {
  for (let at = 0; !traffic.isOver; at += 1) {
    const { ask, end } = pick(traffic.random, GROWING);
    const sentAt = nowMs();
    const body = { model: "m", estimate: { cost_usd: inUsd(GROWING_NANOS) }, ...ask };
    const answer = await org.caller.try("POST", "/v1/edge/decision", body);
    if (answer !== null) promise(traffic, `${org.name}: decision`, answer.status, [200, 402, 503]);
    if (answer?.status !== 200) {
      if (answer?.status === 402) org.ledger.limited += 1;
      else if (end === "charged") org.ledger.unheardNanos.push(GROWING_NANOS);
      await sleep(REFUSED_PAUSE_MS);
      continue;
    }
    const id = noteAllow(org, answer, { sentAt, nanos: GROWING_NANOS, end });
    if (end !== "unknown" || traffic.random() < 0.3) continue;
    const run = `${caller}-${at}`;
    org.ledger.sends(run, GROWING_NANOS, id);
    const settlement = aRun(run, GROWING_NANOS, { reservation_id: id });
    const { status } = await org.caller.send("POST", "/v1/runs", settlement);
    if (promise(traffic, `${org.name}: settlement ${run}`, status, [200, 201])) org.ledger.acknowledged(run);
  }
}

/** Raises the limit a little above what is used, and sometimes lowers it below that. */
export async function changeLimits(org: Org, traffic: Traffic): Promise<void> {
  const path = `/v1/orgs/${org.id}/budgets/${org.budgetId}`;
  while (!traffic.isOver) {
    await sleep(300 + traffic.random() * 1500);
    const { body } = await org.caller.send("GET", path);
    const used = inNanos(body["spent_usd"]) + inNanos(body["reserved_usd"]);
    const nanos =
      traffic.random() < 0.4 ? Math.floor(used / 2) + 1 : used + Math.floor(traffic.random() * 1000);
    const sentAt = nowMs();
    const { status } = await org.caller.send("PATCH", path, { limit_usd: inUsd(nanos) });
    promise(traffic, `${org.name}: a new limit`, status, [200]);
    org.ledger.limits.push({ nanos, sentAt, answeredAt: nowMs() });
  }
}
