import type { Child } from "hono/jsx";

import { Icon, type IconName } from "./icons.tsx";

export type Tone = "good" | "warn" | "bad" | "accent" | "plain";

export function Head(props: { title: string; about?: Child; children?: Child }) {
  return (
    <div class="head">
      <div>
        <h1>{props.title}</h1>
        {props.about && <p>{props.about}</p>}
      </div>
      {props.children && <div class="actions">{props.children}</div>}
    </div>
  );
}

export function Card(props: { title?: string; note?: Child; children?: Child; bare?: boolean }) {
  return (
    <section class="card">
      {props.title && (
        <header>
          <h2>{props.title}</h2>
          {props.note && <p>{props.note}</p>}
        </header>
      )}
      {props.bare ? props.children : <div class="body">{props.children}</div>}
    </section>
  );
}

export function Badge({ tone, children }: { tone: Tone; children: Child }) {
  return <span class={tone === "plain" ? "badge" : `badge ${tone}`}>{children}</span>;
}

const TONES: Readonly<Record<string, Tone>> = {
  active: "good",
  enabled: "good",
  live: "good",
  done: "good",
  refused: "warn",
  accepted: "good",
  approved: "good",
  delivered: "good",
  enforce: "accent",
  succeeded: "good",
  allow: "good",
  pending: "warn",
  retrying: "warn",
  require_approval: "warn",
  expiring: "warn",
  revoked: "bad",
  denied: "bad",
  deny: "bad",
  disabled: "bad",
  exceeded: "bad",
  failed: "bad",
  suspended: "bad",
};

/** A state's name, in the colour that its meaning asks for. */
export function Status({ is }: { is: string }) {
  return <Badge tone={TONES[is] ?? "plain"}>{is.replaceAll("_", " ")}</Badge>;
}

export interface Column {
  readonly title: string;
  readonly end?: boolean;
  readonly hidden?: boolean;
}

/** A table that scrolls sideways by itself on a narrow screen, and can be reached by keyboard when it does. */
export function Table(props: { label: string; columns: readonly Column[]; children: Child }) {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={props.label}>
      <table>
        <thead>
          <tr>
            {props.columns.map(({ title, end, hidden }) => (
              <th scope="col" {...(end ? { class: "end" } : {})}>
                {hidden ? <span class="hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}

/** Tells a newcomer what goes here and what to do first. */
export function Empty(props: { icon: IconName; title: string; children: Child; action?: Child }) {
  return (
    <div class="empty">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      <p>{props.children}</p>
      {props.action}
    </div>
  );
}

export function Tiles({ children }: { children: Child }) {
  return <dl class="tiles">{children}</dl>;
}

export function Tile(props: { label: string; value: string; children?: Child }) {
  return (
    <div class="tile">
      <dt>{props.label}</dt>
      <dd>{props.value}</dd>
      {props.children && <dd class="note">{props.children}</dd>}
    </div>
  );
}

export function Facts({ of }: { of: readonly (readonly [string, Child])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

export function Pager({ first, next }: { first: string | null; next: string | null }) {
  if (first === null && next === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span>{first && <a href={first}>First page</a>}</span>
      <span>{next && <a href={next}>Next page</a>}</span>
    </nav>
  );
}

export function Secret(props: { title: string; value: string; children: Child }) {
  return (
    <Card title={props.title}>
      <div class="secret">
        <code>{props.value}</code>
        <p class="quiet small">{props.children}</p>
      </div>
    </Card>
  );
}
