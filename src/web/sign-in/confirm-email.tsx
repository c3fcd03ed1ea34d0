import { isRefusal } from "../../contract/refusal.ts";
import { tokenDigest } from "../../domain/key/org-token.ts";
import { presentDigest } from "../../domain/key/peppers.ts";
import { peppersOf } from "../../settings.ts";
import { isSameOrigin } from "../console/csrf.ts";
import { ConfirmEmailPage, MessagePage } from "../console/pages/sign-in.tsx";
import { type Ctx, formTooLong, htmlResponse, readForm, type Web } from "../html.tsx";
import { doorOfLink, orgOfLink } from "./mail-link.ts";

/** The page that a link in a mail leads to. It only asks: programs that read mail open links, too. */
export function askToConfirm(context: Ctx, web: Web): Response {
  const token = context.req.query("token") ?? "";
  if (orgOfLink(web, "email", token) === null) return ended(web);
  return htmlResponse(<ConfirmEmailPage token={token} />, 200, web);
}

/** Shows what became of the confirmation. */
export async function confirmEmail(context: Ctx, web: Web): Promise<Response> {
  const read = await readForm(context.req.raw, web.settings);
  if (read.fields === null && read.tooLong) return formTooLong(web);
  const token = read.fields?.get("token") ?? "";
  const orgId = orgOfLink(web, "email", token);
  if (orgId === null || !isSameOrigin(context.req.raw)) return ended(web);
  const door = await doorOfLink(context, web, orgId);
  const link = presentDigest(peppersOf(web.settings), (pepper) => tokenDigest(pepper, token));
  const confirmed = await door?.command("confirmEmail", { link });
  if (confirmed === undefined || isRefusal(confirmed)) return ended(web);
  const text = "Messages from Sluice are sent to this address from now on.";
  return htmlResponse(<MessagePage title="Confirmed" text={text} />, 200, web);
}

function ended(web: Web): Response {
  const text = "This link has expired or was used. Whoever manages the messages can have another one sent.";
  return htmlResponse(<MessagePage title="Not confirmed" text={text} />, 410, web);
}
