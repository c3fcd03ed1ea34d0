import { vi } from "vitest";
import { call, newOrg, operatorKey, type TestOrg } from "./worker.ts";
import { PATIENT } from "./patience.ts";

/** Receivers of webhooks that replace the network: each URL answers as its test says. */

export interface Received {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  readonly event: { id: string; type: string; created_at: string; org_id: string; data: object };
}

type Answer = (nth: number) => Response | Promise<Response>;

const answers = new Map<string, Answer>();
const arrived: Received[] = [];

/**
 * From the first subscriber on, because what falls due after a test has ended must not reach the real network. Repeated
 * for each, because files share an isolate and one of them may have set its own.
 */
export function takeNetwork(): void {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const body = await request.text();
    const { url, headers } = request;
    const answer = answers.get(url);
    if (answer === undefined) throw new Error(`nobody answers at ${url}`);
    arrived.push({ url, headers, body, event: JSON.parse(body) as Received["event"] });
    return answer(receivedAt(url).length);
  });
}

export function receivedAt(url: string): Received[] {
  return arrived.filter((received) => received.url === url);
}

/** Waits until exactly this many have arrived. */
export async function arrivedAt(url: string, count: number): Promise<void> {
  await vi.waitUntil(() => receivedAt(url).length === count, PATIENT);
}

let addresses = 0;

/** A new URL. `answer` gets the number of letters that have arrived there. */
export function receiver(answer: Answer = () => new Response("ok"), path = "/hook"): string {
  const url = `http://receiver-${++addresses}.test${path}`;
  answers.set(url, answer);
  return url;
}

/** Fails this many times, with that status, before it succeeds. */
export const failing =
  (times: number, status = 500, headers: Record<string, string> = {}): Answer =>
  (nth) =>
    nth <= times ? new Response("no", { status, headers }) : new Response("ok");

/** Answers only when told to. It polls, because one request cannot wake another's promise. */
export function hanging(): { answer: Answer; release(): void } {
  const state = { released: false };
  const answer = async () => {
    while (!state.released) await scheduler.wait(10);
    return new Response("at last");
  };
  return { answer, release: () => (state.released = true) };
}

export interface Subscriber extends TestOrg {
  subscribe(url: string, events?: string[]): Promise<{ id: string; secret?: string }>;
  ask(method: string, path: string, body?: object): ReturnType<typeof call>;
  /** Moves the org's clock. Returns once what fell due has run. */
  advance(seconds: number): Promise<void>;
  /** Moves the clock by a negligible amount. Returns once what was already due has run. */
  settle(): Promise<void>;
  deliveries(webhookId: string): Promise<DeliveryView[]>;
}

export interface DeliveryView {
  id: string;
  event_id: string;
  event_type: string;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  response_status: number | null;
  error: string | null;
  latency_ms: number | null;
  replay_of: string | null;
  attempt_log: { attempt: number; at: string; response_status: number | null; response_excerpt: string }[];
}

export async function newSubscriber(): Promise<Subscriber> {
  takeNetwork();
  const org = await newOrg({ environment: "test" });
  const ask: Subscriber["ask"] = (method, path, body) =>
    call(method, `/v1/orgs/${org.id}${path}`, { key: operatorKey(), ...(body && { body }) });
  const advance = async (seconds: number) => {
    const moved = await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, {
      key: operatorKey(),
      body: { advance_seconds: seconds },
    });
    if (moved.status !== 200) throw new Error(`clock: ${moved.status} ${moved.text}`);
  };
  return {
    ...org,
    ask,
    advance,
    settle: () => advance(1),
    async subscribe(url, events = ["*"]) {
      const made = await ask("POST", "/webhooks", { url, events });
      if (made.status !== 201) throw new Error(`no webhook: ${made.status} ${made.text}`);
      return made.body as { id: string; secret?: string };
    },
    async deliveries(webhookId) {
      const listed = await ask("GET", `/webhooks/${webhookId}/deliveries?sort=created_at&limit=200`);
      return (listed.body as { data: DeliveryView[] }).data;
    },
  };
}

/** The fields that a response reports as wrong. */
export const fieldsOf = (answer: { body: { error: { details: { fields: { field: string }[] } } } }) =>
  answer.body.error.details.fields.map(({ field }) => field);
