export { backupFrame } from "./make.ts";
