import type { ListedModel, PriceBook } from "../../../contract/resources/price-book.ts";
import { TOKEN_CLASSES, TOKEN_CLASS_NAMES } from "../../../contract/token-classes.ts";
import { etagOf } from "../../../contract/etag.ts";
import {
  BLANK,
  bodyOf,
  type FormValues,
  draftOf,
  type Field,
  refusedDraft,
} from "../../console/view/field.ts";
import { ActionButton, Fields, Form, Problems, SaveOrCancel } from "../../console/view/form.tsx";
import { toWords } from "../../console/view/format.ts";
import { noticeAt } from "../../console/view/notice.tsx";
import { Card, Head } from "../../console/view/parts.tsx";
import { type PageRequest, formGuardOf, show, type PageResponse } from "../../console/visit.ts";
import { refusedPage, unreadPage } from "../../console/page/refusal-page.tsx";
import type { OperatorVisit } from "../visit.ts";

export const UNDER = "/operator/price-book";
const API = "/v1/admin/price-book";

const rate = (name: string): Field => ({
  name: `${name}_usd_per_mtok`,
  label: `${toWords(name)}, per million tokens`,
  kind: "money",
  half: true,
});

const FIELDS: readonly Field[] = [
  { name: "model", label: "Model", kind: "text", required: true, hint: "A new name adds a model." },
  { ...rate("input"), required: true, placeholder: "2.50" },
  { ...rate("output"), required: true, placeholder: "10.00" },
  {
    name: "source",
    label: "Source",
    kind: "text",
    placeholder: "https://example.com/pricing",
    hint: "Where the price was taken from.",
  },
  { name: "aliases", label: "Other names", kind: "list", hint: "# is any digit, as in m1-########." },
  { name: "", label: "Rates for kinds of tokens, per million", kind: "heading" },
  ...TOKEN_CLASS_NAMES.map((name) => ({
    ...rate(name),
    label: toWords(name),
    hint: `Empty: as ${TOKEN_CLASSES[name]}.`,
  })),
];

/** The form of one price of the book. */
export async function showPrice(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  const { body, ...answer } = await visit.api.get<PriceBook>(API);
  if (body === null) return unreadPage(answer, UNDER, UNDER);
  const found = priceIn(body, ask.query.get("model") ?? "");
  return page(visit, body, { draft: found === undefined ? BLANK : draftOf(found, FIELDS), status: 200 });
}

const priceIn = ({ models }: PriceBook, sought: string): ListedModel | undefined =>
  models.find(({ model }) => model === sought);

interface Drawn {
  readonly draft: FormValues;
  readonly status: number;
}

function page(visit: OperatorVisit, book: PriceBook, { draft, status }: Drawn): PageResponse {
  const model = draft.values["model"] ?? "";
  const found = priceIn(book, model);
  const title = found === undefined ? "New price" : model;
  const content = (
    <>
      <Head
        title={title}
        about="A change makes a new revision of the price book. It applies to every organization without a price of its own."
      >
        {found !== undefined && (
          <ActionButton
            action={`${UNDER}/remove?${new URLSearchParams({ model })}`}
            guard={formGuardOf(visit)}
            label="Remove"
            about={`Remove ${model}`}
            confirm="Organizations without a price of their own can then use this model only with a cost that they report."
          />
        )}
      </Head>
      <Problems of={FIELDS} draft={draft} />
      <Card title={found === undefined ? "Price" : "Change this price"} note={kept(found)}>
        <Form action={`${UNDER}/price`} guard={formGuardOf(visit)}>
          <input type="hidden" name="revision" value={book.revision} />
          <Fields of={FIELDS} draft={draft} />
          <SaveOrCancel save="Save" cancel={UNDER} />
        </Form>
      </Card>
    </>
  );
  return show(title, UNDER, content, status);
}

/** What the form does not show stays as it is. */
function kept(found: ListedModel | undefined): string | null {
  const others = [
    [found?.tiers.length ?? 0, "tier", "tiers"],
    [Object.keys(found?.units ?? {}).length, "unit", "units"],
    [Object.keys(found?.variants ?? {}).length, "variant", "variants"],
  ] as const;
  const named = others.flatMap(([many, one, several]) =>
    many === 0 ? [] : [`${many} ${many === 1 ? one : several}`],
  );
  return named.length === 0 ? null : `Not changed here: its ${named.join(", ")}.`;
}

export async function savePrice(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  const { body: book, ...read } = await visit.api.get<PriceBook>(API);
  if (book === null) return refusedPage(read, UNDER, UNDER);
  const model = ask.form.get("model")?.trim() ?? "";
  if (ask.form.get("revision") !== String(book.revision)) {
    const problem =
      "The price book has changed since this form was opened. Check the price, then save again.";
    const draft = { values: Object.fromEntries(ask.form), errors: {}, problem };
    return page(visit, book, { draft, status: 409 });
  }
  const { provider, units, tiers, variants, context_window, max_output_tokens } = priceIn(book, model) ?? {};
  const bounds = { context_window, max_output_tokens };
  const price = { provider, units, tiers, variants, ...bounds, ...bodyOf(ask.form, FIELDS) };
  const others = book.models.filter((one) => one.model !== model);
  const answer = await replace(visit, ask, book, [...others, price]);
  if (answer.error === null) return noticeAt(UNDER, "saved");
  const draft = refusedDraft(ask.form, answer, FIELDS, ofModel);
  return page(visit, book, { draft, status: answer.status });
}

export async function removePrice(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  const { body: book, ...read } = await visit.api.get<PriceBook>(API);
  if (book === null) return refusedPage(read, UNDER, UNDER);
  const model = ask.query.get("model") ?? "";
  const left = book.models.filter((one) => one.model !== model);
  const answer = await replace(visit, ask, book, left);
  return answer.error === null ? noticeAt(UNDER, "deleted") : refusedPage(answer, UNDER, UNDER);
}

/** A complaint about one model of the book, as one about the form. */
const ofModel = (field: string) => field.replace(/^models\[\d+\]\./, "");

/** Replaces the book that was read. If another call changed it since, nothing is replaced. */
function replace(visit: OperatorVisit, ask: PageRequest, book: PriceBook, models: readonly object[]) {
  // Null stands for what was not given, and is not accepted in its place.
  const given = JSON.stringify({ models }, (_name, value: unknown) => value ?? undefined);
  const once = ask.form.get("_once") ?? visit.once();
  return visit.replace(API, JSON.parse(given) as object, { once, ifMatch: etagOf(book) });
}
