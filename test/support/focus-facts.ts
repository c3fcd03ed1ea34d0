/**
 * What FOCUS requires of the columns of Cost and Usage, by version: whether a column must be there, its type, whether it may
 * be empty, and its values where they are closed. Conditional columns are listed if this service meets their condition.
 */
export interface ColumnFact {
  readonly level: "mandatory" | "conditional" | "recommended";
  readonly type: "text" | "decimal" | "moment" | "json" | "currency";
  readonly mayBeEmpty: boolean;
  readonly values?: readonly string[];
  readonly isNeverNegative?: true;
}

type Facts = Readonly<Record<string, ColumnFact>>;

const text = { level: "mandatory", type: "text", mayBeEmpty: false } as const;
const amount = { level: "mandatory", type: "decimal", mayBeEmpty: false } as const;
const moment = { level: "mandatory", type: "moment", mayBeEmpty: false } as const;
const sku = { level: "conditional", type: "text", mayBeEmpty: true } as const;
const price = { level: "conditional", type: "decimal", mayBeEmpty: true, isNeverNegative: true } as const;

const BOTH: Facts = {
  BilledCost: amount,
  BillingAccountId: text,
  BillingAccountName: { ...text, mayBeEmpty: true },
  BillingCurrency: { ...text, type: "currency" },
  BillingPeriodEnd: moment,
  BillingPeriodStart: moment,
  ChargeCategory: { ...text, values: ["Usage", "Purchase", "Tax", "Credit", "Adjustment"] },
  ChargeClass: { ...text, mayBeEmpty: true, values: ["Correction"] },
  ChargeDescription: { ...text, mayBeEmpty: true },
  ChargeFrequency: { ...text, level: "recommended", values: ["One-Time", "Recurring", "Usage-Based"] },
  ChargePeriodEnd: moment,
  ChargePeriodStart: moment,
  ConsumedQuantity: { ...amount, level: "conditional", mayBeEmpty: true },
  ConsumedUnit: { ...text, level: "conditional", mayBeEmpty: true },
  ContractedCost: amount,
  ContractedUnitPrice: price,
  EffectiveCost: amount,
  InvoiceIssuerName: text,
  ListCost: amount,
  ListUnitPrice: price,
  PricingCategory: {
    ...text,
    level: "conditional",
    mayBeEmpty: true,
    values: ["Standard", "Dynamic", "Committed", "Other"],
  },
  PricingQuantity: { ...amount, mayBeEmpty: true },
  PricingUnit: { ...text, mayBeEmpty: true },
  ServiceCategory: {
    ...text,
    values: [
      "AI and Machine Learning",
      "Analytics",
      "Business Applications",
      "Compute",
      "Databases",
      "Developer Tools",
      "Multicloud",
      "Identity",
      "Integration",
      "Internet of Things",
      "Management and Governance",
      "Media",
      "Migration",
      "Mobile",
      "Networking",
      "Security",
      "Storage",
      "Web",
      "Other",
    ],
  },
  ServiceName: text,
  // Of the one category that rows have here.
  ServiceSubcategory: {
    ...text,
    level: "recommended",
    values: [
      "AI Platforms",
      "Bots",
      "Generative AI",
      "Machine Learning",
      "Natural Language Processing",
      "Other (AI and Machine Learning)",
    ],
  },
  SkuId: sku,
  SkuMeter: sku,
  SkuPriceDetails: { level: "conditional", type: "json", mayBeEmpty: true },
  SkuPriceId: sku,
  SubAccountId: sku,
  SubAccountName: sku,
  Tags: { level: "conditional", type: "json", mayBeEmpty: true },
};

/** 1.3 replaced the names of provider and publisher, and 1.4 removed the old ones. */
export const FOCUS_FACTS: Readonly<Record<"1.2" | "1.4", Facts>> = {
  "1.2": { ...BOTH, ProviderName: text, PublisherName: text },
  "1.4": { ...BOTH, HostProviderName: text, ServiceProviderName: text },
};

export type FocusRow = Readonly<Record<string, string>>;

const SHAPES: Record<ColumnFact["type"], (value: string) => boolean> = {
  text: (value) => value.trim() !== "",
  decimal: (value) => /^-?\d+(?:\.\d+)?$/.test(value),
  moment: (value) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(value),
  currency: (value) => /^[A-Z]{3}$/.test(value),
  json(value) {
    const parsed: unknown = JSON.parse(value);
    return (
      typeof parsed === "object" &&
      parsed !== null &&
      !Array.isArray(parsed) &&
      Object.values(parsed).every((one) => ["string", "number", "boolean"].includes(typeof one))
    );
  },
};

/** What is wrong with the columns of a file. */
export function columnProblems(version: "1.2" | "1.4", columns: readonly string[]): string[] {
  const facts = FOCUS_FACTS[version];
  const missing = Object.keys(facts).filter((name) => !columns.includes(name));
  const unknown = columns.filter((name) => facts[name] === undefined && !/^x_[A-Z][A-Za-z]+$/.test(name));
  const firstOwn = columns.findIndex((name) => name.startsWith("x_"));
  const late = columns.slice(firstOwn).filter((name) => !name.startsWith("x_"));
  return [
    ...missing.map((name) => `${name} is missing`),
    ...unknown.map((name) => `${name} is not of FOCUS ${version}`),
    ...late.map((name) => `${name} comes after columns of our own`),
  ];
}

