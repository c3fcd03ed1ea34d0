export { getContentSafety } from "./config.ts";
