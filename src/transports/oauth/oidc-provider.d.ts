/** Types of the used part of oidc-provider, which ships none. */

declare module 'oidc-provider' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Adapter {
    upsert(id: string, payload: Record<string, unknown>, expiresIn?: number): Promise<void>;
    find(id: string): Promise<Record<string, unknown> | undefined>;
    findByUid(uid: string): Promise<undefined>;
    findByUserCode(code: string): Promise<undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  export interface Client {
    clientId: string;
    clientName?: string;
    clientSecret?: string;
    redirectUris: string[];
    grantTypeAllowed(type: string): boolean;
    redirectUriAllowed(value: string): boolean;
    compareClientSecret(actual: string): boolean;
  }

  /** An authorization request that waits for its user. */
  export interface Interaction {
    uid: string;
    params: Record<string, unknown>;
    /** Set once it is answered. */
    result?: InteractionResult;
  }

  export interface InteractionResult {
    login?: { accountId: string; remember: boolean };
    consent?: { grantId: string };
    error?: string;
    error_description?: string;
  }

  export interface KoaContext {
    req: IncomingMessage;
    path: string;
    type: string;
    response: { headers: { 'set-cookie'?: string | string[] } };
    status: number;
    body: unknown;
    set(name: string, value: string | string[]): void;
    oidc: {
      route?: string;
      result?: InteractionResult;
      provider: Provider;
      promptPending(name: string): boolean;
    };
  }

  export default class Provider extends EventEmitter {
    constructor(issuer: string, configuration: Record<string, unknown>);
    proxy: boolean;
    silent: boolean;
    use(middleware: (context: KoaContext, next: () => Promise<void>) => Promise<void>): void;
    Client: { prototype: Client; find(id: string): Promise<Client | undefined> };
    Grant: { find(id: string): Promise<Record<string, unknown> | undefined> };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: InteractionResult,
      options?: { mergeWithLastSubmission?: boolean },
    ): Promise<string>;
  }

  export namespace interactionPolicy {
    class Check {
      constructor(reason: string, description: string, check: (context: KoaContext) => boolean);
    }
    class Prompt {
      constructor(about: { name: string; requestable: boolean }, ...checks: Check[]);
    }
  }

  export namespace errors {
    class InvalidClientMetadata extends Error {
      constructor(description: string);
    }
    class InvalidGrant extends Error {
      constructor(detail: string);
    }
    class InvalidTarget extends Error {}
    class SessionNotFound extends Error {}
    class OIDCProviderError extends Error {}
  }
}
