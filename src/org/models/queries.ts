export { getModel, listModels } from "./commands.ts";
