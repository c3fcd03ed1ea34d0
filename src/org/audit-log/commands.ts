export { beginAuditExport, listAudit } from "./read.ts";
export { recordVerification } from "./verify.ts";
