import { addressToSave, MOST_NAME, pageOfView, type SavedView } from "../saved-views.ts";
import { formGuardOf, type Visit } from "../visit.ts";
import { ActionButton, Form } from "./form.tsx";
import type { PageAddress } from "./table-order.ts";

export const VIEWS_PATH = "/console/views";

/** The saved views of a page as links, and a form to save what it shows now or to delete one of them. */
export function SavedViews(props: {
  readonly visit: Visit;
  readonly address: PageAddress;
  readonly views: readonly SavedView[];
}) {
  const { visit, address } = props;
  const own = props.views.filter((view) => pageOfView(view) === address.path);
  const at = addressToSave(address.path, address.query);
  if (own.length === 0 && at === null) return null;
  return (
    <div class="views">
      {own.length > 0 && (
        <nav class="tabs" aria-label="Saved views">
          {own.map((view) => (
            <a href={view.at} {...(view.at === at ? { "aria-current": "true" } : {})}>
              {view.name}
            </a>
          ))}
        </nav>
      )}
      <details>
        <summary>{at === null ? "Edit views" : "Save this view"}</summary>
        {at !== null && (
          <Form action={VIEWS_PATH} guard={formGuardOf(visit)} class="inline-form">
            <input type="hidden" name="at" value={at} />
            <label for="view-name">Name</label>
            <input id="view-name" name="name" type="text" required maxlength={MOST_NAME} autocomplete="off" />
            <button type="submit">Save</button>
            <span class="quiet">Kept in this browser. To share it, send the address of the page.</span>
          </Form>
        )}
        {own.map((view) => (
          <div class="inline">
            <span>{view.name}</span>
            <ActionButton
              action={`${VIEWS_PATH}/delete?${new URLSearchParams({ name: view.name, at: view.at })}`}
              guard={formGuardOf(visit)}
              label="Delete"
              about={`Delete the view ${view.name}`}
            />
          </div>
        ))}
      </details>
    </div>
  );
}
