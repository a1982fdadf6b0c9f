/** A file of any size, of which a part is read at a time. */
export interface ByteSource {
  readonly size: number;
  /** Up to `length` octets from `offset`, fewer at the end. They hold until the next call. */
  read(offset: number, length: number): Buffer;
}
