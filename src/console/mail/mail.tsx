/** The mail of one agent: threads or search results, and the open thread. */

import { useLocation, useParams } from 'wouter-preact';
import { AgentHead } from '../agents/agent-tabs.tsx';
import { api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { overview } from '../api/overview.ts';
import { DidNotLoad, Empty, Show } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { useKeys } from '../components/keys.ts';
import { TitleRow } from '../frame/bar.tsx';
import { useOtherWorkspace } from '../frame/other-workspace.ts';
import { SplitView } from '../frame/split-view.tsx';
import { composing } from '../writing/composing.ts';
import { listed, openThread } from './beside.ts';
import { MailList } from './mail-list.tsx';
import { ThreadReader } from './thread-reader.tsx';

/** The thread of a message that a link names. */
const ThreadOfMessage = ({ agent, id }: { agent: string; id: string }) => {
  const found = useAnswer(api.mail.message, { agent, id, max_chars: 1 });
  return (
    <Show loaded={found} what="The message">
      {({ thread_id }) =>
        thread_id === null ? (
          <Empty icon="mail" title="The thread of this message is gone" />
        ) : (
          <ThreadReader key={thread_id} agent={agent} id={thread_id} messageId={id} />
        )
      }
    </Show>
  );
};

const Step = ({ to, icon, label }: { to: string | undefined; icon: 'back' | 'out'; label: string }) => {
  const [, go] = useLocation();
  return (
    <Button
      kind="quiet"
      icon={icon}
      label={label}
      disabled={to === undefined}
      onClick={() => to !== undefined && go(to)}
    />
  );
};

export const Mail = () => {
  const { agent = '', kind, id } = useParams<{ agent: string; kind?: string; id?: string }>();
  const [path, go] = useLocation();
  const known = overview.value?.agents.find(({ handle }) => handle === agent);
  // A former handle also leads here.
  const found = useAnswer(api.agents.get, known ? null : { agent });
  const shown = known ?? found.value;
  useOtherWorkspace(agent, !known && found.failure?.status === 404, (named, workspace) =>
    api.agents.get({ agent: named }, { workspace }),
  );
  const isOpen = id !== undefined;
  const at = listed.value.indexOf(path);
  useKeys([{ key: 'Escape', does: 'back to the list', run: () => go(`/agents/${agent}`) }]);
  return (
    <>
      <TitleRow
        title={agent}
        open={
          isOpen
            ? {
                name: openThread.value?.subject ?? null,
                back: `/agents/${agent}`,
                acts: (
                  <Button kind="quiet" icon="archive" label="Archive" onClick={() => openThread.value?.archive()} />
                ),
              }
            : undefined
        }
        context={shown && <AgentHead handle={agent} current="Mail" agent={shown} isWide={isOpen} />}
      >
        {isOpen && (
          <>
            <Step to={listed.value[at - 1]} icon="back" label="Previous thread" />
            <Step to={at < 0 ? undefined : listed.value[at + 1]} icon="out" label="Next thread" />
          </>
        )}
        <Button words="New mail" onClick={() => (composing.value = { agent })} />
      </TitleRow>
      {!known && found.failure ? (
        <div class="page">
          <DidNotLoad what="The agent" failure={found.failure} again={() => void found.reload()} />
        </div>
      ) : (
        <SplitView
          isOpen={isOpen}
          list={
            <MailList
              agent={agent}
              openThread={kind === 'threads' ? id : undefined}
              openMessage={kind === 'messages' ? id : undefined}
            />
          }
          reader={
            !isOpen ? (
              <Empty icon="mail" title="No thread is open">
                What you read here stays unread for {agent} until you mark it read.
              </Empty>
            ) : kind === 'messages' ? (
              <ThreadOfMessage key={id} agent={agent} id={id} />
            ) : (
              <ThreadReader key={id} agent={agent} id={id} />
            )
          }
        />
      )}
    </>
  );
};
