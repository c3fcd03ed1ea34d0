/** `npm run reset`: deletes all local data. */
import { existsSync } from "node:fs";
import { run } from "./complaint.ts";
import { dataFolderPath, emptyDataFolder } from "./data-folder.ts";

await run(() => {
  const path = dataFolderPath(process.env);
  if (existsSync(path)) emptyDataFolder(path);
  console.log(`${path} is empty`);
});
