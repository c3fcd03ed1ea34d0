import { PLATFORM_ORG_ID } from "../../src/contract/platform-org.ts";
import type { OrgObject } from "../../src/org/object.ts";
import { ASK_PATH, type ClockReading } from "./clock.ts";

interface Env {
  readonly ORG: DurableObjectNamespace<OrgObject & { catchUp(): void }>;
  /** Answered by the process that started the runtime, and by nothing else. */
  readonly LOCAL_CLOCK: Fetcher;
}

interface Program {
  readonly OrgObject: typeof OrgObject;
  readonly default: { fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> };
}

const realNow = Date.now.bind(Date);
/** Null: it has not asked yet. */
let behindMs: number | null = null;
Date.now = () => realNow() - (behindMs ?? 0);

const hasCaughtUp = () => behindMs === 0;

/**
 * The Worker with a clock that starts in the past, and is moved ahead until it is the real one, for good. Nothing in a
 * request says what time it is: at most, the Worker asks.
 */
export const startInThePast = (program: Program) => ({
  worker: {
    ...program.default,
    async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
      if (hasCaughtUp()) return program.default.fetch(request, env, context);
      const isTold = new URL(request.url).pathname === ASK_PATH;
      if (isTold || behindMs === null) await askTheTime(env);
      return isTold ? new Response(null, { status: 204 }) : program.default.fetch(request, env, context);
    },
  },
  OrgObject: class extends program.OrgObject {
    /** The runtime knows the real time alone, so to it every alarm of the past is due. */
    override alarm(): void | Promise<void> {
      if (hasCaughtUp()) return super.alarm();
    }

    /** Does what is due by now. */
    catchUp(): void | Promise<void> {
      return super.alarm();
    }
  },
});

async function askTheTime(env: Env): Promise<void> {
  const answer = await env.LOCAL_CLOCK.fetch("http://clock.invalid/");
  const reading: ClockReading = await answer.json();
  behindMs = reading.behindMs;
  if (!hasCaughtUp()) return;
  for (const id of [PLATFORM_ORG_ID, reading.orgId]) {
    if (id !== null) await env.ORG.getByName(id).catchUp();
  }
}
