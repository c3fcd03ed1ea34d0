import { cutText, type Message, type Severity } from "./message.ts";

const COLORS: Readonly<Record<Severity, number>> = { info: 0x3b82f6, warning: 0xf59e0b, error: 0xdc2626 };

/** Discord takes 256 characters, and escaping may double them. */
const MOST_IN_TITLE = 128;

/** Every character that Discord's markdown gives a meaning to is shown as it is. */
const escaped = (text: string): string => text.replaceAll(/[\\*_~|`[\]()<>#@:-]/g, String.raw`\$&`);

/** Nobody is mentioned, whatever a text says. */
export function discordBody({ title, facts, advice, link, severity }: Message): object {
  const lines = [...facts.map(([label, value]) => `${escaped(label)}: ${escaped(value)}`), escaped(advice)];
  const embed = {
    title: escaped(cutText(title, MOST_IN_TITLE)),
    description: lines.join("\n"),
    url: link,
    color: COLORS[severity],
  };
  return { allowed_mentions: { parse: [] }, embeds: [embed] };
}
