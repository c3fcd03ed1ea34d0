export { mintKey } from "./mint.ts";
export { revokeKey } from "./revoke.ts";
export { rotateKey } from "./rotate.ts";
