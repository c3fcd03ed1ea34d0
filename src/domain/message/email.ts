import type { Message } from "./message.ts";

/** A mail, without who gets it. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escapedHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

/** A message as a mail: plain text, and the same as HTML without pictures or styles from elsewhere. */
export function emailText({ title, facts, advice, link }: Message): MailText {
  const lines = facts.map(([label, value]) => `${label}: ${value}`);
  const items = lines.map((line) => `<li>${escapedHtml(line)}</li>`).join("");
  return {
    subject: title,
    text: [title, "", ...lines, "", advice, "", link, ""].join("\n"),
    html: `<p><strong>${escapedHtml(title)}</strong></p><ul>${items}</ul><p>${escapedHtml(advice)}</p><p><a href="${escapedHtml(link)}">Open in Sluice</a></p>`,
  };
}
