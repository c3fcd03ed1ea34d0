import { Complaint } from "./complaint.ts";

const PARENT_CHECK_MS = 500;
const STOP_WITHIN_MS = 5_000;

/** A setting of the script itself, from the environment. */
export function wholeNumber(name: string, fallback: number, least: number, most: number): number {
  const given = process.env[name];
  if (given === undefined || given === "") return fallback;
  const value = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Complaint(
    `${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(given)}`,
  );
}

/** `npm start -- --port 9000` would be served at the usual port. */
export function expectNoArguments([first]: readonly string[]): void {
  if (first === undefined) return;
  throw new Complaint(
    `npm start takes no arguments, such as ${JSON.stringify(first)}: its settings are in the environment, as in PORT=9000 npm start`,
  );
}

/** Whether a new data folder gets Northwind. */
export function wantsNorthwind(): boolean {
  const given = process.env["SLUICE_NORTHWIND"] || "on";
  if (given === "on" || given === "off") return given === "on";
  throw new Complaint(`SLUICE_NORTHWIND must be on or off, not ${JSON.stringify(given)}`);
}

/** The settings of a server on this machine that differ from those of wrangler.toml: receivers of webhooks are here, too. */
export const LOCAL_SETTINGS = { SVC_WEBHOOK_ALLOW_PRIVATE: "true" };

const NO_ROOM = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Lines written to a full disk are lost. They do not end the server. */
export function outliveFullOutput(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on("error", (error: NodeJS.ErrnoException) => {
      if (!NO_ROOM.has(error.code ?? "")) throw error;
    });
  }
}

/**
 * A signal, or the end of the npm that started this process, stops the server. Ctrl-C arrives twice, from the terminal
 * and from npm, so only the first counts. What does not stop in time is killed.
 */
export function onceToldToStop(stop: () => Promise<void>): void {
  let stopping = false;
  const end = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, PARENT_CHECK_MS).unref();
}
