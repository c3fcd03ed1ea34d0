/** `npm run reset`: deletes all local data. */
import { existsSync } from "node:fs";
import { run } from "./complaint.ts";
import { dataFolderPath, openDataFolder } from "./data-folder.ts";

await run(() => {
  const path = dataFolderPath(process.env);
  if (existsSync(path)) {
    const folder = openDataFolder(path);
    folder.empty();
    folder.close();
  }
  console.log(`${path} is empty`);
});
