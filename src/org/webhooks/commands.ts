export { changeWebhook, deleteWebhook } from "./change.ts";
export { createWebhook } from "./create.ts";
export { pingWebhook, replayDelivery } from "./log.ts";
export { recoverDeliveries } from "./recover.ts";
export { unsubscribeEmail } from "./unsubscribe.ts";
export { rotateOrgWebhookSecret, rotateSigning } from "./signing.ts";
