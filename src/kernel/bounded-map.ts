/** A map of at most `max` entries: setting one beyond it drops the least recently set or used entry. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;
  readonly #onDrop: (value: V) => void;

  /** @param onDrop receives the value of an entry that a new one displaces, not of a deleted one */
  constructor(max: number, onDrop: (value: V) => void = () => {}) {
    super();
    this.#max = max;
    this.#onDrop = onDrop;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#max) this.#dropOldest();
    return this;
  }

  /** As `get`; marks the entry as used. */
  use(key: K): V | undefined {
    const value = this.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  #dropOldest(): void {
    const [oldest] = this;
    if (!oldest) return;
    this.delete(oldest[0]);
    this.#onDrop(oldest[1]);
  }
}
