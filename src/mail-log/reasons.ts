/** The reasons in the mail log, stable from version to version: the meaning and the remedy of each. */

export const REASONS = {
  accepted: ['Taken as it is.', null],
  quarantined: ['Taken, and marked as spam: DMARC, SPF, a list or the scanner said so.', null],
  filtered: ['Turned away by the agent’s own filter.', 'Its rules: the console, or GET /v1/identity/rules.'],
  to_send: ['On disk, and queued.', null],

  unknown_recipient: ['No such address.', 'As the sender wrote it; look for a typing error.'],
  recipient_suspended: ['The mailbox is suspended, expired or receives nothing.', 'postroom agents show HANDLE'],
  mailbox_full: ['The mailbox is full.', 'Delete mail, or let it wait: it is tried again.'],
  too_large: ['Larger than the receiving side takes.', 'Inbound: [smtp] max_message_bytes. Outbound: send less.'],
  malformed: ['Not in the form that mail must have.', 'The sending program is at fault.'],
  mail_loop: ['It has gone through too many hosts.', 'Two hosts forward to each other.'],
  unauthenticated: [
    'DMARC, SPF or DKIM failed under a policy that has such mail refused.',
    'For your own mail: postroom dns check DOMAIN',
  ],
  content_refused: [
    'Taken for spam, or its content is not wanted.',
    'Links, attachments and wording; send to fewer at once.',
  ],
  reputation: [
    'The address of this host, or the domain, has a bad or no reputation there.',
    'postroom doctor shows block lists; send little and wanted mail, and ask the receiver.',
  ],
  no_reverse_dns: [
    'This host’s address has no fitting PTR record.',
    'Have the provider set it: postroom dns show HOSTNAME',
  ],
  rate_limited: ['Too much at once.', 'It is sent more slowly by itself.'],
  greylisted: ['The first attempt of an unknown host is put off there.', 'It is tried again by itself.'],
  busy: ['Overloaded, or short of disk or memory.', 'It is tried again by itself. Here: postroom doctor'],
  policy: ['Refused by a rule of the receiving side.', 'Its reply says which.'],
  login_failed: ['Address and key do not belong together.', 'A wrong key, or somebody guesses.'],
  protocol: ['A command out of order, or not known.', 'The other side’s program is at fault.'],
  fault: ['A fault of this instance.', 'The log has it; please report it.'],

  delivered: ['The receiving host has taken it.', null],
  no_such_domain: ['The domain does not exist, or takes no mail.', 'Look for a typing error.'],
  dns_failure: ['DNS did not answer.', 'It is tried again. If it lasts: [dns] resolvers.'],
  unreachable: [
    'No mail host of the domain could be reached.',
    'It is tried again. If it is all of them: whether port 25 is open outward is told by `postroom doctor`.',
  ],
  tls_required: [
    'The domain wants verified TLS, and its host has none that verifies.',
    'It is tried again; the receiver has to mend it.',
  ],
  smarthost_unreachable: [
    'The smarthost of [outbound] takes no connection, or has no address.',
    'postroom doctor; look at its name and port, and at the firewall.',
  ],
  smarthost_tls: [
    'The smarthost offers no TLS, or a certificate that is not accepted: no password is sent.',
    'Its name must be the one in the certificate; an authority of its own stands in [network] extra_ca_file.',
  ],
  smarthost_sign_in: [
    'The smarthost does not take user and password.',
    'Correct outbound.smarthost: special characters of the password are written as %XX.',
  ],
  smarthost_refused: [
    'The smarthost refuses the session, or the mail.',
    'Its reply says why: the account there, its limit, or the sender.',
  ],
  too_old: ['Not delivered within five days.', 'queue show has what the host said.'],
  other: ['None of these.', 'The reply says more.'],

  held: ['Waits for a person.', 'The console, or postroom pending list.'],
  approved: ['A person let it go.', null],
  not_released: ['A person let it go, and the checks of sending refused it.', 'postroom pending show ID'],
  turned_down: ['A person turned it down, or its agent took it back.', null],
  not_decided: ['Nobody decided within a week.', null],
  scanner_away: ['The spam scanner did not answer; the mail was taken without it.', 'Look at [scan] rspamd_url.'],
  webhook_off: [
    'A webhook endpoint was switched off after it had failed for long.',
    'Mend it, and switch it on again.',
  ],
} as const satisfies Record<string, readonly [what: string, todo: string | null]>;

export type Reason = keyof typeof REASONS;
