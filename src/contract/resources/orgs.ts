import { z } from "zod";
import { idShape } from "../ids.ts";
import { name, timestamp } from "../shapes.ts";

export const org = z
  .object({
    id: idShape("org"),
    name,
    status: z.enum(["active", "suspended"]),
    plan: z.string(),
    environment: z.enum(["live", "test"]),
    home_region: z.string(),
    ip_allow_list: z.array(z.string()).meta({ description: "CIDR blocks; empty allows every address." }),
    created_at: timestamp,
  })
  .meta({ id: "Org" });
export type Org = z.output<typeof org>;

export const createdOrg = z.object({
  org,
  owner_key: z.string().meta({ description: "Shown here, and never again." }),
});
export type CreatedOrg = z.output<typeof createdOrg>;
