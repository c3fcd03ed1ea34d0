export { auditPage } from "./read.ts";
export { verifyAuditStep } from "./verify.ts";
