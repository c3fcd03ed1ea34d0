/** `npm start`: the whole product on this machine, with a demo org to try it on. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { endWith, run } from "./complaint.ts";
import { dataFolderPath } from "./data-folder.ts";
import { type Demo, DEMO_STEPS, ensureDemo, welcome } from "./demo.ts";
import { localProviders } from "./local-proxy.ts";
import { Progress } from "./progress.ts";
import { type Server, SERVER_STEPS, startServer } from "./server.ts";
import {
  expectNoArguments,
  LOCAL_SETTINGS,
  onceToldToStop,
  outliveFullOutput,
  wantsNorthwind,
  wholeNumber,
} from "./start-options.ts";

const MOST_ISOLATES = 16;
const USUAL_PORT = 8787;
const USUAL_PROXY_PORT = 8788;

await run(async () => {
  const running: { server?: Server; demo?: Demo } = {};
  outliveFullOutput();
  expectNoArguments(process.argv.slice(2));
  const port = wholeNumber("PORT", USUAL_PORT, 0, 65_535);
  const isolates = wholeNumber("ISOLATES", 1, 1, MOST_ISOLATES);
  // The usual port may belong to the server that has the usual one, or to an isolate.
  const isUsual = port === USUAL_PORT && isolates === 1;
  const proxyPort = wholeNumber("PROXY_PORT", isUsual ? USUAL_PROXY_PORT : 0, 0, 65_535);
  const withNorthwind = wantsNorthwind();
  const dataDir = dataFolderPath(process.env);
  const progress = new Progress({
    isFirst: !existsSync(join(dataDir, "demo.json")),
    steps: SERVER_STEPS + DEMO_STEPS,
    say: (line) => console.error(line),
  });
  const { settings, standIn } = await localProviders(process.env);
  onceToldToStop(async () => running.server?.dispose());
  const server = await startServer({
    port,
    isolates,
    proxy: { port: proxyPort, settings },
    dataDir,
    settings: { ...LOCAL_SETTINGS, ...process.env },
    withNorthwind,
    beforeReady: async (begun) => {
      running.server = begun;
      running.demo = await ensureDemo(begun, {
        standInUrl: standIn.url,
        onStep: progress.step,
      });
    },
    onStep: progress.step,
    onRemark: (line) => console.error(line),
    onLost: endWith,
  });
  progress.end();
  if (running.demo !== undefined) console.log(welcome(server, running.demo));
});
