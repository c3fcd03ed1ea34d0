import { ifMatchRefusal } from "../../contract/etag.ts";
import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import {
  BOOK_READ_ONLY,
  type BookProvider,
  type ListedModel,
  type NewBookProvider,
  newPriceBook,
  type NewListedModel,
  priceBook,
} from "../../contract/resources/price-book.ts";
import { readOnlyErrors } from "../../contract/read-only.ts";
import { invalidFields, isRefusal, refuse } from "../../contract/refusal.ts";
import { termsOf } from "../../domain/price/terms.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { tellOrgs } from "../../edge/object/tell-orgs.ts";
import { loadPriceBook, savePriceBook } from "../../platform/price-book.ts";
import { bookReaders } from "../../platform/price-book-readers.ts";

export const setPriceBook = operation(
  {
    method: "PUT",
    path: "/v1/admin/price-book",
    summary: "Replace the platform's price book",
    description:
      "Creates a new revision of the prices that differ. Sending the same book again changes nothing. When the call returns, the prices apply to every organization that uses them.",
    role: "operator",
    ifMatch: true,
    bodyLimit: "bulk",
    body: newPriceBook,
    reply: { 200: priceBook },
    refuses: ["conflict"],
  },
  async (call) => {
    const { DB } = call.env;
    const before = await loadPriceBook(DB);
    const outdated = ifMatchRefusal(call.envelope().ifMatch, before);
    if (outdated !== null) return outdated;
    const changed = readOnlyErrors(BOOK_READ_ONLY, call.body, before);
    if (changed.length > 0) return invalidFields(changed);
    const alone = { ...call.envelope(), idempotency: null, ifMatch: null };
    const { models, providers } = call.body;
    const given = {
      models: models.map(listed),
      providers: providers === undefined ? before.providers : providers.map(listedProvider),
    };
    const book = await savePriceBook(DB, before, given, call.startedAt);
    if (book === null) {
      const message = "Another call changed the price book. Read it, then send yours again.";
      return refuse("conflict", {}, { message });
    }
    const { revision } = book;
    const unreached = await tellOrgs(await bookReaders(DB), (orgId) =>
      call.door(orgId, alone).command("rereadPrices", { revision }),
    );
    const recorded = await call
      .door(PLATFORM_ORG_ID, alone)
      .command("recordPriceBook", { revision, was: before.revision, models: book.models.length });
    if (isRefusal(recorded)) return recorded;
    if (unreached === 0) return reply(200, book);
    const message = `The price book is set, but ${unreached} organizations that use it could not be reached. They load the new prices on their next request. To apply them now, send this request again.`;
    return refuse("service_unavailable", {}, { message });
  },
);

function listed({ model, aliases = [], source, ...terms }: NewListedModel): ListedModel {
  return { model, aliases: [...new Set(aliases)].sort(), source: source ?? null, ...termsOf(terms) };
}

function listedProvider({ provider, ...given }: NewBookProvider): BookProvider {
  const { names = [], models = [], fallbacks = [], hosts = false } = given;
  return { provider, names, models, fallbacks, hosts };
}
