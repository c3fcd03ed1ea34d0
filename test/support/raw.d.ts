/** A file's text, as the bundler of the tests gives it. */
declare module "*?raw" {
  const text: string;
  // oxlint-disable-next-line import/no-default-export -- the bundler's own form
  export default text;
}
