/** Read a resource that is named with a slash at its end as the one without: clients write the address as they were given it. */
export function withoutSlash(parameters: URLSearchParams, origin: string): URLSearchParams {
  const named = parameters.getAll("resource");
  const read = new URLSearchParams(parameters);
  read.delete("resource");
  for (const one of named) read.append("resource", one === `${origin}/mcp/` ? `${origin}/mcp` : one);
  return read;
}
