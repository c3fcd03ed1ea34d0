export { dropBackup, makeBackup } from "./make.ts";
