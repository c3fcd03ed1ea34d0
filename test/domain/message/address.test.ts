import { describe, expect, test } from "vitest";
import { maskedAddress, PAGERDUTY_URL, productUrlProblem } from "../../../src/domain/message/address.ts";

const PUBLIC = { allowPrivate: false };

describe("an address of a product", () => {
  test.each([
    ["slack", "https://hooks.slack.com/services/T0/B0/abc"],
    ["discord", "https://discord.com/api/webhooks/1/abc"],
    ["discord", "https://canary.discord.com/api/webhooks/1/abc"],
    ["teams", "https://contoso.webhook.office.com/webhookb2/1"],
    ["teams", "https://prod-12.westus.logic.azure.com/workflows/1?sig=x"],
    ["teams", "https://default1.2.environment.api.powerplatform.com/powerautomate/1"],
    ["pagerduty", PAGERDUTY_URL],
    ["pagerduty", "https://events.eu.pagerduty.com/v2/enqueue"],
    ["sluice", "https://example.com/anything"],
  ] as const)("of %s is taken: %s", (format, url) => {
    expect(productUrlProblem(format, url, PUBLIC)).toBeNull();
  });

  test.each([
    ["slack", "https://example.com/services/T0/B0/abc"],
    ["slack", "https://hooks.slack.com.evil.example/services/T0"],
    ["slack", "https://evil-hooks.slack.com/services/T0"],
    ["slack", "https://hooks.slack.com:8443/services/T0"],
    ["discord", "https://evildiscord.com/api/webhooks/1/abc"],
    ["teams", "https://webhook.office.com.evil.example/1"],
    ["teams", "https://evilwebhook.office.com/1"],
    ["pagerduty", "https://events.pagerduty.com/other"],
    ["pagerduty", "https://hooks.slack.com/v2/enqueue"],
  ] as const)("of %s is not %s", (format, url) => {
    expect(productUrlProblem(format, url, PUBLIC)).toMatch(/^must /);
    expect(productUrlProblem(format, url, { allowPrivate: true })).toBeNull();
  });

  test("is shown without its secret", () => {
    const url = "https://hooks.slack.com/services/T000/B000/XXXXsecret1234";
    expect(maskedAddress(url, url)).toBe("https://hooks.slack.com/…1234");
    expect(maskedAddress(PAGERDUTY_URL, "0123456789abcdef0123456789abcdef")).toBe(
      "https://events.pagerduty.com/…cdef",
    );
    expect(maskedAddress(PAGERDUTY_URL, "short")).toBe("https://events.pagerduty.com/…");
  });
});
