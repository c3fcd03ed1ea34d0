import { escapedHtml, type MailText } from "./email.ts";
import { foreignText } from "./message.ts";

/** The mail by which an address confirms itself. It says nothing that whoever named the address has written, but the org's name. */
export function confirmationMail(link: string, orgName: string): MailText {
  const who = foreignText(orgName, 60);
  const text = `“${who}” wants to send you messages about what its AI applications spend. If you want them, open this page and confirm it within three days:`;
  const otherwise = "If you do not know about this, ignore this mail: nothing else is sent to you.";
  return {
    subject: "Confirm your address for messages from Sluice",
    text: [text, "", link, "", otherwise, ""].join("\n"),
    html: `<p>${escapedHtml(text)}</p><p><a href="${escapedHtml(link)}">Confirm the address</a></p><p>${escapedHtml(otherwise)}</p>`,
  };
}
