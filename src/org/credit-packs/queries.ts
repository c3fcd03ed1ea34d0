export { getCreditPack, listCreditPacks } from "./commands.ts";
