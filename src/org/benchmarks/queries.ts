export { benchmarkFigures } from "./figures.ts";
export { getBenchmarkProfile } from "./profile.ts";
