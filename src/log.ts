/** Anything that looks like a key of ours, wherever it turns up in a text. */
const SECRET = /svc_(live|test|operator|support)_[0-9A-Za-z_]+|whsec_[0-9A-Za-z+/=]+/g;

function withoutSecrets(text: string): string {
  return text.replaceAll(SECRET, "[secret]");
}

/** The cause of a failure, for operators: never part of any answer. */
export function logFailure(trace: string, error: unknown): void {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  write("error", { level: "error", trace, cause: withoutSecrets(cause) });
}

/** One line of JSON. */
export function logLine(line: object): void {
  write("log", line);
}

/** A line that is JSON already. */
export function logText(line: string): void {
  // oxlint-disable-next-line no-console -- like `write`
  console.log(line);
}

function write(level: "log" | "error", line: object): void {
  // oxlint-disable-next-line no-console -- the one place that writes the log
  console[level](JSON.stringify(line));
}
