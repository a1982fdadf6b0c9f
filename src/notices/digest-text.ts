/** The mail of a digest: counts of days in UTC by agent, and what waits for the person. */

import { isolated } from '../kernel/text/clean-text.ts';

interface Counts {
  received: number;
  sent: number;
  bounced: number;
  /** Held, now. */
  waiting: number;
}

export interface DigestWorkspace extends Counts {
  /** Its slug. */
  workspace: string;
  needs: { title: string; body: string }[];
  agents: (Counts & { agent: string })[];
}

export interface DigestData {
  /** The first day, and the last. */
  from: string;
  until: string;
  workspaces: DigestWorkspace[];
  /** The address of the console. */
  url: string;
}

const countWords = ({ received, sent, bounced, waiting }: Counts): string =>
  [
    `${received} received`,
    `${sent} sent`,
    ...(bounced > 0 ? [`${bounced} bounced`] : []),
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for your decision`] : []),
  ].join(', ');

const workspaceLines = (each: DigestWorkspace): string[] => [
  `**${each.workspace}**: ${countWords(each)}.`,
  '',
  ...each.needs.map(({ title, body }) => `- Needs you: ${isolated(title)}. ${isolated(body)}`),
  ...each.agents.map((counts) => `- \`${counts.agent}\`: ${countWords(counts)}`),
  '',
];

export const digestSubject = ({ from, until, workspaces }: DigestData): string => {
  const waiting = workspaces.reduce((sum, each) => sum + each.waiting, 0);
  const days = from === until ? from : `${from} to ${until}`;
  return waiting === 0 ? `Your agents on ${days}` : `Your agents on ${days}: ${waiting} to decide`;
};

export const digestBody = ({ from, until, workspaces, url }: DigestData): string =>
  [
    `${from === until ? `On ${from}` : `From ${from} to ${until}`}, days in UTC. What waits and what needs you is as of now.`,
    '',
    ...workspaces.flatMap(workspaceLines),
    'The console:',
    '',
    `<${url}>`,
    '',
    'You asked for this digest. Change or end it in the console, under You:',
    '',
    `<${url}you#told>`,
  ].join('\n');
