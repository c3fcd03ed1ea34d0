import * as z from "zod";
import { EVENT_KINDS } from "../event-kinds.ts";
import { idShape } from "../ids.ts";
import { timestamp } from "../shapes.ts";

export const event = z
  .object({
    id: idShape("evt"),
    type: z.enum(EVENT_KINDS),
    created_at: timestamp,
    org_id: idShape("org"),
    data: z.looseObject({}),
  })
  .meta({ id: "Event" });
export type Event = z.output<typeof event>;
