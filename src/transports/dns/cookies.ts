/**
 * DNS cookies (RFC 7873) in the layout of RFC 9018. A client that returns a valid cookie has received a response at
 * its address, so the address is not forged. The hash is HMAC-SHA-256 instead of SipHash, because no other server
 * shares the secret.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, HOUR, MINUTE, type RandomBytes, SECOND } from '../../kernel/clock.ts';

const CLIENT_OCTETS = 8;
const SERVER_OCTETS = 16;
const VERSION = 1;
/** RFC 9018 section 4.3. */
const MAX_AGE_MS = HOUR;
const MAX_AHEAD_MS = 5 * MINUTE;
const RENEW_AFTER_MS = 30 * MINUTE;

/** The secret lasts as long as the process; after a restart clients get a new cookie. */
export const createCookieCheck = (clock: Clock, random: RandomBytes) => {
  const secret = Buffer.from(random(32));

  const make = (client: Buffer, ip: string, at: number): Buffer => {
    const head = Buffer.alloc(8);
    head[0] = VERSION;
    head.writeUInt32BE(Math.floor(at / SECOND) >>> 0, 4);
    const hash = createHmac('sha256', secret).update(client).update(head).update(ip).digest().subarray(0, 8);
    return Buffer.concat([head, hash]);
  };

  /**
   * @param cookie the option's data, 8 octets or 16 to 40
   * @returns whether the client has proved its address, and the option's data for the reply
   */
  return (cookie: Buffer, ip: string): { isValid: boolean; reply: Buffer } => {
    const client = cookie.subarray(0, CLIENT_OCTETS);
    const server = cookie.subarray(CLIENT_OCTETS);
    const now = clock.now();
    const fresh = () => Buffer.concat([client, make(client, ip, now)]);
    if (server.length !== SERVER_OCTETS) return { isValid: false, reply: fresh() };
    const at = server.readUInt32BE(4) * SECOND;
    const isTimely = now - at <= MAX_AGE_MS && at - now <= MAX_AHEAD_MS;
    const isValid = isTimely && timingSafeEqual(server, make(client, ip, at));
    return { isValid, reply: isValid && now - at < RENEW_AFTER_MS ? Buffer.from(cookie) : fresh() };
  };
};
