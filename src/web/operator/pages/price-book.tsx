import type { PriceBook } from "../../../contract/resources/price-book.ts";
import { count, usd } from "../../console/view/format.ts";
import { type Filter, Filters } from "../../console/view/filters.tsx";
import { Notice } from "../../console/view/notice.tsx";
import { Card, Empty, Head, NoMatch } from "../../console/view/parts.tsx";
import { Table } from "../../console/view/table.tsx";
import { type PageRequest, show, type PageResponse } from "../../console/visit.ts";
import { unreadPage } from "../../console/page/refusal-page.tsx";
import { UNDER } from "./price.tsx";
import type { OperatorVisit } from "../visit.ts";

const MOST_SHOWN = 200;
const FILTERS: readonly Filter[] = [{ name: "model", title: "Model contains" }];

/** The platform's own prices. Each can be changed here; `npm run prices` and the API change many at once. */
export async function showPriceBook(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  const answer = await visit.api.get<PriceBook>("/v1/admin/price-book");
  if (answer.body === null) return unreadPage(answer, UNDER, UNDER);
  const { revision, models } = answer.body;
  const sought = ask.query.get("model")?.trim().toLowerCase() ?? "";
  const matching = models.filter(({ model }) => model.toLowerCase().includes(sought));
  const content = (
    <>
      <Head
        title="Price book"
        about={
          <>
            Revision {revision}, with {count(models.length)} models. <code>npm run prices</code> compares it
            with public prices.
          </>
        }
      >
        <a class="button primary" href={`${UNDER}/price`}>
          Add a price
        </a>
      </Head>
      <Notice ask={ask} />
      <Card bare>
        {models.length > 0 && <Filters path={UNDER} of={FILTERS} query={ask.query} answer={answer} />}
        {models.length === 0 ? (
          <Empty icon="models" title="No prices yet">
            Organizations use their own prices, or report what a run costs. Add a price here, or many with{" "}
            <code>npm run prices</code>.
          </Empty>
        ) : matching.length === 0 ? (
          <NoMatch icon="models" path={UNDER} />
        ) : (
          <Table
            label="Prices"
            columns={[
              {
                title: "Model",
                cell: ({ model }) => (
                  <a class="mono" href={`${UNDER}/price?${new URLSearchParams({ model })}`}>
                    {model}
                  </a>
                ),
              },
              { title: "Source", cell: ({ source }) => source },
              { title: "Input per million", kind: "number", cell: (row) => usd(row.input_usd_per_mtok) },
              { title: "Output per million", kind: "number", cell: (row) => usd(row.output_usd_per_mtok) },
            ]}
            rows={matching.slice(0, MOST_SHOWN)}
            hasFilters
          />
        )}
      </Card>
      {matching.length > MOST_SHOWN && (
        <p class="quiet">
          The first {MOST_SHOWN} of {count(matching.length)}. Search to see others.
        </p>
      )}
    </>
  );
  return show("Price book", UNDER, content);
}
