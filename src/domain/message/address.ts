import type { WebhookFormat } from "../../contract/webhook-formats.ts";

type Product = Exclude<WebhookFormat, "sluice">;

/** Where each product takes messages, as the ends of host names. A secret is sent nowhere else. */
const HOSTS: Readonly<Record<Product, readonly string[]>> = {
  slack: ["hooks.slack.com", "hooks.slack-gov.com"],
  teams: [".webhook.office.com", ".webhook.office365.us", ".logic.azure.com", ".api.powerplatform.com"],
  discord: ["discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com"],
  pagerduty: ["events.pagerduty.com", "events.eu.pagerduty.com"],
};

const PAGERDUTY_PATH = "/v2/enqueue";
export const PAGERDUTY_URL = `https://events.pagerduty.com${PAGERDUTY_PATH}`;

/** The number of characters of a secret that are shown. */
const SHOWN = 4;

export interface ProductRules {
  /** Takes any host, for a stand-in on this machine. */
  readonly allowPrivate: boolean;
}

/** Returns why messages of a format cannot go to an address that is otherwise sound. Null if they can. */
export function productUrlProblem(format: WebhookFormat, url: string, rules: ProductRules): string | null {
  if (format === "sluice" || rules.allowPrivate) return null;
  const { hostname, port, pathname } = new URL(url);
  const isKnown = HOSTS[format].some((host) =>
    host.startsWith(".") ? hostname.endsWith(host) : hostname === host,
  );
  if (!isKnown || port !== "") return `must be an address that ${PRODUCTS[format]} gave you`;
  if (format === "pagerduty" && pathname !== PAGERDUTY_PATH) return `must end with ${PAGERDUTY_PATH}`;
  return null;
}

const PRODUCTS: Readonly<Record<Product, string>> = {
  slack: "Slack",
  teams: "Teams",
  discord: "Discord",
  pagerduty: "PagerDuty",
};

/** An address whose path is a secret, as it may be shown: the host, and the last characters of the secret. */
export function maskedAddress(url: string, secret: string): string {
  const last = secret.length >= 4 * SHOWN ? secret.slice(-SHOWN) : "";
  return `${new URL(url).origin}/…${last}`;
}
