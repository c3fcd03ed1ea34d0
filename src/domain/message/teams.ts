import type { Message } from "./message.ts";

/** A text run is shown as it is. A `TextBlock` would read markdown. */
function lineOf(text: string, look: object = {}): object {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", text, ...look }] };
}

/** An adaptive card, as workflows and incoming webhooks of Teams take it. */
export function teamsBody({ title, facts, advice, link, severity }: Message): object {
  const color = { info: "default", warning: "warning", error: "attention" }[severity];
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      lineOf(title, { weight: "bolder", size: "medium", color }),
      ...facts.map(([label, value]) => lineOf(`${label}: ${value}`)),
      lineOf(advice),
    ],
    actions: [{ type: "Action.OpenUrl", title: "Open in Sluice", url: link }],
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}
