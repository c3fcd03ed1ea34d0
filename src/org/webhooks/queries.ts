export { getWebhook, listWebhooks } from "./change.ts";
export { listDeliveries } from "./log.ts";
export { getOrgWebhookSecret, getSigning } from "./signing.ts";
