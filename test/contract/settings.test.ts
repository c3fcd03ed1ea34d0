import { expect, test } from "vitest";
import { BadSetting } from "../../src/setting-kinds.ts";
import { settingsOf } from "../../src/settings.ts";

const secrets = {
  SVC_KEY_PEPPER: "a pepper of more than thirty-two characters",
  SVC_OPERATOR_KEY: "svc_operator_of-more-than-thirty-two-characters",
};

test("with only the secrets set, every other setting has its default", () => {
  expect(settingsOf({ ...secrets })).toMatchObject({
    SVC_REGION: "local",
    SVC_REGIONS: {},
    SVC_MAX_BODY_BYTES: 1_048_576,
    SVC_MAX_BULK_BODY_BYTES: 8_388_608,
    SVC_READ_LIMIT_PER_MINUTE: 600,
    SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS: 60,
    SVC_COHORT_FLOOR: 10,
    SVC_WEBHOOK_ALLOW_PRIVATE: false,
    SVC_EMAIL_FROM: "",
    SVC_LOG_DECISIONS: 1,
  });
});

test.each([
  ["SVC_KEY_PEPPER", undefined],
  ["SVC_KEY_PEPPER", "short"],
  ["SVC_KEY_PEPPER_PREVIOUS", "short"],
  ["SVC_KEY_PEPPER_PREVIOUS", secrets.SVC_KEY_PEPPER],
  ["SVC_ACCEPT_UNCHECKED_KEYS", "yes"],
  ["SVC_OPERATOR_KEY", ""],
  ["SVC_REGION_SECRET", "short"],
  ["SVC_REGION", "not a region"],
  ["SVC_REGIONS", "{"],
  ["SVC_REGIONS", "[]"],
  ["SVC_BASE_URL", "nowhere"],
  ["SVC_MAX_BODY_BYTES", "1 MiB"],
  ["SVC_MAX_BODY_BYTES", "0"],
  ["SVC_READ_LIMIT_PER_MINUTE", "-1"],
  ["SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS", "0"],
  ["SVC_COHORT_FLOOR", "4"],
  ["SVC_WEBHOOK_ALLOW_PRIVATE", "yes"],
  ["SVC_EMAIL_FROM", "Sluice <a@example.com>"],
  ["SVC_EMAIL_FROM", "a@b"],
  ["SVC_LOG_DECISIONS", "some"],
  ["SVC_LOG_DECISIONS", "1.5"],
])("a bad %s stops the Worker with a message that names it and not its value", (name, value) => {
  const env = { ...secrets, [name]: value };
  expect(() => settingsOf(env)).toThrow(BadSetting);
  expect(() => settingsOf(env)).toThrow(name);
  if (value !== undefined && value.length > 4) expect(() => settingsOf(env)).not.toThrow(value);
});

test.each([
  ["all", 1],
  ["refused", 0],
  ["0.01", 0.01],
  ["1", 1],
  ["0", 0],
])("SVC_LOG_DECISIONS %s logs that share of the allowed decisions: %d", (given, share) => {
  expect(settingsOf({ ...secrets, SVC_LOG_DECISIONS: given }).SVC_LOG_DECISIONS).toBe(share);
});

test("a region that names other regions requires the shared secret; one that names none, or itself, does not", () => {
  const regions = (names: object) => ({ ...secrets, SVC_REGION: "eu", SVC_REGIONS: JSON.stringify(names) });
  expect(() => settingsOf(regions({ us: "REGION_US" }))).toThrow(BadSetting);
  expect(() => settingsOf(regions({ us: "REGION_US" }))).toThrow("SVC_REGION_SECRET is required");
  expect(settingsOf(regions({ eu: "https://eu.sluice.example" })).SVC_REGION_SECRET).toBeUndefined();
  const SVC_REGION_SECRET = "a secret of more than thirty-two characters";
  expect(settingsOf({ ...regions({ us: "REGION_US" }), SVC_REGION_SECRET })).toMatchObject({
    SVC_REGION_SECRET,
  });
});
