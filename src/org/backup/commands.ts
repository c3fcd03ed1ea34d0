export { dropBackup, makeBackup, openBackup } from "./make.ts";
