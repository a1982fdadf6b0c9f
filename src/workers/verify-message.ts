/** Examines a mail in a worker thread: reads and authenticates it. */

import { type Authentication, authenticate, type DnsResolve } from '../mail/auth/authenticate-message.ts';
import { parseReport } from '../mail/dsn/parse-report.ts';
import { type ReadMessage, readMessage } from '../mail/header/message-header.ts';
import { HEADER_ONLY } from '../mail/mime/defects.ts';
import { parseMessage } from '../mail/mime/parse-message.ts';
import { bytesToVerify, type ReadSoFar, toVerifiedMessage } from './parsed-message.ts';
import type { LocalEnvelope, VerifiedMessage, VerifyHeaderTask, VerifyTask } from './tasks.ts';

const trustLocal = ({ fromDomain }: LocalEnvelope, hostname: string): Authentication => ({
  spf: 'pass',
  dkim: 'pass',
  dmarc: 'pass',
  arc: 'none',
  arcSealer: null,
  fromDomain,
  dmarcPolicy: null,
  aligned: true,
  header: `Authentication-Results: ${hostname}; auth=pass header.from=${fromDomain}\r\n`,
});

/** Of a mail whose body breaks or outlasts the parser. The checks hash the body, but do not read it. */
const readHeaderOnly = async ({ head }: ReadMessage): Promise<ReadSoFar> => ({
  ...head,
  text: '',
  attachments: [],
  report: null,
  defects: [HEADER_ONLY, ...head.defects],
});

const readAll = async (message: ReadMessage, asReport: boolean): Promise<ReadSoFar> => {
  const mail = await parseMessage(message);
  return { ...mail, report: asReport ? parseReport(mail) : null };
};

/** @returns one function for both tasks: they differ in how much is read */
export const createVerifyMessage =
  (resolve: DnsResolve) =>
  async (task: VerifyTask | VerifyHeaderTask): Promise<VerifiedMessage> => {
    const { hostname, envelope } = task;
    const bytes = bytesToVerify(task);
    const message = readMessage(bytes);
    const [mail, authentication] = await Promise.all([
      task.kind === 'verify' ? readAll(message, task.asReport) : readHeaderOnly(message),
      envelope.kind === 'local'
        ? trustLocal(envelope, hostname)
        : authenticate(message, { ...envelope, authservId: hostname }, resolve),
    ]);
    return toVerifiedMessage(task, bytes, mail, authentication);
  };
