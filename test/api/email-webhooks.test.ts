import { describe, expect, test } from "vitest";
import { bindMailbox } from "../support/mailbox.ts";
import { fieldsOf, newSubscriber, type Subscriber } from "../support/receivers.ts";
import { everythingStored, rowsOf } from "../support/rows.ts";
import { serve } from "../support/worker.ts";

const DAY = 86_400;

async function newMailer() {
  const org = await newSubscriber();
  return { org, box: await bindMailbox(org.id) };
}

const mailTo = (org: Subscriber, ...to: string[]) =>
  org.ask("POST", "/webhooks", { kind: "email", to, events: ["key.created"] });

/** The link in a mail. */
function linkIn({ text }: { text: string }): string {
  return /https?:\S+\/confirm-email\?token=\S+/.exec(text)?.[0] ?? "";
}

function follow(link: string, headers: Record<string, string> = {}): Promise<Response> {
  const token = new URL(link).searchParams.get("token") ?? "";
  return serve(new URL("/confirm-email", link).href, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams({ token }).toString(),
  });
}

describe("mail", () => {
  test("is refused where nothing sends it, and says so", async () => {
    const org = await newSubscriber();
    const refused = await mailTo(org, "maya@example.com");
    expect(refused.status).toBe(422);
    expect(fieldsOf(refused)).toEqual(["kind"]);
    expect(refused.text).toContain("EMAIL");
    expect(await rowsOf(org.id, "SELECT * FROM email_addresses")).toEqual([]);
  });

  test("goes only to addresses that have confirmed themselves", async () => {
    const { org, box } = await newMailer();
    const made = await mailTo(org, "Maya@example.com", "leo@example.com");
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      kind: "email",
      format: "email",
      signing_scheme: "none",
      to: [
        { address: "maya@example.com", confirmed: false },
        { address: "leo@example.com", confirmed: false },
      ],
    });
    await org.settle();
    expect(box.mails.map(({ to }) => to)).toEqual([["leo@example.com"], ["maya@example.com"]]);
    expect((await org.ask("POST", `/webhooks/${made.body.id}/test`)).status).toBe(409);
    await org.mint("viewer");
    await org.settle();
    expect(box.mails).toHaveLength(2);
    const [asked] = box.mailsTo("maya@example.com");
    const page = await serve(linkIn(asked ?? { text: "" }));
    expect(await page.text()).toContain("Confirm the address");
    expect((await org.ask("GET", `/webhooks/${made.body.id}`)).body.to[0].confirmed).toBe(false);
    expect((await follow(linkIn(asked ?? { text: "" }))).status).toBe(200);
    const shown = await org.ask("GET", `/webhooks/${made.body.id}`);
    expect(shown.body.to.map(({ confirmed }: { confirmed: boolean }) => confirmed)).toEqual([true, false]);
    await org.mint("viewer");
    await org.settle();
    expect(box.mails.slice(2).map(({ to, subject }) => [to, subject])).toEqual([
      [["maya@example.com"], "An API key was created"],
    ]);
    expect((await org.ask("POST", `/webhooks/${made.body.id}/test`)).body).toMatchObject({
      status: "succeeded",
    });
    await box.unbind();
  });

  test("confirms by a link that works once, for three days, and is stored nowhere", async () => {
    const { org, box } = await newMailer();
    await mailTo(org, "maya@example.com", "leo@example.com");
    await org.settle();
    const [late, once] = ["leo@example.com", "maya@example.com"].map((to) =>
      linkIn(box.mailsTo(to)[0] ?? { text: "" }),
    ) as [string, string];
    const token = new URL(once).searchParams.get("token") ?? "x";
    expect(await everythingStored(org.id)).not.toContain(token);
    expect((await follow(once, { origin: "https://evil.example" })).status).toBe(410);
    expect((await follow(once.replace(/.$/, (last) => (last === "a" ? "b" : "a")))).status).toBe(410);
    expect((await follow(once)).status).toBe(200);
    expect((await follow(once)).status).toBe(410);
    await org.advance(3 * DAY + 1);
    expect((await follow(late)).status).toBe(410);
    await box.unbind();
  });

  test("is sent to a stranger three times at most, once a day, whatever is created and deleted", async () => {
    const { org, box } = await newMailer();
    for (let day = 0; day < 5; day += 1) {
      for (let again = 0; again < 3; again += 1) {
        const { body } = await mailTo(org, "stranger@example.com");
        await org.settle();
        await org.ask("DELETE", `/webhooks/${body.id}`);
      }
      expect(box.mailsTo("stranger@example.com")).toHaveLength(Math.min(3, day + 1));
      await org.advance(DAY);
    }
    await box.unbind();
  });

  test("that asks to confirm is not sent by work that was planned before the last one, or before the answer", async () => {
    const { org, box } = await newMailer();
    const [asked, answered] = ["asked@example.com", "answered@example.com"];
    await mailTo(org, asked, answered);
    await org.settle();
    expect((await follow(linkIn(box.mailsTo(answered)[0] ?? { text: "" }))).status).toBe(200);
    for (const address of [asked, answered])
      await rowsOf(org.id, "INSERT INTO due (kind, key, at) VALUES ('email', ?, 1)", address);
    await org.settle();
    expect([asked, answered].map((address) => box.mailsTo(address).length)).toEqual([1, 1]);
    expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'email'")).toEqual([]);
    await box.unbind();
  });

  test("does not ask again whoever has confirmed the address, however often it is named", async () => {
    const { org, box } = await newMailer();
    await mailTo(org, "named@example.com");
    await org.settle();
    expect((await follow(linkIn(box.mailsTo("named@example.com")[0] ?? { text: "" }))).status).toBe(200);
    await org.advance(DAY + 1);
    expect((await mailTo(org, "named@example.com")).body.to).toMatchObject([{ confirmed: true }]);
    await org.settle();
    expect(box.mailsTo("named@example.com")).toHaveLength(1);
    await box.unbind();
  });

  test("to people who have confirmed that they want it does not use up the day's strangers", async () => {
    const { org, box } = await newMailer();
    const people = Array.from({ length: 20 }, (_, at) => `person-${at}@example.com`);
    for (const from of [0, 10]) await mailTo(org, ...people.slice(from, from + 10));
    expect((await mailTo(org, "stranger@example.com")).status).toBe(409);
    await rowsOf(org.id, "UPDATE email_addresses SET confirmed_at = 1");
    expect((await mailTo(org, "stranger@example.com")).status).toBe(201);
    await box.unbind();
  });

  test("cannot be sent to many strangers a day", async () => {
    const { org, box } = await newMailer();
    const named = (n: number) => Array.from({ length: 10 }, (_, at) => `stranger-${n}-${at}@example.com`);
    expect((await mailTo(org, ...named(1))).status).toBe(201);
    expect((await mailTo(org, ...named(2))).status).toBe(201);
    const refused = await mailTo(org, "one-more@example.com");
    expect(refused.body.error.code).toBe("conflict");
    await org.settle();
    expect(box.mails.filter(({ to }) => to[0]?.startsWith("stranger-"))).toHaveLength(20);
    await org.advance(DAY + 1);
    expect((await mailTo(org, "one-more@example.com")).status).toBe(201);
    await box.unbind();
  });

  test("cannot be sent to more than a thousand strangers in all", async () => {
    const { org, box } = await newMailer();
    const name = (first: number, last: number) =>
      rowsOf(
        org.id,
        `WITH RECURSIVE n(at) AS (SELECT ?1 UNION ALL SELECT at + 1 FROM n WHERE at < ?2)
         INSERT INTO email_addresses (address, named_at, mails) SELECT 'old-' || at || '@example.com', 1, 3 FROM n`,
        first,
        last,
      );
    await name(1, 999);
    expect((await mailTo(org, "thousandth@example.com")).status).toBe(201);
    const refused = await mailTo(org, "one-more@example.com");
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("in all")]);
    await box.unbind();
  });

  test.each([
    [{ to: [] }, ["to"]],
    [{}, ["to"]],
    [{ to: Array.from({ length: 11 }, (_, at) => `a${at}@example.com`) }, ["to"]],
    [{ to: ["nobody"] }, ["to[0]"]],
    [{ to: ["a@example.com\r\nbcc: b@example.com"] }, ["to[0]"]],
    [{ to: ["a@example.com,b@example.com"] }, ["to[0]"]],
    [{ to: ["a@example.com"], url: "https://example.com/" }, ["url"]],
    [{ to: ["a@example.com"], format: "slack" }, ["format"]],
  ])("is refused for %j", async (body, fields) => {
    const org = await newSubscriber();
    const refused = await org.ask("POST", "/webhooks", { kind: "email", events: ["*"], ...body });
    expect(refused.status).toBe(422);
    expect(fieldsOf(refused)).toEqual(fields);
  });

  test("is tried again if the platform refuses it or hangs", async () => {
    const { org, box } = await newMailer();
    const { body } = await mailTo(org, "retried@example.com");
    await org.settle();
    expect((await follow(linkIn(box.mailsTo("retried@example.com")[0] ?? { text: "" }))).status).toBe(200);
    box.fails = () => Promise.reject(new Error("no"));
    await org.mint("viewer");
    await org.settle();
    expect(await org.deliveries(body.id)).toMatchObject([
      { status: "pending", attempts: 1, error: "connection_failed" },
    ]);
    box.fails = null;
    await org.advance(7);
    expect(await org.deliveries(body.id)).toMatchObject([{ status: "succeeded", attempts: 2 }]);
    await box.unbind();
  });

  test("keeps to its kind when it is changed", async () => {
    const { org, box } = await newMailer();
    const { body } = await mailTo(org, "maya@example.com");
    const path = `/webhooks/${body.id}`;
    expect(fieldsOf(await org.ask("PATCH", path, { url: "http://example.com/x" }))).toEqual(["kind"]);
    expect(fieldsOf(await org.ask("PATCH", path, { format: "slack", url: "http://example.com/x" }))).toEqual([
      "kind",
    ]);
    const changed = await org.ask("PATCH", path, { to: ["leo@example.com"] });
    expect(changed.body.to).toEqual([{ address: "leo@example.com", confirmed: false, unsubscribed: false }]);
    const plain = await org.subscribe("http://example.com/y");
    expect(fieldsOf(await org.ask("PATCH", `/webhooks/${plain.id}`, { to: ["a@example.com"] }))).toEqual([
      "to",
    ]);
    await box.unbind();
  });
});
