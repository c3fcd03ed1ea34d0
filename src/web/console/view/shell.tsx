import type { Child } from "hono/jsx";
import { Icon, type IconName, Mark } from "./icons.tsx";

export interface Section {
  /** Null: it needs none. */
  readonly title: string | null;
  readonly pages: readonly (readonly [path: string, title: string, icon: IconName])[];
}

/** The navigation of a console, and below it who is signed in. */
export function Side(props: {
  readonly home: string;
  readonly label: string;
  readonly sections: readonly Section[];
  readonly path: string;
  readonly csrf: string;
  /** What stands behind a page's name. */
  readonly beside?: (path: string) => Child;
  /** How it is folded to its icons, and whether it is. Without it, it stays as it is. */
  readonly fold?: { readonly action: string; readonly isSlim: boolean };
  readonly children: Child;
}) {
  const { home, label, sections, path, csrf, beside = () => null, fold, children } = props;
  return (
    <header class="side">
      <a class="brand" href={home}>
        <Mark />
        <span class="name">Sluice</span>
      </a>
      <button class="menu" type="button" popovertarget="nav">
        <Icon name="menu" />
        Menu
      </button>
      <nav class="nav" id="nav" popover="auto" aria-label={label}>
        {sections.map((section) => (
          <div>
            {section.title !== null && <h2>{section.title}</h2>}
            <ul>
              {section.pages.map(([href, title, icon]) => (
                <li>
                  <a href={href} title={title} {...(href === path ? { "aria-current": "page" } : {})}>
                    <Icon name={icon} />
                    <span class="name">{title}</span>
                    {beside(href)}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      {fold && <Fold {...fold} />}
      <div class="who">
        <div>{children}</div>
        <form method="post" action={`${home}/logout`}>
          <input type="hidden" name="_csrf" value={csrf} />
          <button class="link" type="submit">
            Sign out
          </button>
        </form>
      </div>
    </header>
  );
}

/** Folds the navigation to its icons, and back. */
function Fold({ action, isSlim }: { readonly action: string; readonly isSlim: boolean }) {
  return (
    <form class="fold" method="post" action={action}>
      <button class="link" type="submit" title={isSlim ? "Show names" : "Show icons only"}>
        <span aria-hidden="true">{isSlim ? "»" : "«"}</span>
        <span class="name">{isSlim ? "Show names" : "Collapse"}</span>
      </button>
    </form>
  );
}

/** Finds something by what is typed, from every page. */
export function Search(props: {
  readonly action: string;
  readonly label: string;
  readonly hint: string;
  /** The id of the box that a script fills with what it finds. */
  readonly list?: string;
}) {
  return (
    <form class="search" method="get" action={props.action} role="search" aria-label={props.label}>
      <input
        name="q"
        type="search"
        aria-label={props.hint}
        placeholder={props.hint}
        autocomplete="off"
        spellcheck={false}
        maxlength={128}
      />
      <button type="submit">Search</button>
      {props.list && <div class="found" id={props.list} hidden />}
    </form>
  );
}

/** Signs in with a key. */
export function KeyForm(props: {
  readonly action: string;
  readonly label: string;
  readonly hint: string;
  readonly placeholder?: string;
  /** What is sent beside the key. */
  readonly hidden: Readonly<Record<string, string>>;
  /** Why the key that was sent does not sign in. */
  readonly problem: string | null;
}) {
  const { action, label, hint, placeholder, hidden, problem } = props;
  const wrong = problem === null ? {} : { "aria-invalid": "true", "aria-describedby": "key-error" };
  return (
    <form class="form" method="post" action={action}>
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="field">
        <label for="key">{label}</label>
        <input
          id="key"
          name="key"
          type="password"
          required
          autocomplete="off"
          spellcheck={false}
          {...(placeholder === undefined ? {} : { placeholder })}
          {...wrong}
        />
        {problem !== null && (
          <span class="error" id="key-error" role="alert">
            {problem}
          </span>
        )}
        <span class="hint">{hint}</span>
      </div>
      <div>
        <button class="primary" type="submit">
          Sign in
        </button>
      </div>
    </form>
  );
}
