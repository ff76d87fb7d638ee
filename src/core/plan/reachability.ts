/**
 * Which node reaches which in a growing directed graph, kept as its transitive closure.
 *
 * One bit for every pair: a question is one look, an edge costs one pass over the nodes. Meant for graphs of at most
 * a few hundred nodes.
 */
export class Reachability {
  readonly #size: number;
  readonly #words: number;
  readonly #rows: Uint32Array;

  constructor(size: number) {
    this.#size = size;
    this.#words = Math.ceil(size / 32);
    this.#rows = new Uint32Array(size * this.#words);
  }

  /** Whether a path leads from one node to another. No node reaches itself unless a cycle was added. */
  reaches(from: number, to: number): boolean {
    return (this.#rows[from * this.#words + (to >>> 5)]! & (1 << (to & 31))) !== 0;
  }

  /** Add an edge: every node that reaches its start now reaches its end and all that the end reaches. */
  add(from: number, to: number): void {
    if (this.reaches(from, to)) return;
    for (let node = 0; node < this.#size; node += 1) {
      if (node !== from && !this.reaches(node, from)) continue;
      const row = node * this.#words;
      for (let word = 0; word < this.#words; word += 1)
        this.#rows[row + word]! |= this.#rows[to * this.#words + word]!;
      this.#rows[row + (to >>> 5)]! |= 1 << (to & 31);
    }
  }
}
