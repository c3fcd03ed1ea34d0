import {
  MOST_NAME,
  MOST_VIEWS,
  pageOfView,
  type SavedView,
  viewAddress,
  viewName,
  viewsValue,
} from "../saved-views.ts";
import { Empty } from "../view/parts.tsx";
import { VIEWS_PATH } from "../view/saved-views.tsx";
import { type PageRequest, type Route, show, type PageResponse, type Visit } from "../visit.ts";

const HOME = "/console";

/** The views without the one of this org and page that has the name. */
function without(visit: Visit, ask: PageRequest, name: string, at: string): readonly SavedView[] {
  const page = pageOfView({ at });
  return ask.views.filter(
    (view) => view.orgId !== visit.visitor.orgId || pageOfView(view) !== page || view.name !== name,
  );
}

async function saveView(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const at = viewAddress(ask.form.get("at") ?? "");
  if (at === null) return { redirect: HOME };
  const name = viewName(ask.form.get("name") ?? "");
  if (name === null)
    return notSaved(at, `A view needs a name of at most ${MOST_NAME} visible characters.`, 422);
  const { orgId } = visit.visitor;
  const views = viewsValue([...without(visit, ask, name, at), { orgId, name, at }]);
  if (views === null) {
    return notSaved(
      at,
      `A browser keeps at most ${MOST_VIEWS} views, fewer with long filters. Delete one first.`,
      409,
    );
  }
  return { redirect: at, views };
}

function notSaved(at: string, why: string, status: number): PageResponse {
  const back = (
    <a class="button" href={at}>
      Back
    </a>
  );
  const content = (
    <Empty icon="overview" title="The view was not saved" action={back}>
      {why}
    </Empty>
  );
  return show("Not saved", pageOfView({ at }), content, status);
}

async function deleteView(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const at = viewAddress(ask.query.get("at") ?? "") ?? HOME;
  const views = viewsValue(without(visit, ask, ask.query.get("name") ?? "", at));
  return { redirect: at, ...(views === null ? {} : { views }) };
}

export const savedViewPages: readonly Route[] = [
  ["POST", VIEWS_PATH, saveView],
  ["POST", `${VIEWS_PATH}/delete`, deleteView],
];
