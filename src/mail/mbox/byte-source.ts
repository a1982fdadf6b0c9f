/** A file of any size, read in parts. */
export interface ByteSource {
  readonly size: number;
  /** Reads up to `length` octets from `offset`, fewer at the end. The result is valid until the next call. */
  read(offset: number, length: number): Buffer;
}
