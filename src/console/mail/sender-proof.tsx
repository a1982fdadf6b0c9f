/** Whether the sender is who it says: a sentence first, then what was checked. A fail is told as strongly as a pass is calm. */

import type { Answer } from '../api/client.ts';
import { Badge, type MarkName } from '../pieces/marks.tsx';

type Message = Answer<'mail', 'thread'>['messages'][number];
type Authentication = NonNullable<Message['authentication']>;

const markOf = (result: string): MarkName => {
  if (result === 'pass') return 'ok';
  return result === 'fail' || result === 'softfail' || result === 'permerror' ? 'bad' : 'off';
};

const sentenceOf = ({ dmarc, spf, dkim, arc, from_domain }: Authentication): readonly [string, string] => {
  if (dmarc === 'pass') return ['strong', 'The sender is who it says'];
  if (arc === 'pass') return ['strong', 'A trusted forwarder says that the sender is who it says'];
  if (dmarc === 'fail') return ['strong bad', `The sender may not be ${from_domain ?? 'who it says'}`];
  if (spf === 'fail') return ['strong bad', `The sender may not be ${from_domain ?? 'who it says'}`];
  return spf === 'pass' || dkim === 'pass'
    ? ['strong', `${from_domain ?? 'The domain'} publishes no policy; its servers may have sent it`]
    : ['strong warn', 'Nothing proves who sent it'];
};

export const SenderProof = ({ message: { authentication, automatic, defects } }: { message: Message }) => {
  if (!authentication) return null;
  const [tone, sentence] = sentenceOf(authentication);
  const { spf, dkim, dmarc, arc, from_domain: domain } = authentication;
  return (
    <div class="proof">
      <span class={tone}>{sentence}</span>
      <Badge mark={markOf(spf)}>SPF {spf}</Badge>
      <Badge mark={markOf(dkim)}>DKIM {dkim}</Badge>
      <Badge mark={markOf(dmarc)}>DMARC {dmarc}</Badge>
      {arc !== 'none' && <Badge mark={markOf(arc)}>ARC {arc}</Badge>}
      {domain !== null && <span>for {domain}</span>}
      {automatic && <span>sent by a machine</span>}
      {defects.length > 0 && <span class="warn">{defects.join(', ')}</span>}
    </div>
  );
};
