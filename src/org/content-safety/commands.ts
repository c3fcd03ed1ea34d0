export { setContentSafety } from "./config.ts";
