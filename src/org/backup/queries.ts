export { backupPart, backupRuns, checkBackup } from "./read.ts";
