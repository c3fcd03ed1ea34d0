import { Later } from "../../later.tsx";
import { show, type ShownPage } from "../visit.ts";

/** Sends the frame of a page before the rest is read. Its status is 200, even if the rest cannot be read. */
export function showLater(title: string, under: string, read: () => Promise<ShownPage>): ShownPage {
  return show(title, under, <Later read={async () => (await read()).content} />);
}
