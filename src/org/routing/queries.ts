export { listEvals } from "./evals.ts";
export { getRoutingPolicy } from "./policy.ts";
export { selectModel } from "./select.ts";
