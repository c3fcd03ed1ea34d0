/** The part of the test environment that a script gets. A test that does not ask for Northwind starts without it. */
export function inherited(): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, SLUICE_NORTHWIND: "off" };
}
