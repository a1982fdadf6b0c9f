/** Answers one question from the zone (RFC 1034 section 4.3.2, without recursion). */

import { type Query, RCODE, TYPE } from './query.ts';
import { emptyReply, type Reply, type ZoneRecord } from './response.ts';
import type { Zone, ZoneNode } from './zone.ts';

/** Names of a chain of CNAME records; the zone makes chains of one. */
const MAX_CHAIN = 4;
/** RFC 8482 section 4.2. */
const ANY_ANSWER = { cpu: 'RFC8482', os: '' };
const ANY_TTL = 3_600;

const ofType = (records: readonly ZoneRecord[], type: number): ZoneRecord[] =>
  records.filter((record) => TYPE[record.type] === type);

/** The addresses of name servers that the answer names, where the zone has them (RFC 1034 section 4.3.2, step 6). */
const findGlue = async (zone: Zone, answers: readonly ZoneRecord[]): Promise<ZoneRecord[]> => {
  const hosts = answers.flatMap((record) => (record.type === 'NS' ? [record.data] : []));
  const nodes = await Promise.all(hosts.map((host) => zone.find(host)));
  const records = nodes.flatMap((node) => (node.kind === 'found' ? node.records : []));
  return [...ofType(records, TYPE.A), ...ofType(records, TYPE.AAAA)];
};

export const answer = async (zone: Zone, { question, refusal }: Query): Promise<Reply> => {
  if (refusal !== null) return emptyReply(refusal);
  if (!question) return emptyReply(RCODE.FORMERR);
  const first = await zone.find(question.name);
  if (first.kind === 'outside') return emptyReply(RCODE.REFUSED);
  const answers: ZoneRecord[] = [];
  let name = question.name;
  let node: ZoneNode = first;
  for (let links = 0; links < MAX_CHAIN; links += 1) {
    const end = finish(zone, node, name, question.type, answers);
    if (end) return { ...end, additional: await findGlue(zone, end.answers) };
    const [alias] = node.kind === 'found' ? ofType(node.records, TYPE.CNAME) : [];
    if (alias?.type !== 'CNAME') break;
    answers.push(alias);
    name = alias.data;
    node = await zone.find(name);
  }
  return { ...emptyReply(RCODE.NOERROR), isAuthoritative: true, answers };
};

/** Null for an alias that is to be followed. */
const finish = (
  { soa }: Zone,
  node: ZoneNode,
  name: string,
  type: number,
  before: readonly ZoneRecord[],
): Reply | null => {
  const reply = { ...emptyReply(RCODE.NOERROR), isAuthoritative: true, answers: before };
  // Outside of the zone the client follows the alias itself.
  if (node.kind === 'outside') return reply;
  if (node.kind === 'missing') return { ...reply, rcode: RCODE.NXDOMAIN, authority: [soa] };
  const { records } = node;
  if (type === TYPE.ANY && records.length > 0) {
    return { ...reply, answers: [...before, { name, ttl: ANY_TTL, type: 'HINFO', data: ANY_ANSWER }] };
  }
  const found = ofType(records, type);
  if (found.length > 0) return { ...reply, answers: [...before, ...found] };
  if (ofType(records, TYPE.CNAME).length > 0) return null;
  return { ...reply, authority: [soa] };
};
