import type { Answer } from "../console/visit.ts";
import { MessagePage } from "../console/pages/sign-in.tsx";
import { htmlResponse, type Web } from "../html.tsx";

/** Shows what the API refused, as a page outside the navigation. */
export function refusedMessage({ status, error }: Answer<unknown>, web: Web): Response {
  const text = error?.message ?? "The error is on our side.";
  const page = (
    <MessagePage
      title="Not entered"
      text={text}
      code={error?.code ?? "internal"}
      link={["/operator", "Go to the operator console"]}
    />
  );
  return htmlResponse(page, status, web);
}
