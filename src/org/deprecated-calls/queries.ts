export { listDeprecatedCalls } from "./note.ts";
