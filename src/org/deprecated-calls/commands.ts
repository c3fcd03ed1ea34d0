export { noteDeprecatedCall } from "./note.ts";
