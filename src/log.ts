/** Anything that looks like one of our keys, anywhere in a text. */
const SECRET = /svc_(live|test|operator|support|customer)_[0-9A-Za-z_]+|whsec_[0-9A-Za-z+/=]+/g;

export function withoutSecrets(text: string): string {
  return text.replaceAll(SECRET, "[secret]");
}

/** The cause of a failure, for operators. Never part of a response. */
export function logFailure(trace: string, error: unknown): void {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  write("error", { level: "error", trace, cause: withoutSecrets(cause) });
}

/** Logs a problem that whoever runs the service has to mend, in fields that can be searched for. */
export function logProblem(line: object): void {
  write("error", { level: "error", ...line });
}

/** One line of JSON. */
export function logLine(line: object): void {
  write("log", line);
}

/** A line that is already JSON. */
export function logNow(line: string): void {
  // oxlint-disable-next-line no-console -- like `write`
  console.log(line);
}

const MOST_GATHERED = 64;
const GATHER_MS = 200;
let gathered: string[] = [];
/** When what gathers will be written; null if nobody waits for that. */
let dueAtMs: number | null = null;

/**
 * The same for a request that was served: writing its line alone would cost a tenth of it. Lines are gathered for at most
 * a fifth of a second and written together, each with its own trace id. One timer serves them all. A timer that is long
 * overdue ended with the request that it belonged to.
 */
export function logSoon(line: string, nowMs: number, waitUntil: (work: Promise<unknown>) => void): void {
  gathered.push(line);
  if (gathered.length >= MOST_GATHERED) writeGathered();
  else if (dueAtMs === null || nowMs > dueAtMs + GATHER_MS) {
    dueAtMs = nowMs + GATHER_MS;
    waitUntil(scheduler.wait(GATHER_MS).then(writeAfterWait));
  }
}

function writeAfterWait(): void {
  dueAtMs = null;
  writeGathered();
}

function writeGathered(): void {
  if (gathered.length === 0) return;
  const lines = gathered.join("\n");
  gathered = [];
  logNow(lines);
}

function write(level: "log" | "error", line: object): void {
  // oxlint-disable-next-line no-console -- the one place that writes the log
  console[level](JSON.stringify(line));
}
