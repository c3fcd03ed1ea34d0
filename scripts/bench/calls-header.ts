/** On answers of `hops-worker.ts`: the methods of the object that were called. */
export const CALLS_HEADER = "x-bench-calls";
