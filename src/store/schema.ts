/**
 * The tables as Kysely sees them. Ids are 16-byte blobs, times epoch milliseconds, flags 0 or 1; lists are JSON text.
 * What each column promises stands beside it in migrations/.
 */

import type { Generated } from 'kysely';

type Blob = Uint8Array;
type Flag = 0 | 1;
type Json = string;

export interface Schema {
  settings: { name: string; value: Blob };
  workspaces: {
    id: Blob;
    name: string;
    slug: string;
    owner_email: string;
    plan: string;
    verified_at: number | null;
    created_at: number;
    hidden: Generated<Flag>;
    tier: Generated<'standard' | 'probation'>;
    spend_cap_usd: number | null;
    sending_state: Generated<'normal' | 'throttled' | 'paused'>;
    sending_state_reason: string | null;
    sending_state_at: Generated<number>;
    rates_from: Generated<number>;
  };
  domains: {
    id: Blob;
    workspace_id: Blob | null;
    name: string;
    kind: 'base' | 'subdomain' | 'custom';
    status: 'pending' | 'verified' | 'failing';
    verified_at: number | null;
    last_checked_at: number | null;
    created_at: number;
  };
  dkim_keys: {
    domain_id: Blob;
    selector: string;
    algorithm: 'rsa-sha256' | 'ed25519-sha256';
    role: 'signing' | 'next';
    public_key: string;
    sealed_private_key: Blob;
    created_at: number;
  };
  agents: {
    id: Blob;
    workspace_id: Blob;
    handle: string;
    display_name: string | null;
    description: string | null;
    filter_mode: 'blacklist' | 'whitelist';
    hold: Generated<Flag>;
    guard: Generated<Flag>;
    created_at: number;
    removed_at: number | null;
  };
  mailboxes: {
    id: Blob;
    agent_id: Blob;
    domain_id: Blob;
    status: 'active' | 'suspended';
    receive_only: Flag;
    expires_at: number | null;
    created_at: number;
    cooldown_until: Generated<number>;
    next_cold_at: Generated<number>;
    label: string | null;
  };
  addresses: { address: string; mailbox_id: Blob; is_primary: Flag };
  api_keys: {
    id: Blob;
    agent_id: Blob;
    name: string;
    hash: Blob;
    scopes: Json | null;
    created_at: number;
    last_used_at: number | null;
    expires_at: number | null;
    revoked_at: number | null;
  };
  rules: {
    id: Blob;
    agent_id: Blob;
    match: 'exact_email' | 'domain';
    value: string;
    action: 'allow' | 'block';
    created_at: number;
  };
  correspondents: { mailbox_id: Blob; address: string; first_written_at: number };
  threads: {
    id: Blob;
    mailbox_id: Blob;
    subject: string;
    base_subject: string;
    snippet: string;
    participants: Json;
    message_count: number;
    unread_count: number;
    last_message_at: number;
  };
  messages: {
    seq: Generated<number>;
    id: Blob;
    mailbox_id: Blob;
    thread_id: Blob;
    direction: 'in' | 'out';
    from_name: string | null;
    from_address: string;
    to_list: Json;
    cc_list: Json;
    reply_to: Json;
    subject: string;
    snippet: string;
    unread: Flag;
    archived: Flag;
    status: string;
    spam_verdict: string | null;
    authentication: Json | null;
    doubtful: Generated<Flag>;
    rfc_message_id: string | null;
    in_reply_to: string | null;
    reference_ids: Json;
    automatic: Flag;
    send_class: 'reply' | 'cold' | null;
    open_token: string | null;
    open_count: Generated<number>;
    first_opened_at: number | null;
    last_opened_at: number | null;
    defects: Generated<Json>;
    attachments: Json;
    raw_id: number;
    created_at: number;
  };
  raw_messages: { id: Generated<number>; mime: Blob; size: number };
  message_texts: {
    seq: number;
    mailbox: string;
    subject: string;
    sender: string;
    recipients: string;
    attachments: string;
    body: string;
  };
  /** `message_index` and `rank` are FTS5's own hidden columns: they take commands and give a score. */
  message_index: {
    rowid: number;
    mailbox: string;
    subject: string;
    sender: string;
    recipients: string;
    attachments: string;
    body: string;
    message_index: Generated<string>;
    rank: Generated<number>;
  };
  deliveries: {
    id: Blob;
    message_id: Blob;
    mailbox_id: Blob;
    position: number;
    address: string;
    domain: string;
    status: 'queued' | 'deferred' | 'delivered' | 'bounced' | 'complained' | 'cancelled';
    attempts: number;
    created_at: number;
    next_attempt_at: number | null;
    leased_until: number;
    attempting: Generated<number>;
    insisted: Generated<number>;
    last_attempt_at: number | null;
    code: number | null;
    enhanced_code: string | null;
    response: string | null;
    remote_host: string | null;
    tls: string | null;
    transcript: string | null;
  };
  events: {
    seq: Generated<number>;
    id: string;
    workspace_id: Blob;
    mailbox_id: Blob | null;
    name: string;
    data: Json;
    created_at: number;
  };
  webhooks: {
    id: Blob;
    workspace_id: Blob;
    mailbox_id: Blob | null;
    url: string;
    events: Json;
    sealed_secrets: Blob;
    header_names: Json;
    sealed_headers: Blob | null;
    template: Json | null;
    active: Flag;
    disabled_reason: 'paused' | 'failures' | 'gone' | null;
    failure_count: number;
    created_at: number;
    updated_at: number;
  };
  webhook_deliveries: {
    webhook_id: Blob;
    event_seq: number;
    attempts: number;
    next_attempt_at: number | null;
    last_attempt_at: number | null;
    body: Blob | null;
  };
  webhook_attempts: {
    workspace_id: Blob;
    at: number;
    webhook_id: Blob;
    event_seq: number;
    attempt: number;
    status_code: number | null;
    response_body: string | null;
    duration_ms: number;
    error: string | null;
  };
  heard_from: { mailbox_id: Blob; address: string };
  doubted_senders: { mailbox_id: Blob; address: string };
  usage: { scope: Blob; period: string; units: number; cold: number };
  cold_sends: { mailbox_id: Blob; width: number; starts_at: number; count: number };
  body_recipients: { mailbox_id: Blob; body_hash: Blob; address: string; sent_at: number };
  outcomes: {
    workspace_id: Blob;
    hour: number;
    ended: number;
    mails: Generated<number>;
    bounced: number;
    complained: number;
    reply_bounced: Generated<number>;
    reply_complained: Generated<number>;
  };
  reply_outcomes: { workspace_id: Blob; day: number; kind: 'bounced' | 'complained'; organisation: string };
  suppressions: {
    workspace_id: Blob;
    address: string;
    reason: 'bounce' | 'complaint' | 'manual';
    bounce_type: string | null;
    message_id: Blob | null;
    until: number | null;
    created_at: number;
  };
  pending_sends: {
    id: Blob;
    agent_id: Blob;
    mailbox_id: Blob;
    workspace_id: Blob;
    status: 'pending' | 'approved' | 'rejected' | 'expired';
    reason: string;
    send_class: 'reply' | 'cold';
    to_list: Json;
    subject: string;
    cc_list: Generated<Json>;
    bcc_list: Generated<Json>;
    reply_to: Generated<Json>;
    attachments: Generated<Json>;
    snippet: string;
    outgoing: Json;
    html_text: string | null;
    mime: Blob | null;
    size: number;
    message_id: Blob | null;
    decision_note: string | null;
    failure_reason: string | null;
    decided_by: string | null;
    decided_at: number | null;
    created_at: number;
    expires_at: number;
  };
  scheduled_sends: {
    id: Blob;
    agent_id: Blob;
    mailbox_id: Blob;
    status: 'pending' | 'sent' | 'held' | 'failed' | 'cancelled';
    to_list: Json;
    subject: string;
    request: Blob | null;
    send_at: number;
    /** When it is tried next. */
    due_at: number;
    /** That failed by a fault of the instance. */
    attempts: Generated<number>;
    booked_at: number;
    message_id: Blob | null;
    pending_id: Blob | null;
    failure_reason: string | null;
  };
  idempotency_keys: {
    api_key_id: Blob;
    key: string;
    fingerprint: Blob;
    status: number;
    body: Json;
    created_at: number;
  };
  notices: { id: Blob; kind: string; owner_email: string; data: Json; due_at: number; created_at: number };
  role_mail_days: { owner_email: string; day: number; count: number; withheld: Generated<Json> };
  tls_results: {
    domain: string;
    day: number;
    policy: Json;
    failure: string;
    mx_host: string;
    sending_ip: string;
    receiving_ip: string;
    reason: string;
    sessions: number;
  };
  tls_foreign_reports: { address: string; day: number; count: number };
  tls_reports: { domain: string; day: number; due_at: number | null; urls: Json | null };
  mta_sts_policies: { domain: string; policy_id: string; policy: string; fetched_at: number; expires_at: number };
}
