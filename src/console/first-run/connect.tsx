/** Connects an agent: by where it runs, with text to copy there. */

import { useRef, useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import type { Agent } from '../api/overview.ts';
import { session } from '../api/session.ts';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { CopyButton } from '../components/copy.tsx';
import { Badge } from '../components/marks.tsx';
import { listClients } from './clients.ts';

/** Replaces a key that is no longer known. */
const UNKNOWN_KEY = 'YOUR_KEY';

interface ConnectProps {
  agent: Agent;
  /** The recipient of its first mail. */
  to: string;
  /** Known while this page is open. */
  apiKey: string | undefined;
  isCalled: boolean;
  onKey: (key: string) => void;
}

export const Connect = ({ agent: { handle }, to, apiKey, isCalled, onKey }: ConnectProps) => {
  const act = useAct();
  const tabs = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const clients = listClients({
    origin: location.origin,
    key: apiKey ?? UNKNOWN_KEY,
    to,
    isLocal: session.value?.is_local === true,
  });
  const shown = clients[at];
  const choose = (next: number): void => {
    const wanted = (next + clients.length) % clients.length;
    setAt(wanted);
    tabs.current?.querySelectorAll('button')[wanted]?.focus();
  };
  return (
    <div class="in">
      <div
        class="seg wrap"
        role="tablist"
        aria-label="Connect with"
        ref={tabs}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
          if (step === 0) return;
          event.preventDefault();
          choose(at + step);
        }}
      >
        {clients.map(({ id, name }, index) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`t-${id}`}
            aria-selected={index === at}
            aria-controls="t-panel"
            tabIndex={index === at ? 0 : -1}
            onClick={() => setAt(index)}
          >
            {name}
          </button>
        ))}
      </div>
      {shown && (
        <div class="stack-3" id="t-panel" role="tabpanel" aria-labelledby={`t-${shown.id}`}>
          {shown.blocks.map(({ words, code }) => (
            <div class="stack-3" key={code}>
              {words && <p>{words}</p>}
              <div class="code">
                <pre class="val">{code}</pre>
                <CopyButton value={code} of={`the block for ${shown.name}`} words="Copy" />
              </div>
            </div>
          ))}
        </div>
      )}
      <ActFailure text={act.failure} />
      <div class="line">
        <p class="small">
          {apiKey === undefined
            ? `The key of ${handle} was shown once, where it was made; only its hash is kept.`
            : `The key is ${handle}’s and shown here until you leave this page; only its hash is kept.`}
        </p>
        {apiKey === undefined && (
          <Button
            words="Make a key"
            isSmall
            icon="key"
            busy={act.isBusy && 'Making…'}
            onClick={() =>
              act.run(async () => {
                const { key } = await api.keys.add({ agent: handle, name: 'first steps' });
                onKey(key);
              })
            }
          />
        )}
        {!isCalled && <Badge mark="wait">waiting for its first call</Badge>}
      </div>
    </div>
  );
};
