import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { derivedOrgToken } from "../../src/domain/key/org-token.ts";
import { settingsOf } from "../../src/settings.ts";
import { bindMailbox, type SentMail } from "../support/mailbox.ts";
import { newSubscriber, type Subscriber } from "../support/receivers.ts";
import { rowsOf } from "../support/rows.ts";
import { env, serve } from "../support/worker.ts";
import { PATIENT } from "../support/patience.ts";

const [MAYA, LEO, ZOE] = ["maya@example.com", "leo@example.com", "zoe@example.com"];

/** An org that mails people about new keys. They have confirmed that. */
async function newMailer(to = [MAYA, LEO]) {
  const org = await newSubscriber();
  const box = await bindMailbox(org.id);
  const made = await org.ask("POST", "/webhooks", {
    kind: "email",
    to,
    events: ["key.created"],
  });
  expect(made.status).toBe(201);
  await org.settle();
  await rowsOf(org.id, "UPDATE email_addresses SET confirmed_at = 1");
  box.mails.length = 0;
  return { org, box, id: made.body.id as string };
}

type Mailer = Awaited<ReturnType<typeof newMailer>>;

async function mailsOfKey(org: Subscriber, box: { readonly mails: SentMail[] }): Promise<SentMail[]> {
  box.mails.length = 0;
  await org.mint("viewer");
  await org.settle();
  return box.mails.toSorted((one, other) => ((one.to[0] ?? "") < (other.to[0] ?? "") ? -1 : 1));
}

const linkIn = (mail: SentMail | undefined) =>
  /<(.*)>/.exec(mail?.headers?.["List-Unsubscribe"] ?? "")?.[1] ?? "";

/** As the button of a mail program does, from elsewhere. */
const click = (link: string): Promise<Response> =>
  serve(link, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://mail.example" },
    body: "List-Unsubscribe=One-Click",
  });

/** Has the Worker and the org's object accept a pepper besides their own. */
async function acceptPepper(orgId: string, previous: string | undefined): Promise<void> {
  const set = (bindings: object) =>
    void Object.assign(settingsOf(bindings), { SVC_KEY_PEPPER_PREVIOUS: previous });
  set(env);
  await runInDurableObject(env.ORG.getByName(orgId), (object) =>
    set((object as unknown as { env: object }).env),
  );
}

