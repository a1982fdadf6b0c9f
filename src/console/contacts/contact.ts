/** A contact, and its form's text. */

import type { Answer } from '../api/client.ts';

export type Contact = Answer<'contacts', 'list'>['contacts'][number];
export type ContactList = Answer<'contactLists', 'list'>['lists'][number];
/** The preview of an import. */
export type Seen = Answer<'contactPreview', 'csv'>;
type Channel = Contact['channels'][number];

export const mainChannel = ({ channels }: Contact): string | null =>
  (channels.find(({ kind }) => kind === 'email') ?? channels[0])?.value ?? null;

/** What stands under a name. */
export const underName = ({ company_name, job_title, name }: Contact): string =>
  [job_title, company_name === name ? null : company_name].filter(Boolean).join(', ');

/** One a line: the value, then its label in brackets. */
const writeChannels = (channels: readonly Channel[], kind: Channel['kind']): string =>
  channels
    .filter((channel) => channel.kind === kind)
    .map(({ value, label }) => (label === null ? value : `${value} (${label})`))
    .join('\n');

export const readChannels = (text: string, kind: Channel['kind']): Channel[] =>
  text.split('\n').flatMap((line) => {
    const [, value = '', label = null] = /^(.*?)(?:\s*\(([^()]+)\))?$/.exec(line.trim()) ?? [];
    return value === '' ? [] : [{ kind, value, label }];
  });

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

const TEXTS = ['given_name', 'family_name', 'preferred_name', 'company_name', 'job_title', 'notes'] as const;
type Text = (typeof TEXTS)[number];

const textsOf = <T>(of: (name: Text) => T) =>
  Object.fromEntries(TEXTS.map((name) => [name, of(name)])) as Record<Text, T>;

/** A contact as the text of its form. */
export const writeFields = (contact: Contact | null): Record<string, string> => ({
  ...textsOf((name) => contact?.[name] ?? ''),
  email: writeChannels(contact?.channels ?? [], 'email'),
  phone: writeChannels(contact?.channels ?? [], 'phone'),
  domains: contact?.domains.join('\n') ?? '',
});

export const readFields = (text: Readonly<Record<string, string>>) => {
  const of = (name: string): string => text[name] ?? '';
  return {
    ...textsOf((name) => orNull(of(name))),
    domains: of('domains')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    channels: [...readChannels(of('email'), 'email'), ...readChannels(of('phone'), 'phone')],
  };
};

/** The input that restores a contact: all but its facts, its lists and its postal addresses. */
export const toInput = ({ domains, channels, ...contact }: Contact) => ({
  ...textsOf((name) => contact[name]),
  domains,
  channels,
});
