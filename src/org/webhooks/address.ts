import type { WebhookFormat } from "../../contract/webhook-formats.ts";
import { invalidField, type Refusal } from "../../contract/refusal.ts";
import { maskedAddress, productUrlProblem } from "../../domain/message/address.ts";
import { encrypt, ENCRYPTED_FOR, decryptAny } from "../../domain/key/encrypt.ts";
import { peppersOf } from "../../settings.ts";
import { nameAddresses } from "../emails/addresses.ts";
import type { Tx, View } from "../kernel/door.ts";
import { mailtoOf, type SubscriptionRow } from "./subscriptions.ts";

/** Where a subscription's deliveries go. A routing key is PagerDuty's. */
export interface Address {
  readonly url: string;
  readonly routingKey: string | null;
}

/**
 * Returns what is stored of an address: of the formats of products, all that is a secret is encrypted. Or why it cannot
 * be used.
 */
export function storedAddress(
  { settings }: Pick<View, "settings">,
  format: WebhookFormat,
  address: Address,
): Pick<SubscriptionRow, "url" | "sealed"> | Refusal<"validation_failed"> {
  const problem = productUrlProblem(format, address.url, {
    allowPrivate: settings.SVC_WEBHOOK_ALLOW_PRIVATE,
  });
  if (problem !== null) return invalidField("url", "invalid_value", problem);
  if (format === "sluice") return { url: address.url, sealed: null };
  const { pathname, search } = new URL(address.url);
  const shown = maskedAddress(address.url, address.routingKey ?? `${pathname}${search}`);
  return {
    url: shown,
    sealed: encrypt(settings.SVC_KEY_PEPPER, ENCRYPTED_FOR.webhookAddress, JSON.stringify(address)),
  };
}

export const NO_MAIL =
  "is not available, because this region sends no mail (it has no EMAIL binding, or no SVC_EMAIL_FROM)";

/** The same of mails. Whoever is not known yet is asked whether they want them. */
export function mailAddress(
  tx: Tx,
  to: readonly string[],
): Pick<SubscriptionRow, "url" | "sealed"> | Refusal<"validation_failed" | "conflict"> {
  if (!tx.hasEmail) return invalidField("kind", "unavailable", NO_MAIL);
  const addresses = to.map((address) => address.toLowerCase());
  return nameAddresses(tx, addresses) ?? { url: mailtoOf(addresses), sealed: null };
}

export function addressOf({ settings }: Pick<View, "settings">, { url, sealed }: SubscriptionRow): Address {
  if (sealed === null) return { url, routingKey: null };
  return JSON.parse(decryptAny(peppersOf(settings), ENCRYPTED_FOR.webhookAddress, sealed)) as Address;
}
