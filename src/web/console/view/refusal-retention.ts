import { KEPT } from "../../../contract/kept-refusals.ts";
import { count } from "./format.ts";

/** How long refusals are kept. */
export const REFUSALS_ARE_KEPT = `Refusals are kept for ${KEPT.days} days, up to ${count(KEPT.most)} of them, and the newest ${count(KEPT.least)} for longer.`;
