import { describe, expect, test } from "vitest";
import { EVENT_KINDS } from "../../../src/contract/event-kinds.ts";
import { confirmationMail } from "../../../src/domain/message/confirmation.ts";
import { discordBody } from "../../../src/domain/message/discord.ts";
import { emailText } from "../../../src/domain/message/email.ts";
import { eventText } from "../../../src/domain/message/event-text.ts";
import { foreignText, type Message, momentText } from "../../../src/domain/message/message.ts";
import { pagerDutyBody } from "../../../src/domain/message/pagerduty.ts";
import { slackBody } from "../../../src/domain/message/slack.ts";
import { teamsBody } from "../../../src/domain/message/teams.ts";

const LINK = "https://sluice.example/console/budgets/bud_1";

/** Names that try to be more than a name in one product or another. */
const HOSTILE = [
  "<!channel> <!here> <@U123> <#C1>",
  "<https://evil.example|Open in Sluice>",
  "@everyone @here <@&1> <@1> <:x:1>",
  "[Pay here](https://evil.example)",
  "**bold** _it_ ~~gone~~ ||spoiler|| `code` > # h - list",
  '"><script>alert(1)</script>&lt;',
  "see https://evil.example now, or www.evil.example",
  "line\nbreak\r\n\u2028next\u2029\u0000\u0007",
  "\u202Egnp.exe\u202C \u200B\u2066x\u2069",
  "x".repeat(5000),
  "😀".repeat(200),
];

function messageAbout(name: string): Message {
  const data = {
    budget_id: "bud_1",
    scope_kind: "model",
    scope_id: name,
    group: name,
    mode: "enforce",
    limit_usd: "10",
    spent_usd: "10",
    period_start: "2026-11-01T00:00:00.000Z",
    period_end: "2026-12-01T00:00:00.000Z",
  };
  const { path: _, ...text } = eventText("budget.exceeded", data, name);
  return { ...text, link: LINK };
}

const textsOf = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
};

