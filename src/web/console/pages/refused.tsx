import { Card, Head } from "../view/parts.tsx";
import { type Answer, show, type Shown } from "../visit.ts";

const TITLES: Readonly<Record<string, string>> = {
  not_found: "Not found",
  forbidden: "Your role does not reach this",
  missing_scope: "Your session does not reach this",
  support_scope_denied: "Outside the support grant",
  rate_limited: "Too many requests",
  service_unavailable: "Out of reach for a moment",
};

/** A page whose content the API refused: the same words, code and status that an API caller gets. */
export function refusedPage(answer: Answer<unknown>, under: string): Shown {
  const code = answer.error?.code ?? "internal";
  const title = TITLES[code] ?? "This did not work";
  return show(
    title,
    under,
    <>
      <Head title={title} about={answer.error?.message ?? "Something went wrong on our side."} />
      <Card>
        <p class="quiet">
          The API answered <code>{answer.status}</code> <code>{code}</code>.
        </p>
      </Card>
    </>,
    answer.status,
  );
}
