/** `npm start`: the whole product on this machine, with a demo org to try it on. */
import { Complaint, run } from "./complaint.ts";
import { dataFolderPath } from "./data-folder.ts";
import { ensureDemo, welcome } from "./demo.ts";
import { type Server, startServer } from "./server.ts";

const PARENT_CHECK_MS = 500;
const MOST_ISOLATES = 16;

await run(async () => {
  const running: { server?: Server } = {};
  onceToldToStop(async () => running.server?.dispose());
  const server = await startServer({
    port: wholeNumber("PORT", 8787, 0, 65_535),
    isolates: wholeNumber("ISOLATES", 1, 1, MOST_ISOLATES),
    dataDir: dataFolderPath(process.env),
    settings: process.env,
    onRemark: (line) => console.error(line),
  });
  running.server = server;
  try {
    const demo = await ensureDemo(server);
    console.log(welcome(server, demo));
  } catch (error) {
    await server.dispose();
    throw error;
  }
});

function wholeNumber(name: string, fallback: number, least: number, most: number): number {
  const given = process.env[name];
  if (given === undefined || given === "") return fallback;
  const value = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Complaint(
    `${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(given)}`,
  );
}

/** A signal, or the end of the npm that started this process, stops the server; a second signal does not wait. */
function onceToldToStop(stop: () => Promise<void>): void {
  let stopping = false;
  const end = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent && !stopping) end();
  }, PARENT_CHECK_MS).unref();
}
