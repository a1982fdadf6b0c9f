/**
 * Mails a second, from SMTP to where their reader finds them: for Postroom stored and searchable with SPF, DKIM and
 * DMARC checked, for Postfix in a Maildir. Same client, same disk, by turns.
 */

import { availableParallelism, cpus } from 'node:os';
import type { Bench, BenchReport, BenchSettings } from './bench.ts';
import type { Contestant } from './contestant.ts';
import { startPostfixContestant } from './postfix.ts';
import { type PostroomContestant, startPostroom } from './postroom.ts';
import { BODY_BYTES, createSender, SENDER, type Sender } from './sender.ts';
import { sendLoad } from './smtp-source.ts';
import { median, threeDigits } from './table.ts';

const MAILS = ['unsigned', 'signed'] as const;
const CONNECTIONS = ['kept', 'fresh'] as const;

const FEW_SESSIONS = 20;
/** A mail is to cost no more, over all threads. */
const CPU_MS = { unsigned: 1.2, signed: 1.7 } as const;

export interface Kind {
  readonly mail: (typeof MAILS)[number];
  readonly connections: (typeof CONNECTIONS)[number];
}

interface Figures {
  readonly acceptedPerSecond: number;
  readonly deliveredPerSecond: number;
  readonly cpuSeconds: number;
  readonly mainThreadSeconds: number | null;
  readonly peakMebibytes: number | null;
}

interface Round extends Kind, Figures {
  readonly round: number;
  readonly server: Contestant['name'];
}

/** Enough to start every process and thread, and to have what is compiled at run time compiled. */
export const WARM_UP_MESSAGES = 2_000;

const kindsOf = ({ only }: BenchSettings): Kind[] => {
  const wanted = <T extends string>(names: readonly T[]) => {
    const named = names.filter((name) => only.includes(name));
    return named.length > 0 ? named : names;
  };
  return wanted(MAILS).flatMap((mail) => wanted(CONNECTIONS).map((connections) => ({ mail, connections })));
};

/** A word of the last mail alone. */
const lastOf = (marker: string): string => `${marker}last`;

interface RoundNeeds {
  readonly to: string;
  readonly sender: Sender;
  readonly sessions: number;
  readonly signal: AbortSignal;
}

export const playRound = async (
  server: Contestant,
  { mail, connections }: Kind,
  messages: number,
  marker: string,
  { to, sender, sessions, signal }: RoundNeeds,
): Promise<Figures> => {
  const mails = await sender.write(messages, to, marker, mail === 'signed', lastOf(marker));
  const cpuBefore = server.cpuSeconds();
  const mainBefore = server.mainThreadSeconds() ?? 0;
  const began = performance.now();
  const seconds = await sendLoad(
    {
      ports: [server.port, ...(server.otherPorts ?? [])],
      from: SENDER,
      to,
      mails,
      sessions,
      keptConnections: connections === 'kept',
    },
    signal,
  );
  await server.delivered(messages, lastOf(marker), signal);
  const whole = (performance.now() - began) / 1000;
  const main = server.mainThreadSeconds();
  const figures = {
    acceptedPerSecond: messages / seconds,
    deliveredPerSecond: messages / whole,
    cpuSeconds: server.cpuSeconds() - cpuBefore,
    mainThreadSeconds: main === null ? null : main - mainBefore,
    peakMebibytes: server.peakMebibytes(),
  };
  await server.tidy(messages, marker);
  return figures;
};

/** The figures are worth something only where the checks were made. */
const expectChecked = async ({ harness: { instance } }: PostroomContestant, marker: string, mail: Kind['mail']) => {
  const client = instance.client(instance.agents.ann);
  const [hit] = (await client.search.search({ q: marker, limit: 1 })).hits;
  const { authentication } = await client.messages.get({ id: hit?.message_id ?? '' });
  const { spf, dkim, dmarc } = authentication ?? {};
  if (spf === 'pass' && dmarc === 'pass' && dkim === (mail === 'signed' ? 'pass' : 'none')) return;
  throw new Error(`The checks of ${mail} mail found spf=${spf} dkim=${dkim} dmarc=${dmarc}.`);
};

const ratios = (rounds: readonly Round[], kinds: readonly Kind[]) =>
  kinds.flatMap((kind) => {
    const of = (server: Contestant['name']) =>
      rounds.filter(
        (each) => each.server === server && each.mail === kind.mail && each.connections === kind.connections,
      );
    const pairs = of('postroom').flatMap((ours) => {
      const theirs = of('postfix').find(({ round }) => round === ours.round);
      return theirs ? [ours.deliveredPerSecond / theirs.deliveredPerSecond] : [];
    });
    const rate = (server: Contestant['name']) => median(of(server).map((each) => each.deliveredPerSecond));
    return [
      { ...kind, rounds: pairs.length, postroom: rate('postroom'), postfix: rate('postfix'), ratio: median(pairs) },
    ];
  });

