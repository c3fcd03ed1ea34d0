/** The line at the top of the reference, the same as that of the guides (`scripts/reference/guides.ts`). */
export function Bar() {
  return (
    <header id="bar" class="bar">
      <a class="brand" href="/docs">
        <img src="/console/icon.svg" alt="" width="20" height="20" />
        Sluice docs
      </a>
      <a href="/docs">Start</a>
      <a href="/docs/guides">Guides</a>
      <a href="/docs/plain">Reference</a>
      <a href="/docs/interactive">Try it</a>
      <a href="/console">Console</a>
      <form action="/docs/guides" role="search" aria-label="Guides">
        <input
          type="search"
          name="q"
          aria-label="Search the guides"
          placeholder="Search the guides"
          required
          maxlength={100}
        />
      </form>
    </header>
  );
}
