import { priceBook } from "../../contract/resources/price-book.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { loadPriceBook } from "../../platform/price-book.ts";

export const getPriceBook = operation(
  {
    method: "GET",
    path: "/v1/admin/price-book",
    summary: "Read the platform's price book",
    description: "The prices that apply to organizations without their own price for a model.",
    role: "operator",
    reply: { 200: priceBook },
    refuses: [],
  },
  async (call) => reply(200, await loadPriceBook(call.env.DB)),
);
