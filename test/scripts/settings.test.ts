import { expect, test } from "vitest";
import { resolveSettings } from "../../scripts/settings.ts";

const secrets = {
  SVC_KEY_PEPPER: "a pepper of more than thirty-two characters",
  SVC_OPERATOR_KEY: "svc_operator_of-more-than-thirty-two-characters",
};

const resolve = (environment: Record<string, string>) =>
  resolveSettings({}, environment, secrets, "http://127.0.0.1:8787");

test("the documentation URL follows the base URL, unless it is set", () => {
  const derived = resolve({ SVC_BASE_URL: "https://sluice.example" });
  expect(derived["SVC_DOCS_URL"]).toBe("https://sluice.example/docs");
  const own = resolve({ SVC_BASE_URL: "https://sluice.example", SVC_DOCS_URL: "https://docs.example" });
  expect(own["SVC_DOCS_URL"]).toBe("https://docs.example");
});

test("an invalid base URL is named itself, not the value derived from it", () => {
  expect(() => resolve({ SVC_BASE_URL: "nowhere" })).toThrow("Setting SVC_BASE_URL must be an absolute URL.");
  expect(() => resolve({ SVC_DOCS_URL: "nowhere" })).toThrow("Setting SVC_DOCS_URL must be an absolute URL.");
});

test("a setting that is out of range is named", () => {
  expect(() => resolve({ SVC_COHORT_FLOOR: "4" })).toThrow(/^Setting SVC_COHORT_FLOOR /);
});