describe("each mail", () => {
  test("goes to one address, with a link of its own in text, HTML and the headers of RFC 8058", async () => {
    const { org, box } = await newMailer();
    const mails = await mailsOfKey(org, box);
    expect(mails.map(({ to }) => to)).toEqual([[LEO], [MAYA]]);
    const links = mails.map(linkIn);
    expect(new Set(links).size).toBe(2);
    for (const [at, { text, html, headers }] of mails.entries()) {
      expect(headers?.["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
      expect(links[at]).toMatch(/^https?:\/\/[^/]+\/unsubscribe\?token=uns_\w+$/);
      expect([text, html].every((part) => part.includes(links[at] ?? "none"))).toBe(true);
    }
    await box.unbind();
  });

  test("is sent again only to those who did not get it, after each attempt", async () => {
    const { org, box, id } = await newMailer([MAYA, LEO, ZOE]);
    let sent = 0;
    // Of the first three only the last one passes, and of the next two as well.
    box.fails = () =>
      [3, 5].includes((sent += 1)) ? (Promise.resolve() as Promise<never>) : Promise.reject(new Error("no"));
    await mailsOfKey(org, box);
    const gotIt = () => box.mails.flatMap(({ to }) => to);
    expect([gotIt(), await org.deliveries(id)]).toMatchObject([[ZOE], [{ status: "pending", attempts: 1 }]]);
    await org.advance(7);
    expect([gotIt(), await org.deliveries(id)]).toMatchObject([[ZOE, LEO], [{ attempts: 2 }]]);
    box.fails = null;
    await org.advance(600);
    expect(gotIt()).toEqual([ZOE, LEO, MAYA]);
    expect(await org.deliveries(id)).toMatchObject([{ status: "succeeded", attempts: 3 }]);
    await box.unbind();
  });
});

describe("whoever unsubscribes while a mail is being sent", () => {
  /** Runs `meanwhile` while the platform has so many mails in hand, all of which it refuses then. */
  async function whileSending(mailer: Mailer, count: number, meanwhile: () => Promise<void>): Promise<void> {
    const { org, box } = mailer;
    const state = { sending: 0, released: false };
    box.fails = async () => {
      state.sending += 1;
      while (!state.released) await scheduler.wait(10);
      throw new Error("no");
    };
    await org.mint("viewer");
    const settled = org.settle();
    await vi.waitUntil(() => state.sending === count, PATIENT);
    await meanwhile();
    state.released = true;
    await settled;
    box.fails = null;
    box.mails.length = 0;
  }

  test("is not sent it again, and the others are", async () => {
    const mailer = await newMailer();
    const { org, box, id } = mailer;
    const [, toMaya] = await mailsOfKey(org, box);
    await whileSending(mailer, 2, async () => void (await click(linkIn(toMaya))));
    await org.advance(600);
    expect(box.mails.map(({ to }) => to)).toEqual([[LEO]]);
    expect(await org.deliveries(id)).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }]);
    await box.unbind();
  });

  test("as the last one leaves nothing to be tried again, and no webhook that fails", async () => {
    const mailer = await newMailer([MAYA]);
    const { org, box, id } = mailer;
    const [toMaya] = await mailsOfKey(org, box);
    await whileSending(mailer, 1, async () => void (await click(linkIn(toMaya))));
    await org.advance(600);
    expect(box.mails).toEqual([]);
    expect(await org.deliveries(id)).toMatchObject([{ status: "succeeded" }]);
    expect((await org.ask("GET", `/webhooks/${id}`)).body).toMatchObject({
      status: "enabled",
      failing: false,
    });
    expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'webhook-delivery'")).toEqual([]);
    await box.unbind();
  });
});

