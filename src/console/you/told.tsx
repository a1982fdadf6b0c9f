/** What the person is told while away: by push in this browser, by mail, and by a digest. */

import { type Answer, api } from '../api/client.ts';
import { Failure } from '../api/failure.ts';
import { useRefreshed } from '../api/loaded.ts';
import { session } from '../api/session.ts';
import { Section, Show, Table } from '../components/blocks.tsx';
import { ActFailure, Button, Select, Toggle, useAct } from '../components/controls.tsx';
import { dayAndTime } from '../components/format.ts';
import { findPushFault, subscribeHere } from '../told/push-here.ts';

type Told = Answer<'told', 'get'>;
type Kind = keyof Told['mail'];
type Digest = Pick<Told['digest'], 'every' | 'hour' | 'zone'>;

const KINDS: readonly (readonly [kind: Kind | 'digest', label: string, hint: string])[] = [
  ['held', 'Mail waits for your decision', 'Whom it is to and its subject, never its words.'],
  [
    'needs',
    'Something else needs you',
    'As Home lists it. By mail: sending that is paused, a domain that fails, a webhook that is off.',
  ],
  ['digest', 'A digest', 'Received, sent, bounced and held by agent; nothing where nothing happened.'],
];

const EVERY = [
  ['off', 'off'],
  ['daily', 'each day'],
  ['weekly', 'each Monday'],
] as const;

const HOURS = Array.from({ length: 24 }, (_, hour) => [String(hour), `${String(hour).padStart(2, '0')}:00`] as const);

/** The head of a column, where there are no heads. */
const PhoneHead = ({ words }: { words: string }) => (
  <span class="phone dim small" aria-hidden="true">
    {words}
  </span>
);

/** The zone of the browser goes with the hour that is chosen in it. */
const hereZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const setPush = async ({ push: { here, public_key } }: Told, kind: Kind, isOn: boolean): Promise<string> => {
  if (here === null) {
    await subscribeHere(public_key ?? '');
    await api.told.set({ push: { held: kind === 'held', needs: kind === 'needs' } });
    return 'Push is on here';
  }
  const after = { ...here, [kind]: isOn };
  if (after.held || after.needs) await api.told.set({ push: after });
  else await api.told.unsubscribe({});
  return after.held || after.needs ? 'Changed for this browser' : 'Push is off here';
};

const PushHere = ({ told, send, isBusy }: { told: Told; send: () => void; isBusy: boolean }) => {
  const fault = findPushFault(told.push.public_key);
  const isOn = told.push.here !== null && fault === null;
  return (
    <div class="row">
      <div>
        <p class="label">{isOn ? 'Push is on here' : 'Push is off here'}</p>
        <p class="dim small">
          {fault ??
            (isOn
              ? 'Each browser has its own switches; signing out of one ends its push.'
              : 'A switch above asks this browser for its notifications.')}
        </p>
      </div>
      {isOn && <Button words="Send me one" isIdle={isBusy} onClick={send} />}
    </div>
  );
};

const DigestTime = ({ digest, choose }: { digest: Told['digest']; choose: (digest: Digest) => void }) => (
  <div class="row">
    <div>
      <p class="label">The digest comes at</p>
      <p class="dim small">
        {digest.zone}
        {digest.next_at && `; the next one ${dayAndTime(digest.next_at)}`}. Its days are of UTC.
      </p>
    </div>
    <Select
      label="The digest comes at"
      value={String(digest.hour)}
      options={HOURS}
      onChange={(hour) => choose({ every: digest.every, hour: Number(hour), zone: hereZone() })}
    />
  </div>
);

export const ToldWhenAway = () => {
  const list = useRefreshed(api.told.get, {});
  const act = useAct();
  const isLocal = session.value?.is_local === true;
  const change = (work: () => Promise<string>): void =>
    act.run(async () => {
      const words = await work();
      await list.reload();
      return words;
    });
  const chooseDigest = (digest: Digest): void =>
    change(async () => {
      await api.told.set({ digest });
      return digest.every === 'off' ? 'No digest comes' : 'The digest is changed';
    });
  const send = (): void =>
    change(async () => {
      const { delivered, reason } = await api.told.test({});
      if (delivered) return 'It is on its way';
      await list.reload();
      throw new Failure(0, 'push_failed', `It did not go. ${reason ?? 'The push service refused it'}.`);
    });
  return (
    <Section
      id="told"
      title="Told when away"
      note={isLocal && 'This instance is local: no mail leaves it, to you neither.'}
    >
      <ActFailure text={act.failure} />
      <Show loaded={list} what="What you are told" shape="table" lines={3}>
        {(told) => (
          <>
            <Table heads={['What', '#Push here', '#Mail']} of={KINDS} class="told">
              {([kind, label, hint]) => (
                <tr key={kind}>
                  <td class="full">
                    <span class="strong">{label}</span>
                    <p class="dim small">{hint}</p>
                  </td>
                  <td class="num">
                    {kind === 'digest' ? (
                      <span class="dim wide-only">by mail alone</span>
                    ) : (
                      <>
                        <PhoneHead words="Push here" />
                        <Toggle
                          aria-label={`${label}: push here`}
                          checked={told.push.here?.[kind] ?? false}
                          isIdle={act.isBusy || findPushFault(told.push.public_key) !== null}
                          onChange={(isOn) => change(() => setPush(told, kind, isOn))}
                        />
                      </>
                    )}
                  </td>
                  <td class="num">
                    {kind === 'digest' ? (
                      <Select
                        label="A digest by mail"
                        value={told.digest.every}
                        options={EVERY}
                        onChange={(every) =>
                          chooseDigest({ every: every as Digest['every'], hour: told.digest.hour, zone: hereZone() })
                        }
                      />
                    ) : (
                      <>
                        <PhoneHead words="Mail" />
                        <Toggle
                          aria-label={`${label}: by mail`}
                          checked={told.mail[kind] && !isLocal}
                          isIdle={act.isBusy || isLocal}
                          onChange={(isOn) =>
                            change(async () => {
                              await api.told.set({ mail: { [kind]: isOn } });
                              return isOn ? 'It is told by mail' : 'It is not told by mail';
                            })
                          }
                        />
                      </>
                    )}
                  </td>
                </tr>
              )}
            </Table>
            <div class="panel settings after-table">
              <PushHere told={told} send={send} isBusy={act.isBusy} />
              {told.digest.every !== 'off' && <DigestTime digest={told.digest} choose={chooseDigest} />}
            </div>
          </>
        )}
      </Show>
    </Section>
  );
};
