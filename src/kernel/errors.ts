/**
 * Every error of the interface in one table: its code on the wire, its HTTP status and the hint for the caller. A hint
 * says what to do; `cause` holds what only the operator may see.
 */

import { describeFault, type Fault, type FaultNames, FIELD_NAMES } from './text/fault-words.ts';

const table = {
  invalid_json: [400, 'The body is not valid JSON in UTF-8.'],
  invalid_request: [400, 'The request does not have the form that this operation takes.'],
  body_required: [400, 'Give `body`, a string.'],
  name_required: [400, 'Give `name`, a string.'],
  fact_required: [400, 'Give `fact`, a string.'],
  handle_required: [400, 'Give `handle`.'],
  events_required: [400, 'Give `events`, an array of at least one event name.'],
  id_required: [400, 'Give the id in the query: `?id=<uuid>`.'],
  holds_a_secret: [400, "A value of the workspace's vault stands in it. Only a person sets that up."],
  https_url_required: [400, 'Give a `url` that begins with https://.'],
  invalid_handle: [400, 'A handle is 3 to 63 lower-case letters, digits and inner hyphens, and not a reserved name.'],
  invalid_email: [400, 'Give an e-mail address, as `a@example.com` or `Name <a@example.com>`.'],
  invalid_domain: [400, 'Give a domain name, as example.com.'],
  no_valid_cards: [400, 'The text has no vCard that a contact can be made of; `failed` says why of each.'],
  too_many_cards: [400, 'At most 1000 cards are imported at once. Send them in parts.'],
  invalid_value: [400, 'The value does not fit its `match`: an e-mail address or a domain.'],
  invalid_filter_mode: [400, 'filter_mode is `blacklist` or `whitelist`.'],
  nothing_to_update: [400, 'Give at least one field to change.'],
  private_url_not_allowed: [
    400,
    'This URL leads to a private or loopback address. Give one that is publicly reachable.',
  ],
  credentials_in_url: [400, 'The URL carries credentials, which end up in logs. Send them as one of `headers`.'],
  reserved_header_name: [400, 'A header of that name is set by the service itself.'],
  invalid_header_name: [400, 'A header name is 1 to 100 letters, digits and hyphens, given once.'],
  invalid_header_value: [400, 'A header value is a string of at most 4096 printable Latin-1 characters.'],
  too_many_headers: [400, 'Give at most 20 headers.'],
  invalid_template: [
    400,
    'A template is a JSON object whose only placeholders are {{event}}, {{timestamp}}, {{id}} and {{data.<field>}}.',
  ],
  template_too_large: [400, 'A template is at most 32 KiB of JSON.'],
  subdomain_not_removable: [400, "The workspace's own subdomain cannot be removed."],
  domain_in_use: [
    400,
    'Agents have their addresses at this domain. A person has to remove them first, for good: an agent cannot change its domain.',
  ],
  unauthorized: [401, 'Send `Authorization: Bearer <API key>`.'],
  not_signed_in: [401, 'Sign in to the console: the session has ended.'],
  invalid_key: [401, 'This API key is unknown, revoked or expired.'],
  invalid_token: [
    401,
    'This access token is malformed, expired, revoked or for another service. Tokens are for the MCP endpoint alone; the REST API takes API keys.',
  ],
  custom_domain_limit_reached: [402, "The plan's custom domains are used up. Delete one, or change the plan."],
  webhook_limit_reached: [402, "The plan's webhook endpoints are used up. Delete one, or change the plan."],
  mailbox_limit_reached: [402, "The plan's mailboxes are used up. Have an agent removed, or change the plan."],
  knowledge_limit_reached: [402, "The plan's pages of knowledge are used up. Delete a source, or change the plan."],
  signup_closed: [403, 'Signup is closed on this server. Ask its operator for an agent and its key.'],
  agent_suspended: [403, 'This agent is suspended: it reads, and changes nothing until a person resumes it.'],
  invalid_passkey: [403, 'This passkey does not sign in here. Use another one, or have a link mailed.'],
  insufficient_scope: [403, 'This key is restricted and lacks the scope that the operation needs.'],
  ambiguous: [403, 'This token is for several agents. Name one by the header `X-Svc-Agent`, which takes its handle.'],
  unknown_agent: [403, '`X-Svc-Agent` names no agent that this key or token is for.'],
  no_agent: [403, 'This token is for no agent: its user has none, or none that was allowed. Have one added.'],
  no_workspace: [403, 'The user of this token has no workspace any more.'],
  origin_not_allowed: [
    403,
    'This endpoint answers to the names of `hostname` and `public_url` in the config only, and to no page of another site.',
  ],
  no_identity: [404, 'This key belongs to no agent.'],
  message_not_found: [
    404,
    'No such message in this mailbox. Its id is the whole one of a list, and not that of its thread.',
  ],
  thread_not_found: [404, 'No such thread in this mailbox. Its id is the whole `thread_id` of a message.'],
  attachment_not_found: [404, 'No attachment of that name on this message.'],
  attachment_bytes_missing: [404, 'The attachment is known, but its bytes are no longer stored.'],
  raw_message_unavailable: [404, 'The original MIME of this message is not stored.'],
  pending_not_found: [404, 'No held message of that id.'],
  scheduled_not_found: [404, 'No scheduled send of that id in this mailbox.'],
  suppression_not_found: [404, 'This address is not suppressed.'],
  secret_not_found_or_not_granted: [
    404,
    'No such secret, or it is not granted to you. Give its id, as `list_secrets` (GET /v1/secrets) shows it.',
  ],
  no_totp_on_secret: [404, 'This secret has no one-time-password seed.'],
  rule_not_found: [404, 'No such rule.'],
  contact_not_found: [404, 'No such contact in this workspace.'],
  fact_not_found: [404, 'This contact has no such fact.'],
  list_not_found: [404, 'No such contact list in this workspace.'],
  note_not_found_or_not_granted: [404, 'No such note, or it is not granted to you.'],
  source_not_found: [404, 'No such source in this workspace.'],
  page_not_found: [404, 'No such page in this workspace.'],
  session_not_found: [
    404,
    'This session has ended: idle for too long, its key changed, or the service restarted. Nothing is lost: send `initialize` without `mcp-session-id`, then repeat the call.',
  ],
  temp_address_not_found: [404, 'You have no such disposable address.'],
  temp_address_not_found_or_expired: [404, 'You have no such disposable address, or it has expired.'],
  unknown_domain: [404, 'The workspace has no such domain. Leave `domain_id` out for its subdomain.'],
  not_found: [404, 'There is nothing of that id in this workspace.'],
  route_not_found: [
    404,
    'No such path. /skill.md tells what there is, /openapi.json?operation=send_message one operation.',
  ],
  method_not_allowed: [405, 'This path does not take that method; the `allow` header lists those it takes.'],
  message_in_transit: [409, 'This message is still being delivered. Delete it once every delivery has its outcome.'],
  temp_address_limit_reached: [409, 'You have 5 live disposable addresses. Delete one, or wait until one expires.'],
  list_name_taken: [409, 'A contact list of that name exists; case makes no difference. Choose another name.'],
  domain_taken: [409, 'The domain is verified for another workspace.'],
  revision_conflict: [409, 'It was changed meanwhile. Read it again, and give its `revision` as `if_revision`.'],
  domain_not_verified: [409, 'The domain is not verified: publish its records and have them checked first.'],
  handle_taken: [409, 'Handles are unique across the whole service. Choose another.'],
  idempotency_key_reused: [
    409,
    'This Idempotency-Key was used with another body. `first_reply` answers that one: use a new key only for what it has not done.',
  ],
  idempotency_in_flight: [409, 'The request with this Idempotency-Key is still under way. Ask again in a moment.'],
  body_too_large: [413, 'The body is larger than this operation takes.'],
  unsupported_media_type: [415, 'Send `content-type: application/json`.'],
  attachment_not_text: [
    422,
    'No text is read from this attachment: it is a picture or a scan, of another kind, damaged, encrypted or too large. For a program, as=base64 gives its bytes.',
  ],
  message_unreadable: [
    422,
    'This mail could not be read in time, or in the memory for it. Its raw source, which is given as it is, has all of it.',
  ],
  no_recipients: [422, 'No recipient is left to reply to once your own address is taken out.'],
  rate_limited: [429, 'Too many requests. Wait as long as the `retry-after` header says, in seconds.'],
  secret_unreadable: [500, 'This secret is stored, but did not decrypt. Repeating the request does not help.'],
  internal_error: [500, 'Something went wrong here; the log has the cause. The request may be repeated.'],
  vault_unavailable: [
    503,
    'The key that secrets are sealed under is not at hand; the operator is told. Try again later.',
  ],
  overloaded: [503, 'The service is busy. Wait as long as the `retry-after` header says, in seconds.'],
} as const satisfies Record<string, readonly [status: number, hint: string]>;

