export { getModel, listModels } from "./commands.ts";
export { listPrices } from "./history.ts";
