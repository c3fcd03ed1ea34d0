import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";
import { RateLimiterMemory } from "rate-limiter-flexible";

interface Env {
  readonly COUNTER: DurableObjectNamespace<Counter>;
}

/** The minimum cost of an exact answer: one call to an object, one row written. */
export class Counter extends DurableObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, count INTEGER) STRICT");
  }

  add(name: string): number {
    const sql = `INSERT INTO counts VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET count = count + 1
      RETURNING count`;
    return Number(this.ctx.storage.sql.exec(sql, name).one()["count"]);
  }
}

/** The same size as an allow with five limits. */
const ANSWER = { decision: "allow", padding: "x".repeat(640) };

const limiter = new RateLimiterMemory({ points: 1e9, duration: 60 });

const app = new Hono<{ Bindings: Env }>();
app.post("/reference", async (context) => {
  const body = await context.req.json<{ request_id: string }>();
  return context.json({ ...ANSWER, request_id: body.request_id });
});
app.post("/upsert", async (context) => {
  const body = await context.req.json<{ request_id: string; customer_id: string }>();
  const count = await context.env.COUNTER.getByName("one").add(body.customer_id);
  return context.json({ ...ANSWER, request_id: body.request_id, count });
});
app.post("/limiter", async (context) => {
  const body = await context.req.json<{ request_id: string; customer_id: string }>();
  const { remainingPoints } = await limiter.consume(body.customer_id);
  return context.json({ ...ANSWER, request_id: body.request_id, remainingPoints });
});

export default app;
