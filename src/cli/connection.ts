import { Sluice, type SluiceOptions } from "../client/index.ts";
import { type CommandInput, Failure, type Terminal, text, UsageError, wholeNumber } from "./command.ts";

/** Starting and trying a lost connection again take up to two seconds more. */
const ANSWER_SECONDS = 3;
export const ANSWER_MS = ANSWER_SECONDS * 1000;
const LONGEST_SECONDS = 600;
/** The limit of a command is shorter than any limit of the client's own. */
const LONGEST_MS = 2 * LONGEST_SECONDS * 1000;

type Fetch = NonNullable<SluiceOptions["fetch"]>;

export const CALL_OPTIONS = {
  timeout: { type: "string", says: `how many seconds to wait for an answer: ${ANSWER_SECONDS}` },
} as const;

/** The org that commands act on, where it is not the key's own. */
export const ORG_OPTION = {
  ...CALL_OPTIONS,
  org: { type: "string", says: "the org, for an operator's key; otherwise the key's own" },
} as const;

export function clientFor(given: CommandInput, { env, fetch, answerMs }: Terminal): Sluice {
  const key = env["SLUICE_KEY"]?.trim() ?? "";
  if (key === "") {
    throw new Failure([
      "SLUICE_KEY is not set. Set it to an API key: npm start prints one, and the console makes them (Keys)",
    ]);
  }
  const url = addressIn(env);
  const seconds = wholeNumber(given, "timeout");
  if (seconds !== undefined && (seconds < 1 || seconds > LONGEST_SECONDS))
    throw new UsageError(`--timeout must be 1 to ${LONGEST_SECONDS} seconds, not ${seconds}`);
  const limited = withinLimit(fetch, {
    ms: seconds === undefined ? answerMs : seconds * 1000,
    at: env["SLUICE_URL"] ? url : `${url} (SLUICE_URL is not set)`,
  });
  return new Sluice({ url, key, org: text(given, "org"), fetch: limited, timeoutMs: LONGEST_MS });
}

/** A CI variable that does not exist is an empty text. */
export function addressIn(env: Terminal["env"]): string {
  return env["SLUICE_URL"]?.trim() || "http://127.0.0.1:8787";
}

/** Whoever waits at a terminal waits once: after silence, no further attempt is made. */
function withinLimit(fetch: Fetch, { ms, at }: { readonly ms: number; readonly at: string }): Fetch {
  let silence: Failure | undefined;
  return async (url, init) => {
    if (silence !== undefined) throw silence;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), ms);
    try {
      return await readWhole(await fetch(url, { ...init, signal: limit.signal }));
    } catch (error) {
      if (!limit.signal.aborted) throw new Failure([`cannot reach Sluice at ${at}: ${reasonOf(error)}`]);
      const waited = `no answer from ${at} within ${ms / 1000} s`;
      throw (silence = new Failure([`${waited}: is it Sluice? --timeout waits longer`]));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** An answer that has begun can stop, too. */
async function readWhole(response: Response): Promise<Response> {
  const body = response.body === null ? null : await response.arrayBuffer();
  return Object.defineProperty(new Response(body, response), "url", { value: response.url });
}

/** Node says why a connection failed in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
  return code === "ECONNREFUSED" ? "nothing listens there (ECONNREFUSED)" : code;
}
