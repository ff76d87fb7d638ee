/** For every node, the nodes it needs. */
export type Needs = readonly (readonly number[])[];

/**
 * Find a cycle, spelled out from a node back to itself (`[0, 2, 0]`), or null when there is none.
 *
 * Iterative depth-first search, so a long chain cannot overflow the stack; linear in nodes and edges.
 */
export function findCycle(needs: Needs): number[] | null {
  const NEW = 0;
  const OPEN = 1;
  const DONE = 2;
  const state = new Uint8Array(needs.length);
  for (let root = 0; root < needs.length; root += 1) {
    if (state[root] !== NEW) continue;
    const path = [root];
    const cursor = [0];
    state[root] = OPEN;
    while (path.length > 0) {
      const node = path.at(-1)!;
      const next = needs[node]![cursor.at(-1)!];
      if (next === undefined) {
        state[node] = DONE;
        path.pop();
        cursor.pop();
        continue;
      }
      cursor[cursor.length - 1]! += 1;
      if (state[next] === OPEN) return [...path.slice(path.indexOf(next)), next];
      if (state[next] === NEW) {
        state[next] = OPEN;
        path.push(next);
        cursor.push(0);
      }
    }
  }
  return null;
}
