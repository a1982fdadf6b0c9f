/** The base64 transfer encoding of MIME (RFC 2045 section 6.8). */

/** Encodes in lines of 76 characters; the last has no line end. */
export const base64Lines = (bytes: Buffer): string => bytes.toString('base64').replace(/.{76}(?=.)/g, '$&\r\n');
