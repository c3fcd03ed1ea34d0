import type { Option } from "../../view/field.ts";

export const PERIODS: readonly Option[] = [
  ["month", "Month"],
  ["day", "Day"],
  ["week", "Week"],
  ["quarter", "Quarter"],
  ["year", "Year"],
  ["total", "Total (never resets)"],
];
