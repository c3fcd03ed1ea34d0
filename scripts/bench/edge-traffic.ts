import { request as httpRequest, Agent } from "node:http";

/** How calls are spread over subjects. */
export type Spread = "evenly" | "zipf";

/** Sends one decision for a subject: whether the isolate decided it, or null if it was not allowed. */
export type SendDecision = (subject: number) => Promise<boolean | null>;

export interface Counts {
  sent: number;
  atEdge: number;
  /** Not allowed, or not answered. */
  failed: number;
}

/** The next subject of a caller. Evenly: all subjects in turn, in another order each time. */
export function subjectsOf(spread: Spread, subjects: number): () => number {
  if (spread === "zipf") return zipf(subjects);
  const turn = Array.from({ length: subjects }, (_, index) => index);
  let at = subjects;
  return () => {
    if (at === subjects) {
      at = 0;
      for (let last = subjects - 1; last > 0; last -= 1) {
        const other = Math.floor(Math.random() * (last + 1));
        [turn[last], turn[other]] = [turn[other] ?? 0, turn[last] ?? 0];
      }
    }
    at += 1;
    return turn[at - 1] ?? 0;
  };
}

/** The subject of rank k is called 1/k as often as the first. */
function zipf(subjects: number): () => number {
  const sums: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= subjects; rank += 1) sums.push((sum += 1 / rank));
  return () => {
    const drawn = Math.random() * sum;
    let [low, high] = [0, subjects - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

const MOST_UNDER_WAY = 64;

/**
 * Calls at a steady rate, however long their answers take. Those that are late are sent when they can be, and no more after
 * `mostSeconds`.
 */
export async function drive(
  ask: SendDecision,
  next: () => number,
  {
    perSecond,
    seconds,
    mostSeconds = seconds,
  }: { readonly perSecond: number; readonly seconds: number; readonly mostSeconds?: number },
): Promise<Counts> {
  const counts = { sent: 0, atEdge: 0, failed: 0 };
  const started = performance.now();
  const underWay = new Set<Promise<void>>();
  for (let call = 0; call < perSecond * seconds; call += 1) {
    const dueAt = started + (call * 1000) / perSecond;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (underWay.size >= MOST_UNDER_WAY) await Promise.race(underWay);
    if (performance.now() > started + mostSeconds * 1000) break;
    const one = counted(ask(next()), counts);
    underWay.add(one);
    void one.finally(() => underWay.delete(one));
  }
  await Promise.all(underWay);
  return counts;
}

async function counted(answer: ReturnType<SendDecision>, counts: Counts): Promise<void> {
  const atEdge = await answer;
  counts.sent += 1;
  if (atEdge === null) counts.failed += 1;
  else if (atEdge) counts.atEdge += 1;
}

const agent = new Agent({ keepAlive: true });

/** A decision over HTTP, through the isolate at this address. */
export function askOver(url: string, key: string, bodyOf: (subject: number) => object): SendDecision {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return (subject) =>
    new Promise((resolve) => {
      const body = JSON.stringify(bodyOf(subject));
      const options = { method: "POST", agent, headers: { ...headers, "content-length": body.length } };
      const sent = httpRequest(`${url}/v1/edge/decision`, options, (response) => {
        response.resume();
        response.on("end", () =>
          resolve(response.statusCode === 200 ? response.headers["x-svc-decided"] === "edge" : null),
        );
      });
      sent.on("error", () => resolve(null));
      sent.end(body);
    });
}