const rounded = (value: number, digits = 0): number => Number(value.toFixed(digits));
const orDash = (value: number | null): number | string => (value === null || Number.isNaN(value) ? '-' : value);

const reportOf = (rounds: readonly Round[], kinds: readonly Kind[], settings: BenchSettings): BenchReport => {
  const compared = ratios(rounds, kinds);
  const { messages, sessions } = settings;
  return {
    tables: [
      {
        title: `Rounds of ${messages} mails of ${BODY_BYTES} bytes of prose over ${sessions} sessions`,
        columns: [
          ...['mail', 'connections', 'round', 'server', 'accepted/s', 'delivered/s'],
          ...['CPU ms a mail', 'main thread', 'peak MiB'],
        ],
        rows: rounds.map((each) => [
          each.mail,
          each.connections,
          each.round,
          each.server,
          rounded(each.acceptedPerSecond),
          rounded(each.deliveredPerSecond),
          rounded((each.cpuSeconds * 1000) / messages, 2),
          each.mainThreadSeconds === null ? '-' : rounded((each.mainThreadSeconds * 1000) / messages, 2),
          orDash(each.peakMebibytes),
        ]),
      },
      {
        title: 'Delivered a second, medians; ratio is the median of each round’s own',
        columns: ['mail', 'connections', 'rounds', 'postroom', 'postfix', 'ratio'],
        rows: compared.map((each) => [
          each.mail,
          each.connections,
          each.rounds,
          orDash(rounded(each.postroom)),
          orDash(rounded(each.postfix)),
          orDash(threeDigits(each.ratio)),
        ]),
      },
    ],
    document: {
      machine: { cpu: cpus()[0]?.model ?? '', cores: availableParallelism(), node: process.version },
      settings,
      rounds,
      compared,
    },
    figures: Object.fromEntries(
      compared.flatMap(({ mail, connections, ratio }) => {
        const what = `in, ${mail}, ${connections} connections, ${sessions} sessions`;
        const goal = connections === 'fresh' && sessions <= FEW_SESSIONS ? 1 : 2;
        const spent = rounds
          .filter((each) => each.server === 'postroom' && each.mail === mail && each.connections === connections)
          .map(({ cpuSeconds }) => (cpuSeconds * 1000) / messages);
        return [
          ...(Number.isFinite(ratio) ? [[`${what}, to Postfix`, { value: threeDigits(ratio), goal }] as const] : []),
          [`${what}, CPU ms`, { value: threeDigits(median(spent)), goal: CPU_MS[mail], isLessBetter: true }] as const,
        ];
      }),
    ),
  };
};

const run: Bench['run'] = async (settings, signal, say) => {
  const kinds = kindsOf(settings);
  await using cleanUp = new AsyncDisposableStack();
  const postroom = cleanUp.use(await startPostroom(settings.profile));
  const { instance } = postroom.harness;
  const to = instance.agents.ann.address;
  const servers: Contestant[] = [postroom];
  if (!settings.only.includes('postroom'))
    servers.push(cleanUp.use(await startPostfixContestant(to.slice(to.indexOf('@') + 1))));
  const sender = await createSender(instance.dns.zone);
  const needs = { to, sender, sessions: settings.sessions, signal };

  for (const server of servers) {
    for (const kind of kinds) {
      const marker = `warmup${server.name}${kind.mail}${kind.connections}`;
      await playRound(server, kind, WARM_UP_MESSAGES, marker, needs);
      if (server === postroom) await expectChecked(postroom, marker, kind.mail);
    }
  }
  const rounds: Round[] = [];
  const end = performance.now() + settings.seconds * 1000;
  for (let round = 1; round <= settings.rounds && (round === 1 || performance.now() < end); round++) {
    for (const kind of kinds) {
      for (const server of servers) {
        const marker = `round${round}${server.name}${kind.mail}${kind.connections}`;
        const figures = await playRound(server, kind, settings.messages, marker, needs);
        rounds.push({ ...kind, round, server: server.name, ...figures });
        const { mail, connections } = kind;
        say(`${round} ${mail} ${connections} ${server.name}: ${Math.round(figures.deliveredPerSecond)} a second`);
      }
    }
  }
  return reportOf(rounds, kinds, settings);
};

export const inbound: Bench = {
  name: 'inbound',
  summary: 'mails a second from SMTP to the reader, beside Postfix',
  run,
};
