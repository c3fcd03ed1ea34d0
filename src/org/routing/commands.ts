export { recordEval } from "./evals.ts";
export { setRoutingPolicy } from "./policy.ts";
