import * as z from "zod";
import { callerId } from "../ids.ts";

const MOST_TAGS = 10;
const TAG_KEY = /^[a-z0-9_.-]{1,40}$/;

const tags = z
  .record(
    z.string().regex(TAG_KEY, "must be 1 to 40 characters of a-z, 0-9, '_', '.' and '-'"),
    z.string().min(1).max(200),
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
