/** A secret's value, shown at a click: each view and copy is recorded, and the value is hidden again after a while. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, api, serverNow } from '../api/client.ts';
import { Fact } from '../components/blocks.tsx';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { copy } from '../components/copy.tsx';
import { Icon } from '../components/marks.tsx';
import { type Secret, TYPES } from './forms.ts';

/** How long a value stays shown, and in the page's memory. */
const SHOWN_MS = 30_000;
const HIDDEN = '••••••••••••••••';

type Value = Answer<'secrets', 'get'>['secret'];
type Code = Answer<'secrets', 'totp'>;

const copyRecorded = async (text: string, what: string): Promise<void> => {
  await copy(text, `The ${what} is copied; this is recorded`);
};

/** Seconds until a code's end, as they pass. */
const useSecondsLeft = (code: Code | null, onEnd: () => void): number => {
  const [left, setLeft] = useState(0);
  const ended = useRef(onEnd);
  ended.current = onEnd;
  useEffect(() => {
    if (!code) return;
    const end = Date.parse(code.expires_at);
    const tick = (): void => {
      const seconds = Math.max(0, Math.ceil((end - serverNow()) / 1_000));
      setLeft(seconds);
      if (seconds === 0) ended.current();
    };
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [code]);
  return left;
};

interface ValuesProps {
  secret: Secret;
  /** Called after each opening, which the log records. */
  onOpened: () => void;
}

const OneTimeCode = ({ secret, onOpened }: ValuesProps) => {
  const act = useAct();
  const [code, setCode] = useState<Code | null>(null);
  const left = useSecondsLeft(code, () => setCode(null));
  const load = (): void =>
    act.run(async () => {
      setCode(await api.secrets.totp({ id: secret.id }));
      onOpened();
    });
  if (!code)
    return (
      <>
        <span class="copy">
          <span class="val">{HIDDEN.slice(0, 6)}</span>
          <Button
            kind="quiet"
            isSmall
            icon="eye"
            label="Show the one-time code; this is recorded"
            busy={act.isBusy && '…'}
            onClick={load}
          />
        </span>
        <ActFailure text={act.failure} />
      </>
    );
  const { code: digits, period } = code;
  return (
    <span class="ring">
      <output>{`${digits.slice(0, digits.length / 2)} ${digits.slice(digits.length / 2)}`}</output>
      <svg viewBox="0 0 32 32" role="img" aria-label={`${left} seconds left`}>
        <circle cx="16" cy="16" r="13" />
        <circle class="left" cx="16" cy="16" r="13" pathLength={period} stroke-dasharray={`${left} ${period}`} />
      </svg>
      <span class="dim">{left} s left</span>
      <Button
        kind="quiet"
        isSmall
        icon="copy"
        label="Copy the code"
        onClick={() => void copyRecorded(digits, 'code')}
      />
    </span>
  );
};

export const SecretValues = ({ secret, onOpened }: ValuesProps) => {
  const act = useAct();
  const [value, setValue] = useState<Value | null>(null);
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (!value) return;
    const timer = setTimeout(() => {
      setValue(null);
      setShown(new Set());
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [value]);
  /** Opens it, unless it was just opened. */
  const withValue = (work: (value: Value) => Promise<void> | void): void =>
    act.run(async () => {
      const opened = value ?? (await api.secrets.get({ id: secret.id })).secret;
      setValue(opened);
      if (!value) onOpened();
      await work(opened);
    });
  const toggle = (name: string): void => {
    if (shown.has(name)) setShown(new Set([...shown].filter((each) => each !== name)));
    else withValue(() => setShown(new Set([...shown, name])));
  };
  const parts = TYPES[secret.type].parts.filter(
    ({ name }) => name !== 'totp_seed' && (value === null || name in value),
  );
  return (
    <div class="panel secret-body">
      <dl class="facts">
        {parts.map(({ name, label, isHidden }) => {
          // Once opened, fields that are not secret are shown.
          const isShown = value !== null && (shown.has(name) || !isHidden);
          const what = label.toLowerCase();
          return (
            <Fact key={name} name={label}>
              <span class="copy">
                {isShown ? (
                  <output class="val written">{value[name]}</output>
                ) : (
                  <span class="val">
                    <span aria-hidden="true">{HIDDEN}</span>
                    <span class="sr">hidden</span>
                  </span>
                )}
                {(isHidden || !isShown) && (
                  <Button
                    kind="quiet"
                    isSmall
                    icon="eye"
                    pressed={isShown}
                    label={isShown ? `Hide the ${what}` : `Show the ${what}; this is recorded`}
                    onClick={() => toggle(name)}
                  />
                )}
                <Button
                  kind="quiet"
                  isSmall
                  icon="copy"
                  label={`Copy the ${what}; this is recorded`}
                  onClick={() => withValue((opened) => copyRecorded(opened[name] ?? '', what))}
                />
              </span>
            </Fact>
          );
        })}
        {secret.has_totp && (
          <Fact name="One-time code">
            <OneTimeCode secret={secret} onOpened={onOpened} />
          </Fact>
        )}
      </dl>
      <ActFailure text={act.failure} />
      <p class="faint small hidden-again">
        <Icon name="eye" /> Showing and copying are recorded; what is shown is hidden again after 30 seconds.
      </p>
    </div>
  );
};
