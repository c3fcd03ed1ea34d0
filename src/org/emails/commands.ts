export { confirmEmail } from "./confirm.ts";
