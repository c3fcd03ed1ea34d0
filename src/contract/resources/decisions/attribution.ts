import * as z from "zod";
import {
  type ATTRIBUTED,
  isTagValue,
  MOST_TAGS,
  TAG_NAME,
  TAG_VALUE_MOST_CHARACTERS,
} from "../../dimensions.ts";
import { callerId } from "../../ids.ts";

const NAME_MESSAGE = "must be 1 to 40 characters of a-z, 0-9, '_', '.' and '-'";

/** The schema of the values of tags. */
interface TagValues {
  readonly isValue: (value: unknown) => boolean;
  readonly message: string;
  readonly schema: object;
  readonly description: string;
}

/** Tags by name. `z.record` would drop one named `__proto__`. */
export function taggedWith<Value>({ isValue, message, schema, description }: TagValues) {
  return z
    .unknown()
    .superRefine((tags, context) => {
      const complain = (code: string, said: string, path: string[] = []) =>
        context.addIssue({ code: "custom", path, message: said, params: { code } });
      if (!isObject(tags)) return complain("invalid_type", "must be an object");
      const entries = Object.entries(tags);
      if (entries.length > MOST_TAGS) complain("out_of_range", `must be at most ${MOST_TAGS} tags`);
      for (const [name, value] of entries) {
        if (!TAG_NAME.test(name)) complain("invalid_format", NAME_MESSAGE, [name]);
        else if (!isValue(value)) {
          complain(typeof value === "string" ? "out_of_range" : "invalid_type", message, [name]);
        }
      }
    })
    .meta({
      description,
      override: {
        type: "object",
        propertyNames: { type: "string", pattern: TAG_NAME.source },
        additionalProperties: schema,
      },
    }) as unknown as z.ZodType<Readonly<Record<string, Value>>, Readonly<Record<string, Value>>>;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const tags = taggedWith<string>({
  isValue: isTagValue,
  message: `must be a text of 1 to ${TAG_VALUE_MOST_CHARACTERS} characters`,
  schema: { type: "string", minLength: 1, maxLength: TAG_VALUE_MOST_CHARACTERS },
  description: `At most ${MOST_TAGS}, each with a name of 1 to 40 characters.`,
});

/** The people and things that a call is for, in addition to the scopes of limits. */
export const attribution = {
  user_id: callerId.optional(),
  provider: callerId.optional(),
  tags: tags.optional(),
} satisfies Record<(typeof ATTRIBUTED)[number] | "tags", z.ZodType>;
