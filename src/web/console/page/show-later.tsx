import { Later } from "../../later.tsx";
import { show, type ShownPage } from "../visit.ts";

/** A page of which everything takes long to read. Its frame comes first, with the status of a page that could be read. */
export function showLater(title: string, under: string, read: () => Promise<ShownPage>): ShownPage {
  return show(title, under, <Later read={async () => (await read()).content} />);
}
