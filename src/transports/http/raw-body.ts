/** A request's body of another media type than JSON, which an operation takes as one field. */
export class RawBody {
  readonly mediaType: string;
  readonly octets: Buffer;

  constructor(mediaType: string, octets: Buffer) {
    this.mediaType = mediaType;
    this.octets = octets;
  }
}
