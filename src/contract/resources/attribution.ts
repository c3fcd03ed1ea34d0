import * as z from "zod";
import { MOST_TAGS, TAG_NAME, TAG_VALUE_MOST_CHARACTERS } from "../dimensions.ts";
import { callerId } from "../ids.ts";

const tags = z
  .record(
    z.string().regex(TAG_NAME, "must be 1 to 40 characters of a-z, 0-9, '_', '.' and '-'"),
    z.string().min(1).max(TAG_VALUE_MOST_CHARACTERS),
  )
  .refine((all) => Object.keys(all).length <= MOST_TAGS, {
    message: `must be at most ${MOST_TAGS} tags`,
    params: { code: "out_of_range" },
  });

/** The people and things that a call is for, in addition to the scopes of limits. */
export const attribution = {
  user_id: callerId.optional(),
  provider: callerId.optional(),
  tags: tags.optional(),
};
