export { listSessions } from "./session.ts";
export { getSso, ssoSettings } from "./sso.ts";
