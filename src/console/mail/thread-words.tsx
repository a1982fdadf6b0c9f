/** The text of a thread and of a hit in lists. */

import { overview } from '../api/overview.ts';
import { withoutTable } from '../components/format.ts';
import { splitAddress } from '../components/mail-parts.tsx';

/** The participants' names, after `to` in a thread that the agent began. */
export const participantsOf = ({ participants }: { participants: readonly string[] }, agent: string): string => {
  const own = overview.value?.agents.find(({ handle }) => handle === agent)?.address;
  const split = participants.map(splitAddress);
  const others = split.filter(({ address }) => address !== own).map(({ name, address }) => name ?? address);
  if (others.length === 0) return agent;
  return `${split[0]?.address === own ? 'to ' : ''}${others.join(', ')}`;
};

/** Matched words stand between ** and **. */
export const Excerpt = ({ text }: { text: string }) => (
  <bdi>
    {withoutTable(text)
      .split('**')
      .map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}
  </bdi>
);
