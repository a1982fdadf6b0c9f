/** Bounds the DNS queries of one message's authentication, because the sender chooses their names. */

/**
 * mailauth's resolver: returns answers in the form of `node:dns`; an error's `code` is ENOTFOUND, ENODATA, ETIMEOUT or
 * ESERVFAIL.
 */
export type DnsResolve = (name: string, type: string) => Promise<string[] | string[][] | object[]>;

/**
 * RFC 7208 section 4.6.4 requires at least 20 seconds for SPF; a client waits 10 minutes for the reply to DATA
 * (RFC 5321 section 4.5.3.2.6).
 */
const MAX_ELAPSED_MS = 20_000;
/**
 * A DMARC record is found within eight queries (RFC 9989 section 4.10); both limits together stay below a worker's time
 * limit.
 */
export const POLICY_ELAPSED_MS = 10_000;
/** The maximum that SPF needs: 10 lookups with 10 names each for MX and PTR. */
const MAX_QUERIES = 150;

/**
 * Octets of a TXT record that are parsed: an RSA key of 8192 bits takes 1400. mailauth's parsing cost grows with the
 * square of a run of blanks.
 */
const MAX_TXT_OCTETS = 4_096;

const isReadable = (record: unknown): boolean => [record].flat().join('').length <= MAX_TXT_OCTETS;

const timedOut = (): Error => Object.assign(new Error('DNS time limit exceeded'), { code: 'ETIMEOUT' });

const asError = (cause: unknown): Error =>
  cause instanceof Error ? cause : Object.assign(new Error('DNS failure'), { code: 'ESERVFAIL' });

/**
 * Creates a resolver for one message. Sends each query once, rejects with an Error only, and rejects at once with
 * ETIMEOUT when the message exceeds its time or its number of queries.
 */
export const boundedResolver = (resolve: DnsResolve, maxElapsedMs = MAX_ELAPSED_MS): DnsResolve => {
  const deadline = performance.now() + maxElapsedMs;
  const queries = new Map<string, Promise<string[] | string[][] | object[]>>();
  return (name, type) => {
    const key = `${type} ${name.toLowerCase()}`;
    const known = queries.get(key);
    if (known) return known;
    if (queries.size >= MAX_QUERIES || performance.now() > deadline) return Promise.reject(timedOut());
    const answer = (async () => {
      try {
        const records = await resolve(name, type);
        return type === 'TXT' ? (records as string[][]).filter(isReadable) : records;
      } catch (cause) {
        throw asError(cause);
      }
    })();
    // The caller may have stopped waiting: marks the rejection as handled.
    answer.catch(() => undefined);
    queries.set(key, answer);
    return answer;
  };
};
