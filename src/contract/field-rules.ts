import type * as z from "zod";

/** A value of which any part may be missing, because it is wrong. */
export type Sound<T> = T extends readonly (infer Item)[]
  ? readonly (Sound<Item> | undefined)[]
  : T extends object
    ? { readonly [Field in keyof T]?: Sound<T[Field]> | undefined }
    : T;

/** How a rule reports a field, and what it may know of fields that it does not see. */
export interface Findings {
  readonly complain: (path: readonly PropertyKey[], code: string, message: string) => void;
  /** True if the field was sent, and it or a part of it is wrong. */
  readonly isWrong: (field: string) => boolean;
  /** True if the body is refused in any case. A rule that its operation checks later is then reported here. */
  readonly isRefused: boolean;
}

/**
 * A shape with a rule over several of its fields. The rule runs although other fields are wrong, so that a caller hears of
 * everything at once. It sees only what is right, and says nothing about what it does not see.
 */
export function withRule<T extends z.ZodType>(
  shape: T,
  rule: (value: Sound<z.output<T>>, findings: Findings) => void,
): T {
  const run = (value: z.output<T>, context: z.core.$RefinementCtx): void => {
    const isRefused = context.issues.length > 0;
    const wrong = context.issues.flatMap(wrongPath);
    rule((wrong.length === 0 ? value : without(value, wrong)) as Sound<z.output<T>>, {
      complain(path, code, message) {
        context.addIssue({ code: "custom", path: [...path], message, params: { code } });
      },
      isRefused,
      isWrong: (field) => wrong.some(([first]) => first === field),
    });
  };
  return shape.superRefine(run, { when: ({ issues }) => !issues.some(isOfOtherType) });
}

/** The value itself, and not a part of it, is of another type. */
function isOfOtherType({ code, path = [] }: z.core.$ZodRawIssue): boolean {
  return code === "invalid_type" && path.length === 0;
}

type Path = readonly PropertyKey[];

/** Where a value is wrong. Fields that are unknown are left out already, and a missing one has no value. */
function wrongPath({ code, path = [], input }: z.core.$ZodRawIssue): Path[] {
  return code === "unrecognized_keys" || input === undefined || path.length === 0 ? [] : [path];
}

/** A copy of the value without the parts at these paths. */
function without(value: unknown, wrong: readonly Path[]): unknown {
  if (wrong.some((path) => path.length === 0)) return undefined;
  if (typeof value !== "object" || value === null) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<PropertyKey, unknown>;
  const byField = new Map<PropertyKey, Path[]>();
  for (const [field = "", ...rest] of wrong) {
    const inside = byField.get(field) ?? [];
    inside.push(rest);
    byField.set(field, inside);
  }
  for (const [field, inside] of byField) copy[field] = without(copy[field], inside);
  return copy;
}

type Member = z.ZodObject;

/**
 * A union of shapes that a field tells apart. Where that field is missing or wrong, no member can be chosen: then each field that was
 * sent must be one of some member and fit it, so that a caller hears of those, too.
 */
export function withKinds<T extends z.ZodDiscriminatedUnion<readonly Member[]>>(union: T): T {
  const { options: members, discriminator } = union.def as unknown as Kinds;
  const run = (value: unknown, context: z.core.$RefinementCtx): void => {
    if (!context.issues.some((issue) => isNoMember(issue, discriminator))) return;
    for (const [field, said] of Object.entries(value as Readonly<Record<string, unknown>>)) {
      if (field !== discriminator) context.issues.push(...issuesOf(field, said, members));
    }
  };
  return union.superRefine(run, { when: ({ issues }) => !issues.some(isOfOtherType) });
}

interface Kinds {
  readonly options: readonly Member[];
  readonly discriminator: string;
}

function isNoMember({ code, path = [] }: z.core.$ZodRawIssue, discriminator: string): boolean {
  return code === "invalid_union" && path.length === 1 && path[0] === discriminator;
}

/** A shape's own words stay; others are chosen where all issues become errors. */
const OWN_WORDS = { reportInput: true, error: () => "" };

/** Returns what is wrong with a field in every member that has it. */
function issuesOf(field: string, said: unknown, members: readonly Member[]): z.core.$ZodRawIssue[] {
  const shapes = members.flatMap(({ shape }) => (Object.hasOwn(shape, field) ? [shape[field]] : []));
  if (shapes.length === 0)
    return [{ code: "unrecognized_keys", keys: [field], input: { [field]: said }, path: [] }];
  const results = shapes.map((shape) => (shape as z.ZodType).safeParse(said, OWN_WORDS));
  const [first] = results;
  if (first === undefined || results.some(({ success }) => success)) return [];
  return (first.error?.issues ?? []).map((issue) => ({
    ...issue,
    path: [field, ...issue.path],
  })) as z.core.$ZodRawIssue[];
}
