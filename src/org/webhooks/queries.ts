export { getWebhook, listWebhooks } from "./change.ts";
export { getDelivery, listDeliveries } from "./log.ts";
export { getOrgWebhookSecret, getSigning } from "./signing.ts";
