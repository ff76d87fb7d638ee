/** BM25's usual constants: how soon more of a word counts no more, and how much the length of a text counts. */
const K = 1.2;
const B = 0.7;

/**
 * Which texts have a word, and what it tells of them (BM25). Every document has the same fields, and a word counts once
 * in each: in texts of a sentence or two how often it is said says nothing.
 */
export class WordIndex {
  readonly #fields: number;
  /** For each word the places that have it: document times fields, plus field. */
  readonly #places = new Map<string, number[]>();
  readonly #lengths: number[] = [];
  readonly #totals: number[];

  constructor(fields: number) {
    this.#fields = fields;
    this.#totals = Array.from({ length: fields }, () => 0);
  }

  /** Take up the next document, as the words of each field. */
  add(fields: readonly ReadonlySet<string>[]): void {
    for (const [field, words] of fields.entries()) {
      const place = this.#lengths.push(words.size) - 1;
      this.#totals[field]! += words.size;
      for (const word of words) {
        const places = this.#places.get(word);
        if (places === undefined) this.#places.set(word, [place]);
        else places.push(place);
      }
    }
  }

  /** Tell each document that has a word, once for each field, how much that says. */
  look(word: string, tell: (document: number, field: number, says: number) => void): void {
    const places = this.#places.get(word) ?? [];
    const documents = this.#lengths.length / this.#fields;
    const having = Array.from({ length: this.#fields }, () => 0);
    for (const place of places) having[place % this.#fields]! += 1;
    const rarities = having.map((count) => Math.log(1 + (documents - count + 0.5) / (count + 0.5)));
    for (const place of places) {
      const field = place % this.#fields;
      const relativeLength = (this.#lengths[place]! * documents) / this.#totals[field]!;
      const says = (rarities[field]! * (K + 1)) / (1 + K * (1 - B + B * relativeLength));
      tell((place - field) / this.#fields, field, says);
    }
  }
}
