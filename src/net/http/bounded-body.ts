/** The body of an HTTP response, read up to a limit. */

export interface BoundedBody {
  readonly body: Buffer;
  /** Whether there was more than the limit. */
  readonly truncated: boolean;
}

/** Reads up to `maximum` octets; where there are more, the response is destroyed with its connection. */
export const readBoundedBody = async (chunks: AsyncIterable<Uint8Array>, maximum: number): Promise<BoundedBody> => {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    read.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the response.
    if (size > maximum) break;
  }
  return { body: Buffer.concat(read).subarray(0, maximum), truncated: size > maximum };
};
