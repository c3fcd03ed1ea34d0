import type { Env } from "../../src/edge/env.ts";
import odd from "../../test/support/odd-worker.ts";
import type { Plant } from "./options.ts";

export * from "../../test/support/odd-worker.ts";

/**
 * The Worker with a defect, to see that it is found. The header `x-test-plant` on any request plants one in this isolate; the
 * next call that it fits shows it. Only `npm run chaos -- --plant` serves this module.
 */
let planted: Plant | null = null;

type Fetch = (request: Request) => Promise<Response>;
type Defect = (request: Request, body: string, pass: Fetch) => Promise<Response | null>;

const isPost = ({ method, url }: Request, path: string) =>
  method === "POST" && new URL(url).pathname === path;
const withBody = (request: Request, body: string) => new Request(request, { method: "POST", body });

const DEFECTS: Readonly<Record<Plant, Defect>> = {
  "lost-report": async (request, body) => {
    if (!isPost(request, "/v1/runs") || body.includes("forbidden")) return null;
    return Response.json(JSON.parse(body), { status: 201 });
  },
  "doubled-settlement": async (request, body, pass) => {
    if (!isPost(request, "/v1/runs") || !body.includes('"reservation_id"')) return null;
    const { reservation_id: _, ...run } = JSON.parse(body) as { id: string; reservation_id: string };
    const again = JSON.stringify({ ...run, id: `${run.id}-again`, incurred: true });
    await pass(withBody(request, again));
    return pass(withBody(request, body));
  },
  "skipped-check": async (request, body, pass) => {
    if (!isPost(request, "/v1/edge/decision") || !body.includes("forbidden")) return null;
    return pass(withBody(request, body.replace(/"forbidden[^"]*"/, '"m"')));
  },
  "overspent-limit": async (request, body, pass) => {
    if (!isPost(request, "/v1/edge/decision")) return null;
    const answer = await pass(withBody(request, body));
    if (answer.status !== 402) return answer;
    const expires_at = new Date(Date.now() + 900_000).toISOString();
    return Response.json({
      decision: "allow",
      reservation: { id: `rsv_${crypto.randomUUID()}`, expires_at },
    });
  },
  "logged-secret": async (request, body, pass) => {
    if (!isPost(request, "/v1/runs")) return null;
    console.log(JSON.stringify({ message: "a call", header: request.headers.get("authorization") }));
    return pass(withBody(request, body));
  },
};

/** A limit has room for some more calls after the first one that is too many. */
const LASTS: ReadonlySet<Plant> = new Set(["overspent-limit"]);

export default {
  async fetch(request, env, context) {
    const told = request.headers.get("x-test-plant");
    if (told !== null) planted = told as Plant;
    const pass: Fetch = async (one) => odd.fetch(one as typeof request, env, context);
    if (planted === null || request.method !== "POST") return pass(request);
    const plant = planted;
    const body = await request.text();
    const answer = await DEFECTS[plant](request, body, pass);
    if (answer !== null && !LASTS.has(plant)) planted = null;
    return answer ?? pass(withBody(request, body));
  },
} satisfies ExportedHandler<Env>;
