import type { Child } from "hono/jsx";
import { Card, Head } from "../view/parts.tsx";
import { type Failed, Quoted, titleOf, TryAgain } from "../view/unread.tsx";
import { show, type ShownPage } from "../visit.ts";

/** A page for a form that the API refused, with the same message, code and status. */
export function refusedPage(answer: Failed, under: string, back = "/console"): ShownPage {
  return failedPage(answer, { under, back, note: " Nothing was changed.", again: null });
}

/** A page for what the API did not let the reader read. */
export function unreadPage(answer: Failed, under: string, back = "/console"): ShownPage {
  return failedPage(answer, {
    under,
    back,
    note: "",
    again: answer.status === 404 ? null : <TryAgain class="button primary" />,
  });
}

interface Ways {
  readonly under: string;
  readonly back: string;
  readonly note: string;
  readonly again: Child;
}

function failedPage(answer: Failed, { under, back, note, again }: Ways): ShownPage {
  const title = titleOf(answer);
  const content = (
    <>
      <Head title={title} about={answer.error?.message ?? "The error is on our side."} />
      <Card>
        <div class="stack" data-failed>
          <p class="quiet">
            <Quoted of={answer} />
            {note}
          </p>
          <p class="inline">
            {again}
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
