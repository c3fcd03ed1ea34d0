export { createConsoleLink, enterByLink } from "./console-link.ts";
export { admitSession, openSession, revokeSession } from "./session.ts";
export { rememberSignIn, spendSignInLink, takeSignIn } from "./sign-in.ts";
export { putSso } from "./sso.ts";