/**
 * Errors of owners' and the operator's operations only: no agent's operation returns them, and the published interface
 * omits them.
 */
const personTable = {
  workspace_not_found: [404, 'No such workspace.'],
  workspace_ambiguous: [409, 'Several workspaces have this name. Give the id of one.'],
  workspace_exists: [409, 'A workspace of that name exists. Choose another name.'],
  workspace_already_paused: [409, 'This workspace is paused already.'],
  workspace_not_restrained: [409, 'This workspace is neither paused nor throttled.'],
  agent_not_found: [404, 'No such agent.'],
  owner_not_found: [404, 'No such owner.'],
  connection_not_found: [404, 'No such connection.'],
  invitation_limit_reached: [429, 'Enough invitations were mailed. Come back later.'],
  invitation_not_found: [404, 'No invitation to this address is open.'],
  mail_stays_here: [
    409,
    'This machine sends no mail beyond itself. On the machine, `postroom owners add` makes an owner.',
  ],
  owner_exists: [409, 'This person owns the workspace already.'],
  last_owner: [409, 'A workspace keeps its last owner. Add another one first.'],
  domain_not_found: [404, 'No such domain.'],
  domain_ambiguous: [409, 'Several workspaces have added this domain. Name the workspace.'],
  dkim_key_not_published: [409, 'The next DKIM key is not published: its signatures would not verify.'],
  key_not_found: [404, 'No such API key.'],
  key_already_revoked: [409, 'This API key is revoked already.'],
  passkey_not_found: [404, 'You have no such passkey.'],
  draft_not_found: [404, 'You have no such draft: it was sent, discarded or changed in another window.'],
  draft_limit_reached: [409, 'You have 50 drafts here. Send or discard some.'],
  draft_files_too_large: [
    409,
    'A mail has 10 files at most, 10 MiB together, and all of your drafts 50 MiB. Remove some.',
  ],
  draft_file_not_found: [404, 'The draft has no such file.'],
  held_mail_changed: [409, 'This mail is not the one that was shown. Read it again before you decide.'],
  held_mail_already_decided: [409, 'This mail has been decided already.'],
  secret_not_found: [404, 'No such secret in this workspace.'],
  secret_ambiguous: [409, 'Several workspaces have a secret of this name. Name the workspace, or give its id.'],
  secret_not_granted: [404, 'The agent has no grant of this secret.'],
  secret_exists: [409, 'The workspace has a secret of that name. Change it, or choose another name.'],
  secret_limit_reached: [409, 'The workspace has as many secrets as one may have. Remove some.'],
  webhook_not_found: [404, 'No such webhook endpoint.'],
  delivery_not_found: [404, 'No such delivery.'],
  scheduled_over: [409, 'This send has gone, or was cancelled.'],
  no_other_box: [409, 'There is no other box: mail would stop. Start the daemon of another one first.'],
  box_not_leading: [409, 'This box does not lead: it has nothing to hand over.'],
  delivery_not_waiting: [409, 'This delivery is settled, or an attempt is under way.'],
} as const satisfies Record<string, readonly [status: number, hint: string]>;

