/** `npm start`: the whole product on this machine, with a demo org to try it on. */
import { endWith, run } from "./complaint.ts";
import { dataFolderPath } from "./data-folder.ts";
import { type Demo, ensureDemo, welcome } from "./demo.ts";
import { type Server, startServer } from "./server.ts";
import { onceToldToStop, outliveFullOutput, wholeNumber } from "./start-options.ts";

const MOST_ISOLATES = 16;

await run(async () => {
  const running: { server?: Server; demo?: Demo } = {};
  outliveFullOutput();
  onceToldToStop(async () => running.server?.dispose());
  const server = await startServer({
    port: wholeNumber("PORT", 8787, 0, 65_535),
    isolates: wholeNumber("ISOLATES", 1, 1, MOST_ISOLATES),
    dataDir: dataFolderPath(process.env),
    settings: process.env,
    beforeReady: async (begun) => {
      running.server = begun;
      running.demo = await ensureDemo(begun);
    },
    onRemark: (line) => console.error(line),
    onLost: endWith,
  });
  if (running.demo !== undefined) console.log(welcome(server, running.demo));
});
