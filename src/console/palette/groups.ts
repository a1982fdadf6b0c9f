/** Groups the results: matching names first, then mail, people, secrets and the rest; acts last. */

import { useLocation } from 'wouter-preact';
import { shortTime, until } from '../components/format.ts';
import { otherSideOf } from '../components/mail-parts.tsx';
import { mainChannel, underName } from '../contacts/contact.ts';
import { linkOf, SCREENS } from '../frame/screens.ts';
import { titleOf } from '../notes/note-title.ts';
import { type Group, type Hit, useCommands } from './commands.ts';
import { MOST_OF_KIND, useFinds } from './finds.ts';
import { listRecent } from './recent.ts';

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Entries that contain all words; those that begin with them first. */
const pick = (hits: readonly Hit[], text: string): Hit[] => {
  const asked = wordsOf(text);
  const isCalled = ({ words }: Hit): number => Number(words.toLowerCase().startsWith(text.toLowerCase()));
  return hits
    .filter(({ words, more = '', also = '', end = '' }) => {
      const whole = `${words} ${more} ${also} ${end}`.toLowerCase();
      return asked.every((word) => whole.includes(word));
    })
    .toSorted((one, other) => isCalled(other) - isCalled(one))
    .slice(0, MOST_OF_KIND);
};

const screenOf = (path: string) =>
  SCREENS.find((screen) => linkOf(screen) === path) ??
  SCREENS.find((screen) => screen.icon !== undefined && path.startsWith(`${linkOf(screen)}/`));

const MOST_RECENT = 6;

/** No two that read alike, and some of each kind. */
const thin = (hits: readonly Hit[]): Hit[] => {
  const isSame = (one: Hit, other: Hit): boolean => one.words === other.words && one.end === other.end;
  return hits
    .filter((hit, at) => hits.findIndex((other) => isSame(hit, other)) === at)
    .filter((hit, at, all) => all.slice(0, at).filter(({ icon }) => icon === hit.icon).length < MOST_OF_KIND)
    .slice(0, MOST_RECENT);
};

const ACTS_AT_FIRST = new Set(['decide', 'new-mail', 'new-secret', 'new-agent', 'pause', 'theme']);

export const useGroups = (typed: string, showKeys: () => void) => {
  const [at, go] = useLocation();
  const text = typed.trim();
  const { agents, screens, acts } = useCommands(showKeys);
  const { found, isPending, kept } = useFinds(typed);
  if (text === '') {
    const recent = listRecent()
      .filter(({ path }) => path !== at)
      .map(({ path, words }): Hit => {
        const screen = screenOf(path);
        const isScreen = screen?.title === words;
        // Shows the agent of `/agents/billing/day`, or the part where the agent is named already.
        const [, , agent = '', part = 'mail'] = path.split('/');
        const beside = words === agent ? part.replace(/^./, (letter) => letter.toUpperCase()) : agent;
        return {
          id: `recent ${path}`,
          words,
          icon: screen?.icon ?? 'mail',
          run: () => go(path),
          ...(isScreen && screen.key !== undefined
            ? { keys: `g ${screen.key}` }
            : { end: isScreen ? '' : (screen?.title ?? beside) }),
        };
      });
    const groups = [
      { name: 'Recent', hits: thin(recent) },
      { name: 'Do', hits: acts.filter(({ id }) => ACTS_AT_FIRST.has(id)) },
    ];
    return { groups: groups.filter(({ hits }) => hits.length > 0), isPending: false, ms: null, text };
  }

  const mail = found.mail.map(
    (hit): Hit => ({
      id: hit.message_id,
      icon: 'mail',
      words: hit.subject || '(no subject)',
      more: otherSideOf(hit),
      end: `${hit.agent}, ${shortTime(hit.created_at)}`,
      run: () => go(`/agents/${hit.agent}/messages/${hit.message_id}`),
    }),
  );
  const all: Hit[] =
    found.mail.length === 0
      ? []
      : [
          {
            id: 'all-mail',
            icon: 'search',
            words: `All mail with “${found.text}”`,
            end: `${found.all}${found.hasMore ? '+' : ''}`,
            run: () => go(`/mail?${new URLSearchParams({ q: found.text })}`),
          },
        ];
  const contacts = found.contacts.map(
    (contact): Hit => ({
      id: contact.id,
      icon: 'people',
      words: contact.name,
      more: underName(contact),
      end: mainChannel(contact) ?? '',
      run: () => go(`/contacts/${contact.id}`),
    }),
  );
  const notes = found.notes.map(
    (note): Hit => ({
      id: note.id,
      icon: 'note',
      words: titleOf(note),
      run: () => go(`/notes/${note.id}`),
    }),
  );
  const secrets = kept.secrets.map(
    ({ id, name, type, tags }): Hit => ({
      id,
      icon: 'lock',
      words: name,
      more: [type, ...tags].join(', '),
      run: () => go(`/vault/${id}`),
    }),
  );
  const domains = kept.domains.map(
    ({ id, domain, status }): Hit => ({
      id,
      icon: 'globe',
      words: domain,
      end: status,
      run: () => go(`/domains/${domain}`),
    }),
  );
  const held = kept.pending.map(
    ({ pending_id: id, subject, agent, expires_at }): Hit => ({
      id,
      icon: 'approve',
      words: `Decide “${subject || '(no subject)'}”`,
      also: `approve ${agent ?? ''}`,
      end: expires_at === null ? 'held' : `expires in ${until(expires_at)}`,
      run: () => go(`/approvals/${id}`),
    }),
  );
  const isCalled = ({ words }: Hit): boolean => words.toLowerCase().startsWith(text.toLowerCase());
  const [foundAgents, foundScreens, doable] = [pick(agents, text), pick(screens, text), pick([...acts, ...held], text)];
  const first: Group[] = [
    { name: 'Do', hits: doable.some(isCalled) ? doable : [] },
    { name: 'Agents', hits: foundAgents.some(isCalled) ? foundAgents : [] },
    { name: 'Screens', hits: foundScreens.some(isCalled) ? foundScreens : [] },
  ].filter(({ hits }) => hits.length > 0);
  const rest: Group[] = [
    { name: 'Mail', hits: [...mail, ...all] },
    { name: 'Contacts', hits: contacts },
    { name: 'Vault', hits: pick(secrets, text) },
    { name: 'Domains', hits: pick(domains, text) },
    { name: 'Notes', hits: notes },
    { name: 'Agents', hits: foundAgents },
    { name: 'Screens', hits: foundScreens },
    { name: 'Do', hits: doable },
  ].filter(({ name, hits }) => hits.length > 0 && first.every((group) => group.name !== name));
  return { groups: [...first, ...rest], isPending, ms: found.ms, text };
};
