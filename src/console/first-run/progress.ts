/** The progress of the first steps, from the present data. */

import { useEffect } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useLive, useLoaded } from '../api/loaded.ts';
import { type Agent, overview } from '../api/overview.ts';
import { session } from '../api/session.ts';
import type { Domain } from '../domains/dns-record.tsx';
import { canAddPasskey } from '../you/passkeys.tsx';

export interface Progress {
  agents: readonly Agent[];
  /** When an agent, or a client in its name, called first; null: never. */
  calledAt: string | null;
  caller: string | null;
  /** The handle of an agent that has mail. */
  reached: string | null;
  /** Null where the step does not apply. */
  domain: { added: Domain | null; isDone: boolean } | null;
  passkey: { isDone: boolean } | null;
}

/** Before any mail. */
const EVER = '1970-01-01T00:00:00.000Z';
const REFRESH_MS = 1_000;

const askForCalls = async (signal: AbortSignal) => {
  const [{ agents }, { connections }] = await Promise.all([
    api.home.agents({ since: EVER }, { signal }),
    api.connections.list({}, { signal }),
  ]);
  return { agents, connections };
};

const askForRest = async (signal: AbortSignal) => {
  const [{ domains }, passkeys] = await Promise.all([
    api.domains.list({}, { signal }),
    api.passkeys.list({}, { signal }),
  ]);
  return { domains, passkeys };
};

export const useProgress = () => {
  const calls = useLoaded(askForCalls, 'calls');
  const rest = useLoaded(askForRest, 'first steps');
  const reload = async (): Promise<void> => {
    await Promise.all([calls.reload(), rest.reload()]);
  };
  useLive(
    () => true,
    () => void reload(),
  );
  const agents = overview.value?.agents ?? [];
  const keyUse = calls.value?.agents.find(({ last_active_at: at }) => at !== null);
  const connection = calls.value?.connections.find(({ last_used_at: at }) => at !== null);
  const isCalled = keyUse !== undefined || connection !== undefined;
  // A call has no event.
  useEffect(() => {
    if (isCalled || agents.length === 0) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void calls.reload();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isCalled, agents.length === 0]);

  const isLocal = session.value?.is_local === true;
  const domains = rest.value?.domains.filter(({ kind }) => kind === 'custom') ?? [];
  const verified = domains.find(({ status }) => status === 'verified');
  const progress: Progress | null =
    calls.value && rest.value && overview.value
      ? {
          agents,
          calledAt: keyUse?.last_active_at ?? connection?.last_used_at ?? null,
          caller: keyUse?.agent ?? connection?.client_name ?? null,
          reached: calls.value.agents.find(({ in_today: count }) => count > 0)?.agent ?? null,
          domain: isLocal ? null : { added: verified ?? domains[0] ?? null, isDone: verified !== undefined },
          passkey:
            isLocal || !canAddPasskey(rest.value.passkeys) ? null : { isDone: rest.value.passkeys.passkeys.length > 0 },
        }
      : null;
  const failure = calls.failure ?? rest.failure;
  return { progress, failure, reload };
};
