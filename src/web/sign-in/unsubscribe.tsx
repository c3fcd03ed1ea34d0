import { isRefusal } from "../../contract/refusal.ts";
import { MessagePage, UnsubscribePage } from "../console/pages/sign-in.tsx";
import { type Ctx, htmlResponse, type Web } from "../html.tsx";
import { doorOfLink, orgOfLink } from "./mail-link.ts";

/** The page that the link in a mail leads to. It only asks: programs that read mail open links, too. */
export function askToUnsubscribe(context: Ctx, web: Web): Response {
  const token = context.req.query("token") ?? "";
  if (orgOfLink(web, "unsubscribe", token) === null) return ended(web);
  return htmlResponse(<UnsubscribePage token={token} />, 200, web);
}

/**
 * Its answer, and that of the button of a mail program (RFC 8058), which comes from anywhere and without a session: the link says
 * all that is needed, and whatever body comes along is not read.
 */
export async function unsubscribe(context: Ctx, web: Web): Promise<Response> {
  const token = context.req.query("token") ?? "";
  const orgId = orgOfLink(web, "unsubscribe", token);
  if (orgId === null) return ended(web);
  const door = await doorOfLink(context, web, orgId);
  const done = await door?.command("unsubscribeEmail", { token });
  if (done === undefined || (isRefusal(done) && done.code !== "conflict")) return ended(web);
  const text = "These mails are not sent to your address any more.";
  return htmlResponse(<MessagePage title="Unsubscribed" text={text} />, 200, web);
}

function ended(web: Web): Response {
  const text = "This link is not valid. If you still get these mails, use the link in the latest one.";
  return htmlResponse(<MessagePage title="Not found" text={text} />, 410, web);
}
