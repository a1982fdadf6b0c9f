/** Opens a session with a smarthost like a delivery: its address, its certificate, its sign-in. */

import type { Smarthost } from '../../config/config-values.ts';
import { SECOND } from '../../kernel/clock.ts';
import type { Resolver } from '../../net/dns/resolver.ts';
import { openSession } from '../../net/smtp/smtp-client.ts';
import { findSmarthost, smarthostTls, toSmarthostFault } from '../../outbound/queue/smarthost.ts';

/** A slower host is reported as one that does not answer. */
const STEP_MS = 15 * SECOND;

/** @returns null where it signs in, else what failed */
export const signInAtSmarthost = async (
  smarthost: Smarthost,
  { resolver, localName, extraCa }: { resolver: Resolver; localName: string; extraCa: string | null },
): Promise<string | null> => {
  const { host: name, port } = smarthost;
  const { addresses, fault } = await findSmarthost(smarthost, resolver);
  if (fault) return fault.text;
  const [address = name] = addresses;
  const opened = await openSession({
    host: { name, address },
    port,
    localName,
    tls: smarthostTls(smarthost, extraCa) ?? { kind: 'opportunistic' },
    timeouts: { connect: STEP_MS, greeting: STEP_MS, ehlo: STEP_MS, starttls: STEP_MS, mail: STEP_MS },
  });
  if (opened.kind === 'failed') return toSmarthostFault(name, opened.reply).text;
  await opened.session.quit();
  return null;
};
