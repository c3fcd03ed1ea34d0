import * as z from "zod";
import { MOST_TAGS, TAG_NAME, TAG_VALUE_MOST_CHARACTERS } from "../dimensions.ts";
import { callerId } from "../ids.ts";

const NAME_MESSAGE = "must be 1 to 40 characters of a-z, 0-9, '_', '.' and '-'";
const VALUE_MESSAGE = `must be a text of 1 to ${TAG_VALUE_MOST_CHARACTERS} characters`;

/** A refinement of each tag. `z.record` would drop one named `__proto__`. */
export function eachTag(isValue: (value: unknown) => boolean, message: string) {
  return (tags: object, context: z.core.$RefinementCtx<object>) => {
    for (const [name, value] of Object.entries(tags)) {
      const isNamed = TAG_NAME.test(name);
      if (isNamed && isValue(value)) continue;
      const said = isNamed ? message : NAME_MESSAGE;
      const code =
        isNamed && typeof value !== "string" ? "invalid_type" : isNamed ? "out_of_range" : "invalid_format";
      context.addIssue({ code: "custom", path: [name], message: said, params: { code } });
    }
  };
}

export function isTagValue(value: unknown): value is string {
  return typeof value === "string" && value.length >= 1 && value.length <= TAG_VALUE_MOST_CHARACTERS;
}

export function isTagged(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const tags = z
  .custom<Readonly<Record<string, string>>>(isTagged, {
    message: "must be an object",
    params: { code: "invalid_type" },
  })
  .superRefine(eachTag(isTagValue, VALUE_MESSAGE))
  .refine((all) => Object.keys(all).length <= MOST_TAGS, {
    message: `must be at most ${MOST_TAGS} tags`,
    params: { code: "out_of_range" },
  })
  .meta({
    description: `At most ${MOST_TAGS}, each with a name of 1 to 40 characters.`,
    examples: [{ team: "search" }],
    override: {
      type: "object",
      propertyNames: { type: "string", pattern: TAG_NAME.source },
      additionalProperties: { type: "string", minLength: 1, maxLength: TAG_VALUE_MOST_CHARACTERS },
    },
  });

/** The people and things that a call is for, in addition to the scopes of limits. */
export const attribution = {
  user_id: callerId.optional(),
  provider: callerId.optional(),
  tags: tags.optional(),
};
