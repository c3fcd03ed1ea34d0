import type { Route } from "../visit.ts";
import { listPage } from "./list.tsx";
import { createOne, readFormValues, newPage } from "./new.tsx";
import { actOnOne, changeOne, itemPage } from "./one.tsx";
import { hasPage, type Resource } from "./resource.ts";

/** The pages of a resource, and the forms on them. */
export function resourcePages<T>(resource: Resource<T>): readonly Route[] {
  const { path, create, change, actions = [] } = resource;
  const routes: Route[] = [["GET", path, (visit, ask) => listPage(resource, visit, ask)]];
  if (create !== undefined) {
    routes.push([
      "GET",
      `${path}/new`,
      (visit, ask) => newPage(resource, create, visit, { draft: readFormValues(ask.query, create) }),
    ]);
    routes.push(["POST", path, (visit, ask) => createOne(resource, create, visit, ask)]);
  }
  if (hasPage(resource)) routes.push(["GET", `${path}/:id`, (visit, ask) => itemPage(resource, visit, ask)]);
  if (change !== undefined) {
    routes.push(["POST", `${path}/:id`, (visit, ask) => changeOne(resource, change, visit, ask)]);
  }
  for (const action of actions) {
    routes.push([
      "POST",
      `${path}/:id/${action.name}`,
      (visit, ask) => actOnOne(resource, action, visit, ask),
    ]);
  }
  return routes;
}
