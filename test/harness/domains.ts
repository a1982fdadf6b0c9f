/** Custom domains in flows: their records put into the zone, and calls of the domains resource. */

import type { DnsRecordView } from '../../src/resources/domains/contract.ts';
import type { TestAgent, TestInstance } from './instance.ts';
import type { Zone } from './net/dns.ts';

export interface DomainReply {
  id: string;
  domain: string;
  kind: string;
  status: string;
  can_send: boolean;
  records: DnsRecordView[];
  dkim_records_pending: boolean;
  dkim_status: string;
  hint: string | null;
  verified_at: string | null;
  last_checked_at: string | null;
}

export const publish = (zone: Zone, records: readonly DnsRecordView[]): void => {
  for (const { type, name, value, priority } of records) {
    if (type === 'MX') zone.set(name, 'MX', [{ exchange: value, priority: priority ?? 0 }]);
    else zone.set(name, type, [value]);
  }
};

export interface Reply<T> {
  status: number;
  body: T & { error?: string; hint?: string; included?: number; used?: number };
  headers: Headers;
}

export const request = async <T = DomainReply>(
  instance: Pick<TestInstance, 'request'>,
  agent: TestAgent,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply<T>> => {
  const reply = await instance.request(agent, method, path, body);
  return { status: reply.status, body: (await reply.json()) as Reply<T>['body'], headers: reply.headers };
};

export const addDomain = (instance: TestInstance, agent: TestAgent, domain: unknown): Promise<Reply<DomainReply>> =>
  request(instance, agent, 'POST', '/v1/domains', { domain });

export const verifyDomain = (instance: TestInstance, agent: TestAgent, id: string): Promise<Reply<DomainReply>> =>
  request(instance, agent, 'POST', `/v1/domains/${id}/verify`);

/** Adds a domain, publishes its records and verifies it. */
export const addVerified = async (instance: TestInstance, agent: TestAgent, domain: string): Promise<DomainReply> => {
  const { body } = await addDomain(instance, agent, domain);
  publish(instance.dns.zone, body.records);
  const verified = (await verifyDomain(instance, agent, body.id)).body;
  if (verified.status !== 'verified') throw new Error(`${domain} is ${verified.status}: ${JSON.stringify(verified)}`);
  return verified;
};

/** The record of a purpose, and of its first key where there are several. */
export const recordOf = ({ records }: Pick<DomainReply, 'records'>, purpose: string, at = 0): DnsRecordView => {
  const found = records.filter((each) => each.purpose === purpose)[at];
  if (!found) throw new Error(`There is no record ${purpose}.`);
  return found;
};

/** A clock that a test sets forward. */
export const createTestClock = () => {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    skip: (ms: number): void => {
      ahead += ms;
    },
  };
};
