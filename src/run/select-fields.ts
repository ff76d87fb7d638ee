export function selectFields(
  data: unknown,
  _pointers: readonly (readonly string[])[],
): { data: unknown; missing: string[] } {
  return { data, missing: [] };
}
