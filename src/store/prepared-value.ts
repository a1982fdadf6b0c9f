/** Stands in a prepared statement for a value that each call names. */
export class PreparedValue {
  readonly name: string;
  /** The first call's value, whose type an engine casts to; undefined: no cast. */
  readonly sample: unknown;

  constructor(name: string, sample?: unknown) {
    this.name = name;
    this.sample = sample;
  }
}
