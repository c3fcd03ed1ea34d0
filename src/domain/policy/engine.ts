/** This module compiles rules and patterns. With its libraries it is a third of the program. */
export { compileLinear, tooLarge } from "../linear/pattern.ts";
export { compile } from "./compile.ts";
