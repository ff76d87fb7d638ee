interface Memory<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** Get what is kept under a key; where nothing is, it is made and kept. */
export function getOrMake<Key, Value>(memory: Memory<Key, Value>, key: Key, make: () => Value): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make();
  memory.set(key, made);
  return made;
}

/** Let the entry go that was added first, where a map has as many as it may and one more comes. */
export function makeRoom(memory: Map<unknown, unknown>, most: number): void {
  const [oldest] = memory.keys();
  if (memory.size >= most && oldest !== undefined) memory.delete(oldest);
}
