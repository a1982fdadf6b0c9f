/**
 * Whether the sender is authenticated. A pass is a small badge with its checks behind a click; a failure always shows
 * its sentence and its checks.
 */

import { useId, useState } from 'preact/hooks';
import type { Answer } from '../api/client.ts';
import { Badge, Mark, type MarkName } from '../components/marks.tsx';

type Message = Answer<'mail', 'thread'>['messages'][number];
type Authentication = NonNullable<Message['authentication']>;

const markOf = (result: string): MarkName => {
  if (result === 'pass') return 'ok';
  return result === 'fail' || result === 'softfail' || result === 'permerror' ? 'bad' : 'off';
};

interface Verdict {
  mark: 'ok' | 'bad' | 'warn';
  badge: string;
  sentence: string;
}

const verdictOf = ({ dmarc, spf, arc, aligned, from_domain: domain }: Authentication): Verdict => {
  const proven = { mark: 'ok', badge: 'proven sender' } as const;
  if (dmarc === 'pass') return { ...proven, sentence: 'The sender is who it says' };
  if (arc === 'pass') return { ...proven, sentence: 'A trusted forwarder says that the sender is who it says' };
  if (dmarc === 'fail' || spf === 'fail') {
    const sentence = `Whoever wrote this may not be ${domain ?? 'who it says'}.`;
    return { mark: 'bad', badge: 'doubtful', sentence };
  }
  return aligned
    ? { ...proven, sentence: `${domain ?? 'The domain'} publishes no policy, and its own servers sent it` }
    : { mark: 'warn', badge: 'doubtful', sentence: 'Nothing proves who sent it' };
};

/** Whether a check failed, so that the sender may not be the stated one. */
export const failsAuthentication = ({ authentication }: Pick<Message, 'authentication'>): boolean =>
  authentication !== null && verdictOf(authentication).mark === 'bad';

const Checks = ({ of: { spf, dkim, dmarc, arc } }: { of: Authentication }) => (
  <>
    <Badge mark={markOf(spf)}>SPF {spf}</Badge>
    <Badge mark={markOf(dkim)}>DKIM {dkim}</Badge>
    <Badge mark={markOf(dmarc)}>DMARC {dmarc}</Badge>
    {arc !== 'none' && <Badge mark={markOf(arc)}>ARC {arc}</Badge>}
  </>
);

/** @returns the badge, and what stands beneath the line that has it */
export const useSenderProof = ({ authentication }: Message) => {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  if (!authentication) return { badge: null, strip: null };
  const { mark, badge, sentence } = verdictOf(authentication);
  if (mark === 'bad') {
    const strip = (
      <div class="proof fail">
        <p>
          <b class="strong">{sentence}</b>
        </p>
        <p>
          <Checks of={authentication} />
        </p>
      </div>
    );
    return { badge: null, strip };
  }
  return {
    badge: (
      <button
        type="button"
        class={`press badge ${mark === 'ok' ? 'good' : mark}`}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Mark name={mark} />
        {badge}
      </button>
    ),
    strip: (
      <div class="proof" id={id} hidden={!isOpen}>
        <span class="strong">{sentence}</span>
        <Checks of={authentication} />
        {authentication.from_domain !== null && <span>for {authentication.from_domain}</span>}
      </div>
    ),
  };
};
