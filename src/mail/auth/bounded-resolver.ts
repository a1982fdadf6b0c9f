/** The resolver that verification is handed, kept within bounds of its own: a stranger decides what is asked. */

/** mailauth's resolver: answers as `node:dns` gives them; an error's `code` is ENOTFOUND, ENODATA, ETIMEOUT or ESERVFAIL. */
export type DnsResolve = (name: string, type: string) => Promise<string[] | string[][] | object[]>;

/** RFC 7208 section 4.6.4 wants at least 20 seconds for SPF; a client waits 10 minutes for our reply (RFC 5321 section 4.5.3.2.6). */
const MAX_ELAPSED_MS = 20_000;
/** A DMARC record is found within eight queries (RFC 9989 section 4.10); with both, a worker's time is not used up. */
export const POLICY_ELAPSED_MS = 10_000;
/** SPF's 10 lookups with 10 names each below MX and PTR are the most that anything needs. */
const MAX_QUERIES = 150;

/** Octets of a TXT record that are read: an RSA key of 8192 bits takes 1400. Reading costs the square of what is blank in it. */
const MAX_TXT_OCTETS = 4_096;

const isReadable = (record: unknown): boolean => [record].flat().join('').length <= MAX_TXT_OCTETS;

const timedOut = (): Error => Object.assign(new Error('DNS time limit exceeded'), { code: 'ETIMEOUT' });

const asError = (cause: unknown): Error =>
  cause instanceof Error ? cause : Object.assign(new Error('DNS failure'), { code: 'ESERVFAIL' });

/**
 * A resolver for one message: it asks each question once, always rejects with an Error, and rejects at once with ETIMEOUT
 * when the message has asked for too long or too much.
 */
export const boundedResolver = (resolve: DnsResolve, maxElapsedMs = MAX_ELAPSED_MS): DnsResolve => {
  const deadline = performance.now() + maxElapsedMs;
  const asked = new Map<string, Promise<string[] | string[][] | object[]>>();
  return (name, type) => {
    const question = `${type} ${name.toLowerCase()}`;
    const known = asked.get(question);
    if (known) return known;
    if (asked.size >= MAX_QUERIES || performance.now() > deadline) return Promise.reject(timedOut());
    const answer = (async () => {
      try {
        const records = await resolve(name, type);
        return type === 'TXT' ? (records as string[][]).filter(isReadable) : records;
      } catch (cause) {
        throw asError(cause);
      }
    })();
    // Who asked may have gone on without the answer.
    answer.catch(() => undefined);
    asked.set(question, answer);
    return answer;
  };
};
