/** `npm start`: the whole product on this machine, with a demo org to try it on. */
import { run } from "./complaint.ts";
import { dataFolderPath } from "./data-folder.ts";
import { ensureDemo, welcome } from "./demo.ts";
import { type Server, startServer } from "./server.ts";
import { onceToldToStop, wholeNumber } from "./start-options.ts";

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