describe("a name that somebody chose", () => {
  test.each(HOSTILE)("is one line without hidden characters or links: %j", (name) => {
    const text = foreignText(name);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(text).not.toContain("://");
    expect(text.isWellFormed()).toBe(true);
    expect(text.toLowerCase()).not.toContain("www.");
    expect(text.length).toBeLessThanOrEqual(120);
  });

  test.each(HOSTILE)("is nothing but text in Slack: %j", (name) => {
    const body = slackBody(messageAbout(name)) as {
      text: string;
      mrkdwn: boolean;
      blocks: { text: { type: string; text: string } }[];
    };
    expect(body.mrkdwn).toBe(false);
    expect(body.text).not.toMatch(/[<>]/);
    const marked = body.blocks.filter(({ text }) => text.type !== "plain_text");
    expect(marked).toEqual([{ type: "section", text: { type: "mrkdwn", text: `<${LINK}|Open in Sluice>` } }]);
    for (const { text } of body.blocks.slice(0, -1)) {
      expect(text.text).not.toMatch(/[<>]/);
      expect(text.text.replaceAll(/&(amp|lt|gt);/g, "")).not.toContain("&");
      expect(text.text.length).toBeLessThanOrEqual(3000);
    }
  });

  test.each(HOSTILE)("is nothing but text in Discord: %j", (name) => {
    const body = discordBody(messageAbout(name)) as {
      allowed_mentions: { parse: string[] };
      embeds: { title: string; description: string; url: string }[];
    };
    expect(body.allowed_mentions).toEqual({ parse: [] });
    const [embed] = body.embeds;
    expect(embed?.url).toBe(LINK);
    expect(embed?.title.length).toBeLessThanOrEqual(256);
    expect(embed?.description.length).toBeLessThanOrEqual(4096);
    for (const text of [embed?.title ?? "", embed?.description ?? ""]) {
      const bare = text.replaceAll(/\\[^\n]/g, "").replaceAll(/^[A-Z][a-z]+: /gm, "");
      expect(bare).not.toMatch(/[\\*_~|`[\]()<>#@:]/);
    }
  });

  test.each(HOSTILE)("is nothing but text in Teams: %j", (name) => {
    const body = teamsBody(messageAbout(name)) as {
      attachments: {
        content: { body: { type: string; inlines: { type: string }[] }[]; actions: object[] };
      }[];
    };
    const content = body.attachments[0]?.content;
    // A text run is the one element of a card that reads no markdown.
    expect(content?.body.every(({ type }) => type === "RichTextBlock")).toBe(true);
    expect(content?.body.flatMap(({ inlines }) => inlines).every(({ type }) => type === "TextRun")).toBe(
      true,
    );
    expect(content?.actions).toEqual([{ type: "Action.OpenUrl", title: "Open in Sluice", url: LINK }]);
  });

  test.each(HOSTILE)("does not change who is paged, or for what: %j", (name) => {
    const event = {
      id: "evt_1",
      org_id: "org_1",
      type: "budget.exceeded",
      created_at: "2026-11-17T00:00:00.000Z",
      data: { budget_id: "bud_1", scope_id: name },
    } as const;
    const body = pagerDutyBody(event, messageAbout(name), "k".repeat(32)) as {
      routing_key: string;
      dedup_key: string;
      payload: { summary: string };
      links: object[];
    };
    expect(body).toMatchObject({ routing_key: "k".repeat(32), dedup_key: "sluice/org_1/bud_1" });
    expect(body.payload.summary.length).toBeLessThanOrEqual(1024);
    expect(body.links).toEqual([{ href: LINK, text: "Open in Sluice" }]);
  });
});

describe("a message", () => {
  test("says what, how much, until when and what to do", () => {
    const { title, facts, advice, severity } = messageAbout("Production");
    expect(title).toBe("Budget “Production” is used up, and calls are refused");
    expect(facts).toEqual([
      ["Spent", "$10 of $10"],
      ["For", "model “Production”"],
      ["Counter", "“Production”"],
      ["Resets", "2026-12-01 00:00 UTC"],
    ]);
    expect(advice).toBe("Raise the limit, or wait until it resets.");
    expect(severity).toBe("error");
  });

  test("of a limit in tokens says tokens, and of a shadow that nothing was refused", () => {
    const data = { budget_id: "bud_1", limit: 100, spent: 80, unit: "tokens", mode: "shadow" };
    const text = eventText("budget.exceeded", data, null);
    expect(text.title).toBe("Budget bud_1 would have refused a call");
    expect(text.facts[0]).toEqual(["Used", "80 of 100 tokens"]);
    expect(text.advice).toContain("Nothing was refused");
    const warned = eventText("budget.threshold_crossed", { ...data, threshold: "0.825" }, null);
    expect(warned.title).toBe("Budget bud_1 has reached 82.5 %");
  });

  test.each(EVENT_KINDS)(
    "of %s has words, advice and a page of the console, whatever the event lacks",
    (kind) => {
      const { title, advice, path } = eventText(kind, {}, null);
      expect(title).not.toBe("");
      expect(advice).toMatch(/\.$/);
      expect(path).toMatch(/^\/console(\/|$)/);
      for (const text of textsOf([title, advice])) expect(text).not.toMatch(/undefined|null/);
    },
  );

  test("escapes what completes a link", () => {
    const { path } = eventText("policy.blocked", { rule_id: "a|b>c/../d" }, null);
    expect(path).toBe("/console/policies/a%7Cb%3Ec%2F..%2Fd");
  });

  test("shows a moment that it cannot read as text", () => {
    expect(momentText("2026-12-01T00:00:00+01:00")).toBe("2026-11-30 23:00 UTC");
    expect(momentText("<soon>")).toBe("<soon>");
  });
});

describe("PagerDuty", () => {
  const about = (
    type:
      | "org.suspended"
      | "org.resumed"
      | "policy.approval_requested"
      | "policy.approval_decided"
      | "key.created",
    data: object,
  ) =>
    pagerDutyBody(
      { id: "evt_1", org_id: "org_1", type, created_at: "2026-11-17T00:00:00.000Z", data: { ...data } },
      { title: "t", facts: [], advice: "a", link: LINK, severity: "info" },
      "k",
    );

  test("ends what it began, by the same key", () => {
    expect(about("org.suspended", {})).toMatchObject({
      event_action: "trigger",
      dedup_key: "sluice/org_1/org.suspended",
    });
    expect(about("org.resumed", {})).toEqual({
      routing_key: "k",
      event_action: "resolve",
      dedup_key: "sluice/org_1/org.suspended",
    });
    const apr = { approval_id: "apr_1" };
    expect(about("policy.approval_requested", apr)).toMatchObject({
      event_action: "trigger",
      dedup_key: "sluice/org_1/policy.approval_requested/apr_1",
    });
    expect(about("policy.approval_decided", apr)).toMatchObject({
      event_action: "resolve",
      dedup_key: "sluice/org_1/policy.approval_requested/apr_1",
    });
    expect(about("key.created", {})).toMatchObject({ dedup_key: "sluice/org_1/key.created/evt_1" });
  });
});

describe("a mail", () => {
  test.each(HOSTILE)("has nothing but text in it of a name: %j", (name) => {
    const { subject, html, text } = emailText(messageAbout(name));
    expect(subject).not.toMatch(/[\r\n]/);
    const own = html
      .replaceAll(/<\/?(p|ul|li|strong)>/g, "")
      .replaceAll(/<a href="[^"<>]*">Open in Sluice<\/a>/g, "");
    expect(own).not.toMatch(/[<>"']/);
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(text.match(/:\/\//g)).toHaveLength(1);
    const asked = confirmationMail("https://sluice.example/confirm-email?token=t", name);
    expect(asked.html.match(/<a /g)).toHaveLength(1);
    expect(asked.html).not.toContain("<script");
    expect(asked.text.match(/:\/\//g)).toHaveLength(1);
  });
});
