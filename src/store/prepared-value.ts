/** A placeholder in a prepared statement, with a value from each call. */
export class PreparedValue {
  readonly name: string;
  /** The first call's value; an engine casts to its type; undefined: no cast. */
  readonly sample: unknown;

  constructor(name: string, sample?: unknown) {
    this.name = name;
    this.sample = sample;
  }
}