const all = { ...table, ...personTable };

export type ErrorCode = keyof typeof all;

/** Every code; the next has those of the published interface alone. */
export const ALL_ERROR_CODES = Object.keys(all);
export const ERROR_CODES = Object.keys(table).sort() as [keyof typeof table, ...(keyof typeof table)[]];

export const statusOf = (code: ErrorCode): number => all[code][0];
export const hintOf = (code: ErrorCode): string => all[code][1];

interface ErrorDetail {
  /** Replaces the table's hint with a more specific one. Safe to show. */
  hint?: string;
  /** Further fields of the reply, beside `error` and `hint`. Safe to show. */
  fields?: Record<string, unknown>;
  /** What is wrong with a field; the hint says it, unless another is given. The console's replies have it as data. */
  fault?: Fault;
  /** Reply headers, such as `retry-after`. */
  headers?: Record<string, string>;
  /** Logged only. */
  cause?: unknown;
}

/** An error in the interface's form: thrown by operations, converted to a reply by the transports. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly hint: string;
  readonly fields: Record<string, unknown>;
  readonly fault: Fault | null;
  readonly headers: Record<string, string>;
  readonly #own: string | undefined;

  constructor(code: ErrorCode, detail: ErrorDetail = {}) {
    super(code, { cause: detail.cause });
    this.code = code;
    this.#own = detail.hint;
    this.fields = detail.fields ?? {};
    this.fault = detail.fault ?? null;
    this.headers = detail.headers ?? {};
    this.hint = this.hintIn(FIELD_NAMES);
  }

  /** Whether the error has a hint that says more than that of its code. */
  get isSpecific(): boolean {
    return this.#own !== undefined && this.#own !== hintOf(this.code);
  }

  /** The hint, with the names that a face has for fields. */
  hintIn(names: FaultNames): string {
    const hint = hintOf(this.code);
    return this.#own ?? (this.fault ? describeFault(this.fault, hint, names) : hint);
  }

  get status(): number {
    return statusOf(this.code);
  }
}

/** @param says what holds of the field, as `is no mailbox of this workspace` */
export const wrongField = (field: string, says: string, code: ErrorCode = 'invalid_request'): ApiError =>
  new ApiError(code, { fault: { field, rule: 'says', allowed: says } });

/** Returns what a look-up found. @throws ApiError with that code where it found nothing */
export const requireFound = <T>(found: T | null | undefined, code: ErrorCode, detail?: ErrorDetail): T => {
  if (found === null || found === undefined) throw new ApiError(code, detail);
  return found;
};

interface SmtpRefusal {
  /** RFC 5321 section 4.2: 4yz is transient, 5yz permanent. */
  code: number;
  /** RFC 3463, for example `5.1.1`. */
  enhanced: string;
  /** Safe to show to any client. */
  text: string;
  /** Logged only. */
  cause?: unknown;
}

/** An error in SMTP's form; its message is safe to show, its cause is logged only. */
export class SmtpError extends Error {
  override readonly name = 'SmtpError';
  /** The property from which smtp-server reads the reply code. */
  readonly responseCode: number;
  readonly enhanced: string;

  constructor(refusal: SmtpRefusal) {
    super(`${refusal.enhanced} ${refusal.text}`, { cause: refusal.cause });
    this.responseCode = refusal.code;
    this.enhanced = refusal.enhanced;
  }
}
