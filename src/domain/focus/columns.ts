import type { FocusVersion } from "../../contract/lists.ts";
import { SCOPE_FIELDS } from "../../contract/scopes.ts";
import { DAY_MS } from "../../contract/durations.ts";
import type { Charge } from "./charge.ts";
import { type Decimal, formatDecimal, millionsOf, NANO_SCALE, productOf, RATE_SCALE } from "./decimal.ts";

/** The account that the charges belong to. */
export interface FocusAccount {
  readonly id: string;
  readonly name: string;
}

type Text = (charge: Charge, account: FocusAccount) => string | null;
type Amount = (charge: Charge) => Decimal | null;

export type FocusColumn = { readonly name: string; readonly only?: FocusVersion } & (
  | { readonly text: Text }
  | { readonly amount: Amount }
);

const CURRENCY = "USD";
const TOKENS_UNIT = "1000000 Tokens";

const moment = (ms: number) => new Date(ms).toISOString().replace(".000Z", "Z");

function monthOf(dayMs: number, later: number): number {
  const day = new Date(dayMs);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + later, 1);
}

const isUsage = ({ priced }: Charge) => priced !== "adjustment";

/** A model without a provider is its owner's, as its name says, or the org's own. */
function providerOf({ provider, model }: Charge, { name }: FocusAccount): string {
  const owner = model?.split("/")[0] ?? "";
  return provider ?? (model !== null && owner !== "" && owner !== model ? owner : name);
}

const cost: Amount = ({ nanos }) => ({ units: nanos, scale: NANO_SCALE });

/** A cost that a caller reported has no rate: each dollar of it is a unit. */
const unitPrice: Amount = ({ priced, rate }) => {
  if (priced === "adjustment") return null;
  return rate === null ? { units: 1n, scale: 0 } : { units: rate, scale: RATE_SCALE };
};

const pricingQuantity: Amount = (charge) => {
  if (charge.priced === "adjustment") return null;
  if (charge.priced === "reported") return cost(charge);
  return charge.priced === "tokens" ? millionsOf(charge.quantity) : { units: charge.quantity, scale: 0 };
};

/** The unit price times the quantity, without the rounding that each run has. */
const listed: Amount = (charge) => {
  const [price, quantity] = [unitPrice(charge), pricingQuantity(charge)];
  return price === null || quantity === null ? cost(charge) : productOf(price, quantity);
};

const PRICING_UNITS = { tokens: TOKENS_UNIT, units: "Units", reported: CURRENCY } as const;

const meterOf = ({ meter, priced }: Charge) => {
  if (priced === "reported") return "Reported cost";
  return priced === "tokens" ? `${meter} tokens` : meter;
};

function describe(charge: Charge): string {
  const of = charge.model === null ? "" : ` of ${charge.model}`;
  return isUsage(charge) ? `Usage: ${meterOf(charge)}${of}` : `Adjustment${of}`;
}

const skuOf = (charge: Charge) => `${charge.model}/${charge.meter ?? "reported"}`;

/** Names one price: the revision, the variant and the rate, because a revision may have rates for large requests. */
function skuPriceOf(charge: Charge): string {
  if (charge.rate === null) return skuOf(charge);
  const rate = formatDecimal({ units: charge.rate, scale: RATE_SCALE });
  return [skuOf(charge), `r${charge.revision ?? 0}`, charge.variant, rate]
    .filter((part) => part !== null)
    .join("/");
}

function skuDetails({ revision, variant }: Charge): string | null {
  const details = {
    ...(revision === null ? {} : { x_PriceRevision: revision }),
    ...(variant === null ? {} : { x_Variant: variant }),
  };
  return Object.keys(details).length === 0 ? null : JSON.stringify(details);
}

const CUSTOMER = SCOPE_FIELDS.indexOf("customer_id");
const customerOf: Text = ({ scopes }) => scopes[CUSTOMER] ?? null;

/** `department_id` as `x_DepartmentId`. */
const customName = (field: string) =>
  `x_${field.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;

/** In the order of the file: those of the specification, then our own. */
const ALL: readonly FocusColumn[] = [
  { name: "BilledCost", amount: cost },
  { name: "BillingAccountId", text: (_, { id }) => id },
  { name: "BillingAccountName", text: (_, { name }) => name },
  { name: "BillingCurrency", text: () => CURRENCY },
  { name: "BillingPeriodEnd", text: ({ dayMs }) => moment(monthOf(dayMs, 1)) },
  { name: "BillingPeriodStart", text: ({ dayMs }) => moment(monthOf(dayMs, 0)) },
  { name: "ChargeCategory", text: (charge) => (isUsage(charge) ? "Usage" : "Adjustment") },
  { name: "ChargeClass", text: ({ isCorrection }) => (isCorrection ? "Correction" : null) },
  { name: "ChargeDescription", text: describe },
  { name: "ChargeFrequency", text: (charge) => (isUsage(charge) ? "Usage-Based" : "One-Time") },
  { name: "ChargePeriodEnd", text: ({ dayMs }) => moment(dayMs + DAY_MS) },
  { name: "ChargePeriodStart", text: ({ dayMs }) => moment(dayMs) },
  {
    name: "ConsumedQuantity",
    amount: (charge) => (isUsage(charge) ? { units: charge.quantity, scale: 0 } : null),
  },
  {
    name: "ConsumedUnit",
    text: (charge) => (isUsage(charge) ? (charge.priced === "units" ? "Units" : "Tokens") : null),
  },
  { name: "ContractedCost", amount: listed },
  { name: "ContractedUnitPrice", amount: unitPrice },
  { name: "EffectiveCost", amount: cost },
  { name: "HostProviderName", only: "1.4", text: providerOf },
  { name: "InvoiceIssuerName", text: providerOf },
  { name: "ListCost", amount: listed },
  { name: "ListUnitPrice", amount: unitPrice },
  { name: "PricingCategory", text: (charge) => (isUsage(charge) ? "Standard" : null) },
  { name: "PricingQuantity", amount: pricingQuantity },
  { name: "PricingUnit", text: ({ priced }) => (priced === "adjustment" ? null : PRICING_UNITS[priced]) },
  { name: "ProviderName", only: "1.2", text: providerOf },
  { name: "PublisherName", only: "1.2", text: providerOf },
  { name: "ServiceCategory", text: () => "AI and Machine Learning" },
  { name: "ServiceName", text: (charge, account) => charge.model ?? providerOf(charge, account) },
  { name: "ServiceProviderName", only: "1.4", text: providerOf },
  { name: "ServiceSubcategory", text: () => "Generative AI" },
  { name: "SkuId", text: (charge) => (isUsage(charge) ? skuOf(charge) : null) },
  { name: "SkuMeter", text: (charge) => (isUsage(charge) ? meterOf(charge) : null) },
  { name: "SkuPriceDetails", text: (charge) => (isUsage(charge) ? skuDetails(charge) : null) },
  { name: "SkuPriceId", text: (charge) => (isUsage(charge) ? skuPriceOf(charge) : null) },
  { name: "SubAccountId", text: customerOf },
  { name: "SubAccountName", text: customerOf },
  { name: "Tags", text: ({ tags }) => tags },
  { name: "x_Model", text: ({ model }) => model },
  { name: "x_TokenClass", text: ({ meter, priced }) => (priced === "tokens" ? meter : null) },
  ...SCOPE_FIELDS.map((field, at): FocusColumn => ({
    name: customName(field),
    text: ({ scopes }) => scopes[at] ?? null,
  })),
];

export function focusColumns(version: FocusVersion): readonly FocusColumn[] {
  return ALL.filter(({ only }) => only === undefined || only === version);
}
