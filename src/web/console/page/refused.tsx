import { Card, Head } from "../view/parts.tsx";
import { type Answer, show, type Shown } from "../visit.ts";

const TITLES: Readonly<Record<string, string>> = {
  not_found: "Not found",
  forbidden: "Your role does not allow this",
  missing_scope: "Your session does not allow this",
  support_scope_denied: "Outside the support grant",
  residency_violation: "Not in this region",
  conflict: "This cannot be done right now",
  idempotency_key_conflict: "Already sent",
  idempotency_key_processing: "Still being processed",
  rate_limited: "Too many requests",
  service_unavailable: "Temporarily unavailable",
};

/** A page for an API refusal, with the same message, code and status. */
export function refusedPage(answer: Answer<unknown>, under: string, back = "/console"): Shown {
  const code = answer.error?.code ?? "internal";
  const title = TITLES[code] ?? "Something went wrong";
  const content = (
    <>
      <Head title={title} about={answer.error?.message ?? "The error is on our side."} />
      <Card>
        <div class="stack">
          <p class="quiet">
            The API answered <code>{answer.status}</code> <code>{code}</code>. Nothing was changed.
          </p>
          <p>
            <a class="button" href={back}>
              {back === "/console" ? "Go to the overview" : "Back"}
            </a>
          </p>
        </div>
      </Card>
    </>
  );
  return show(title, under, content, answer.status);
}