function cellProblem(name: string, fact: ColumnFact, value: string): string | null {
  if (value === "") return fact.mayBeEmpty ? null : `${name} is empty`;
  if (!SHAPES[fact.type](value)) return `${name} is no ${fact.type}: ${value}`;
  if (fact.isNeverNegative === true && value.startsWith("-")) return `${name} is negative: ${value}`;
  if (fact.values !== undefined && !fact.values.includes(value)) return `${name} has no value ${value}`;
  return null;
}

const SCALE = 40;
function scaled(decimal: string, scale: number): bigint {
  const [whole = "", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(scale, "0"));
}

const isProduct = (each: string, quantity: string, cost: string) =>
  scaled(each, SCALE) * scaled(quantity, SCALE) === scaled(cost, 2 * SCALE);

/** Rules between columns. Each is named by what it requires. */
const RULES: readonly (readonly [rule: string, holds: (row: FocusRow) => boolean])[] = [
  ...[
    "ListUnitPrice",
    "ContractedUnitPrice",
    "PricingQuantity",
    "SkuId",
    "SkuPriceId",
    "PricingCategory",
  ].map((name): (typeof RULES)[number] => [
    `usage has ${name}`,
    (row) => row["ChargeCategory"] !== "Usage" || row["ChargeClass"] === "Correction" || row[name] !== "",
  ]),
  [
    "PricingUnit goes with PricingQuantity",
    (row) => (row["PricingUnit"] === "") === (row["PricingQuantity"] === ""),
  ],
  [
    "ConsumedUnit goes with ConsumedQuantity",
    (row) => (row["ConsumedUnit"] === "") === (row["ConsumedQuantity"] === ""),
  ],
  [
    "only usage is consumed",
    (row) => (row["ChargeCategory"] === "Usage") === (row["ConsumedQuantity"] !== ""),
  ],
  ["a price has a SKU", (row) => (row["ListUnitPrice"] === "") === (row["SkuPriceId"] === "")],
  ["details belong to a price", (row) => row["SkuPriceDetails"] === "" || row["SkuPriceId"] !== ""],
  ["a meter belongs to a SKU", (row) => (row["SkuMeter"] === "") === (row["SkuId"] === "")],
  ["a sub account has a name", (row) => (row["SubAccountId"] === "") === (row["SubAccountName"] === "")],
  [
    "a charge without a price is listed as billed",
    (row) => row["ListUnitPrice"] !== "" || row["ListCost"] === row["BilledCost"],
  ],
  [
    "the list cost is price times quantity",
    (row) =>
      row["ListUnitPrice"] === "" ||
      isProduct(row["ListUnitPrice"] ?? "", row["PricingQuantity"] ?? "", row["ListCost"] ?? ""),
  ],
  [
    "the contracted cost is price times quantity",
    (row) =>
      row["ContractedUnitPrice"] === "" ||
      isProduct(row["ContractedUnitPrice"] ?? "", row["PricingQuantity"] ?? "", row["ContractedCost"] ?? ""),
  ],
  [
    "the charge period lies in the billing period",
    (row) =>
      (row["BillingPeriodStart"] ?? "") <= (row["ChargePeriodStart"] ?? "") &&
      (row["ChargePeriodStart"] ?? "") < (row["ChargePeriodEnd"] ?? "") &&
      (row["ChargePeriodEnd"] ?? "") <= (row["BillingPeriodEnd"] ?? ""),
  ],
];

/** What is wrong with a row. */
export function rowProblems(version: "1.2" | "1.4", row: FocusRow): string[] {
  const cells = Object.entries(FOCUS_FACTS[version]).map(([name, fact]) =>
    cellProblem(name, fact, row[name] ?? ""),
  );
  const broken = RULES.filter(([, holds]) => !holds(row)).map(([rule]) => rule);
  return [...cells.filter((problem) => problem !== null), ...broken];
}

/** The rows of a CSV file (RFC 4180). */
export function readCsv(file: string): { columns: string[]; rows: FocusRow[] } {
  const records: string[][] = [[]];
  let [field, isQuoted] = ["", false];
  for (let at = 0; at < file.length; at += 1) {
    const letter = file[at] ?? "";
    if (isQuoted) {
      if (letter !== '"') field += letter;
      else if (file[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === "," || letter === "\n") {
      records.at(-1)?.push(field);
      field = "";
      if (letter === "\n") records.push([]);
    } else if (letter !== "\r") field += letter;
  }
  const [columns = [], ...rest] = records.filter((record) => record.length > 0);
  return {
    columns,
    rows: rest.map((values) => Object.fromEntries(columns.map((name, at) => [name, values[at] ?? ""]))),
  };
}
