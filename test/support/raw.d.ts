/** A file's text, as provided by the test bundler. */
declare module "*?raw" {
  const text: string;
  // oxlint-disable-next-line import/no-default-export -- the bundler's own form
  export default text;
}
