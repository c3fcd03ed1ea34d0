import { expect, test } from "vitest";
import { failing, newSubscriber, receivedAt, receiver } from "../../support/receivers.ts";
import { signedIn } from "../../support/session.ts";

test("a person picks what to hear about, sees a sample, and is told how a test was answered", async () => {
  const org = await newSubscriber();
  const browser = await signedIn(org.id);
  const form = await (await browser.get("/console/webhooks/new")).text();
  expect(form).toContain('value="spend.unusual"');
  expect(form).toContain("Slack message");
  const url = receiver();
  await browser.post("/console/webhooks", { format: "slack", url, events: "budget.*" });
  const [made] = (await org.ask("GET", "/webhooks")).body.data;
  expect(made).toMatchObject({ format: "slack", events: ["budget.*"] });
  const path = `/console/webhooks/${made.id}`;
  const page = await (await browser.get(path)).text();
  expect(page).toContain("What a message looks like");
  expect(page).toContain("Budget “Production” is used up");
  expect(page).not.toContain(url);
  const tested = await browser.post(`${path}/test`, {});
  expect(tested.headers.get("location")).toBe(`${path}?notice=test_taken`);
  expect(receivedAt(url)).toHaveLength(1);
  await browser.post(path, { url: made.url, events: "key.*", description: "Team", status: "enabled" });
  expect((await org.ask("GET", `/webhooks/${made.id}`)).body).toMatchObject({
    events: ["key.*"],
    description: "Team",
  });
  const bad = await org.ask("POST", "/webhooks", {
    format: "discord",
    url: receiver(failing(9, 404)),
    events: ["*"],
  });
  const refused = await browser.post(`/console/webhooks/${bad.body.id}/test`, {});
  expect(refused.headers.get("location")).toContain("notice=test_refused");
});

test("mail is refused beside the field that chose it", async () => {
  const org = await newSubscriber();
  const browser = await signedIn(org.id);
  const refused = await browser.post("/console/webhooks", {
    format: "email",
    to: "a@example.com",
    events: "key.*",
  });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("sends no mail");
});
