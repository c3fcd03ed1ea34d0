import type { Message } from "./message.ts";

/** The characters that begin mentions, links and channels in Slack's texts. */
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? "");

const MOST_IN_HEADER = 150;

const plain = (text: string) => ({ type: "plain_text", text: escaped(text), emoji: false });

/** Texts are blocks of plain text, in which Slack reads no formatting. Only the link, which is ours, is in its markup. */
export function slackBody({ title, facts, advice, link }: Message): object {
  const lines = facts.map(([label, value]) => `${label}: ${value}`);
  return {
    text: escaped(title),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: escaped(title).length > MOST_IN_HEADER ? "section" : "header", text: plain(title) },
      ...(lines.length === 0 ? [] : [{ type: "section", text: plain(lines.join("\n")) }]),
      { type: "section", text: plain(advice) },
      { type: "section", text: { type: "mrkdwn", text: `<${link}|Open in Sluice>` } },
    ],
  };
}
