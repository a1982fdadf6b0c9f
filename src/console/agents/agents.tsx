/** All agents, and making one. */

import { useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { overview } from '../api/overview.ts';
import { Empty, SkeletonLines } from '../components/blocks.tsx';
import { AddButton } from '../components/controls.tsx';
import { count, plural } from '../components/format.ts';
import { Find } from '../components/inputs.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { AgentTable } from '../home/agent-table.tsx';
import { mailboxWords } from '../home/quota.tsx';
import { NewAgent } from './new-agent.tsx';

/** Rows shown; a filter finds the others. */
const MOST_SHOWN = 200;

export const Agents = () => {
  const search = useSearch();
  const [, go] = useLocation();
  const [text, setText] = useState('');
  const plan = useAnswer(api.plan.get, {}, overview.value?.agents.length);
  const mailboxes = plan.value && mailboxWords(plan.value);
  const all = overview.value?.agents ?? null;
  const words = text.trim().toLowerCase();
  const found = (all ?? []).filter(({ handle, address }) => handle.includes(words) || address.includes(words));
  return (
    <>
      <TitleRow
        title="Agents"
        context={
          all && (
            <span class="dim">
              {plural(all.length, 'agent')}
              {mailboxes && (
                <span class="wide-only">
                  {mailboxes.included === null
                    ? `, ${plural(mailboxes.used, 'mailbox', 'mailboxes')}, no limit`
                    : `, ${count(mailboxes.used)} of ${plural(mailboxes.included, 'mailbox', 'mailboxes')}`}
                </span>
              )}
            </span>
          )
        }
      >
        <AddButton words="New agent" onClick={() => go('/agents?new')} />
      </TitleRow>
      <div class="page">
        <section aria-label="Agents">
          {all && all.length > 0 && (
            <div class="tools">
              <Find
                label="Filter by handle or address"
                placeholder="Handle or address"
                value={text}
                onInput={setText}
              />
            </div>
          )}
          {all === null && <SkeletonLines lines={6} />}
          {all && found.length === 0 && words !== '' ? (
            <Empty isFramed icon="search" title="Nothing matches">
              No agent has “{text.trim()}” in its handle or address.
            </Empty>
          ) : (
            all && <AgentTable agents={found.slice(0, MOST_SHOWN)} />
          )}
          {found.length > MOST_SHOWN && <p class="pager">The first {MOST_SHOWN} are shown; filter for the others.</p>}
        </section>
      </div>
      {/(^|&)new(=|&|$)/.test(search) && <NewAgent onClose={() => go('/agents', { replace: true })} />}
    </>
  );
};