describe("the link", () => {
  test("takes its address off with one click, without a session, and nobody else", async () => {
    const { org, box, id } = await newMailer();
    const [, toMaya] = await mailsOfKey(org, box);
    const page = await serve(linkIn(toMaya));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Unsubscribe")]);
    expect(await mailsOfKey(org, box)).toHaveLength(2);
    const answered = await click(linkIn(toMaya));
    expect([answered.status, answered.redirected]).toEqual([200, false]);
    expect((await mailsOfKey(org, box)).map(({ to }) => to)).toEqual([[LEO]]);
    const { to } = (await org.ask("GET", `/webhooks/${id}`)).body;
    expect(to).toEqual([
      { address: MAYA, confirmed: true, unsubscribed: true },
      { address: LEO, confirmed: true, unsubscribed: false },
    ]);
    expect((await click(linkIn(toMaya))).status).toBe(200);
    const audit = await org.ask("GET", "/audit-log");
    const entries = audit.body.data.filter(
      ({ action }: { action: string }) => action === "email.unsubscribed",
    );
    expect(entries).toMatchObject([{ target: MAYA, detail: { webhook_id: id }, actor: { kind: "system" } }]);
    await box.unbind();
  });

  test("of one subscription leaves the others as they are", async () => {
    const { org, box } = await newMailer();
    const [, toMaya] = await mailsOfKey(org, box);
    const more = await org.ask("POST", "/webhooks", { kind: "email", to: [MAYA], events: ["key.created"] });
    expect((await click(linkIn(toMaya))).status).toBe(200);
    expect((await mailsOfKey(org, box)).map(({ to }) => to)).toEqual([[LEO], [MAYA]]);
    expect((await org.ask("GET", `/webhooks/${more.body.id}`)).body.to[0].unsubscribed).toBe(false);
    await box.unbind();
  });

  test("cannot be guessed, nor made from one for another address, subscription or org", async () => {
    const [one, other] = [await newMailer(), await newMailer()];
    // All objects share their bindings: the mailbox that was bound last gets the mails of both.
    const [toLeo] = await mailsOfKey(one.org, other.box);
    const token = new URL(linkIn(toLeo)).searchParams.get("token") ?? "";
    const subject = JSON.stringify([one.id, MAYA]);
    const forged = [
      token.replace(/.$/, (last) => (last === "a" ? "b" : "a")),
      token.replace(one.org.id.slice(4), other.org.id.slice(4)),
      `${token.slice(0, -49)}${"A".repeat(49)}`,
      derivedOrgToken("another pepper", "unsubscribe", one.org.id, subject),
      "",
    ];
    for (const guess of forged) {
      const link = new URL(linkIn(toLeo));
      link.searchParams.set("token", guess);
      expect([(await serve(link.href)).status, (await click(link.href)).status]).toEqual([410, 410]);
    }
    expect(await rowsOf(one.org.id, "SELECT * FROM email_unsubscribed")).toEqual([]);
    expect(await rowsOf(other.org.id, "SELECT * FROM email_unsubscribed")).toEqual([]);
    await Promise.all([one.box.unbind(), other.box.unbind()]);
  });

  test("works on while the pepper is being changed, and no longer", async () => {
    const { org, box, id } = await newMailer();
    const before = "the-pepper-before-0123456789abcdefghijklm";
    const subject = JSON.stringify([id, MAYA]);
    const token = derivedOrgToken(before, "unsubscribe", org.id, subject);
    const link = `http://sluice.test/unsubscribe?token=${token}`;
    expect([(await serve(link)).status, (await click(link)).status]).toEqual([410, 410]);
    await acceptPepper(org.id, before);
    expect([(await serve(link)).status, (await click(link)).status]).toEqual([200, 200]);
    await acceptPepper(org.id, undefined);
    expect((await mailsOfKey(org, box)).map(({ to }) => to)).toEqual([[LEO]]);
    await box.unbind();
  });

  test("of the last who wants mails ends what waits, and a new subscription begins anew", async () => {
    const { org, box, id } = await newMailer();
    const mails = await mailsOfKey(org, box);
    box.fails = () => Promise.reject(new Error("no"));
    await mailsOfKey(org, box);
    expect((await org.deliveries(id)).some(({ status }) => status === "pending")).toBe(true);
    const due = () => rowsOf(org.id, "SELECT key FROM due WHERE kind = 'webhook-delivery'");
    const [first, last] = mails.map(linkIn);
    expect((await click(first ?? "")).status).toBe(200);
    expect((await org.deliveries(id)).some(({ status }) => status === "pending")).toBe(true);
    expect(await due()).toEqual([{ key: id }]);
    expect((await click(last ?? "")).status).toBe(200);
    expect((await org.deliveries(id)).map(({ status }) => status)).toEqual(["succeeded"]);
    expect(await due()).toEqual([]);
    expect((await org.ask("POST", `/webhooks/${id}/test`)).status).toBe(409);
    await org.ask("DELETE", `/webhooks/${id}`);
    expect(await rowsOf(org.id, "SELECT * FROM email_unsubscribed")).toEqual([]);
    expect((await click(linkIn(mails[0]))).status).toBe(410);
    await box.unbind();
  });

  test("in a digest takes its address off that digest, also after the digest is set again", async () => {
    const { org, box } = await newMailer();
    const digest = { every: "day", at: "09:00", timezone: "UTC", to: [MAYA] };
    expect((await org.ask("PUT", "/digests/daily", digest)).status).toBe(200);
    box.mails.length = 0;
    await org.advance(86_400);
    await org.settle();
    const [mail] = box.mailsTo(MAYA);
    expect(mail?.subject).toContain("What was spent");
    expect((await click(linkIn(mail))).status).toBe(200);
    expect((await org.ask("PUT", "/digests/daily", { ...digest, at: "10:00" })).body.to).toEqual([MAYA]);
    box.mails.length = 0;
    await org.advance(2 * 86_400);
    await org.settle();
    expect(box.mails).toEqual([]);
    expect((await mailsOfKey(org, box)).map(({ to }) => to)).toEqual([[LEO], [MAYA]]);
    await box.unbind();
  });
});
