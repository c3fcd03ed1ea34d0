import type { Message } from "./message.ts";

/** A mail, without who gets it. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
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

/**
 * The mail with the link by which its reader takes themselves off, also for the button that mail programs show for it (RFC 8058).
 */
export function withUnsubscribe({ subject, text, html }: MailText, link: string): MailText {
  return {
    subject,
    text: `${text}\nTo get no more of these mails: ${link}\n`,
    html: `${html}<p><a href="${escapedHtml(link)}">Get no more of these mails</a></p>`,
    headers: { "List-Unsubscribe": `<${link}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}
