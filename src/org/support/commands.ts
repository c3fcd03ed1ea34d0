export { closeSupportGrant, openSupportGrant } from "./grant.ts";
export { admitSupport, openSupportSession, recordSupportRequest } from "./session.ts";
