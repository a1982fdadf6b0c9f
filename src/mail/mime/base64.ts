/** The base64 encoding of MIME: RFC 2045 section 6.8. */

/** In lines of 76 characters, the last without an end. */
export const base64Lines = (bytes: Buffer): string => bytes.toString('base64').replace(/.{76}(?=.)/g, '$&\r\n');
